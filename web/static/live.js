// The store at a glance: figures change while an ingest runs.

import { el } from "./cards.js";

const AGAIN_MILLISECONDS = 3000;

const count = (value) => value.toLocaleString("en");
const mebibytes = (bytes) => (bytes / 2 ** 20).toLocaleString("en", { minimumFractionDigits: 1, maximumFractionDigits: 1 });

function show(now) {
  const bytes = now.tables.reduce((sum, table) => sum + table.bytes, 0);
  const values = {
    ...Object.fromEntries(Object.entries(now.hands).map(([name, value]) => [name, count(value)])),
    sources: count(now.sources),
    bytes: `${mebibytes(bytes)} MiB`,
    fresh: now.fresh ?? "never",
    marts: now.marts,
  };
  for (const place of document.querySelectorAll("[data-live]")) {
    const value = values[place.dataset.live] ?? "";
    if (place.textContent !== value) place.textContent = value;
  }
  const balanced = document.getElementById("balanced");
  balanced.className = now.balanced ? "good" : "bad";
  balanced.textContent = now.balanced ? "✓ the books balance" : "✗ the books don't balance";
  const working = [
    now.at_work === null ? null : now.at_work ? "Something writes to the store now." : "Nothing writes to the store now.",
    now.uncommitted ? `${mebibytes(now.uncommitted)} MiB are written and not committed.` : null,
  ];
  document.getElementById("activity").textContent = working.filter(Boolean).join(" ");
  const number = (value) => el("td", { class: "number" }, value);
  document.getElementById("tables").replaceChildren(
    ...now.tables.map((table) =>
      el("tr", {}, el("th", { scope: "row" }, table.name), number(count(table.rows)), number(count(table.files)), number(mebibytes(table.bytes)), number(String(table.version)), el("td", {}, table.state)),
    ),
  );
  document.getElementById("latest").replaceChildren(
    ...now.latest.map((row) =>
      el("tr", {}, el("td", {}, row.at), el("td", {}, el("bdi", {}, row.source)), el("td", {}, el("bdi", {}, row.dataset)), number(count(row.hands_read)), number(count(row.hands_stored)), number(count(row.duplicates)), number(count(row.quarantined))),
    ),
  );
}

function listen() {
  const socket = new WebSocket(`ws://${location.host}/live`);
  socket.addEventListener("message", (event) => show(JSON.parse(event.data)));
  socket.addEventListener("close", () => setTimeout(listen, AGAIN_MILLISECONDS));
}

show(JSON.parse(document.getElementById("now").textContent));
listen();
