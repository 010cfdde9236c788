// The store at a glance: when the server reports a change, elements marked as live are updated from the page.

import { connect } from "./socket.js";

async function show() {
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  for (const element of document.querySelectorAll("[data-live]")) {
    const updated = page.querySelector(`[data-live="${element.getAttribute("data-live")}"]`);
    if (updated && element.innerHTML !== updated.innerHTML) element.replaceChildren(...updated.cloneNode(true).childNodes);
  }
}

connect("/live", { message: show, lost: () => {} });
