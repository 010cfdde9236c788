// The store at a glance: what is marked as live is taken from the page anew when the server says that something changed.

import { connect } from "./socket.js";

async function show() {
  const answer = await fetch(location.href);
  if (!answer.ok) return;
  const now = new DOMParser().parseFromString(await answer.text(), "text/html");
  for (const place of document.querySelectorAll("[data-live]")) {
    const found = now.querySelector(`[data-live="${place.dataset.live}"]`);
    if (place.innerHTML !== found.innerHTML) place.replaceChildren(...found.cloneNode(true).childNodes);
  }
}

connect("/live", { message: show, lost: () => {} });
