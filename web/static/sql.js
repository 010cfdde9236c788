// Ctrl+Enter runs the query. The browser keeps the last queries.

import { $, el } from "./cards.js";

const MOST_KEPT = 20;
const form = /** @type {HTMLFormElement} */ (document.forms.namedItem("query"));
form.q.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    form.requestSubmit(form.querySelector("button.main"));
  }
});
try {
  /** @type {string[]} */
  const kept = JSON.parse(localStorage.queries ?? "[]");
  form.addEventListener("submit", () => (localStorage.queries = JSON.stringify([form.q.value, ...kept.filter((sql) => sql !== form.q.value)].slice(0, MOST_KEPT))));
  const last = $("last");
  last.hidden = !kept.length;
  last.querySelector("ul")?.replaceChildren(...kept.map((sql) => el("li", {}, el("a", { href: `/sql?${new URLSearchParams({ q: sql })}` }, el("code", {}, sql)))));
} catch {} // the browser keeps no data
