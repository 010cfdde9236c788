// A connection to the server: it comes back by itself, and says so.

import { _ } from "./texts.js";

const FIRST_MILLISECONDS = 400;
const MOST_MILLISECONDS = 15_000;
const GONE = { 4404: _("This table is no longer there."), 4401: _("The server no longer knows this browser. Open the address that it printed, or your link, again.") };

/** Keep a connection to an address. `on.message(value)`, `on.lost(sentence)`; returns `send(value)`, which
 * says whether it was sent. */
export function connect(path, on) {
  let socket = null;
  let wait = FIRST_MILLISECONDS;
  let timer = 0;

  function open() {
    clearTimeout(timer);
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    socket = new WebSocket(`${scheme}://${location.host}${path}`);
    socket.addEventListener("message", (event) => {
      wait = FIRST_MILLISECONDS;
      on.message(JSON.parse(event.data));
    });
    socket.addEventListener("close", closed);
  }

  async function closed(event) {
    const gone = GONE[event.code] ?? (wait > FIRST_MILLISECONDS ? await pageGone() : null);
    if (gone) {
      on.lost(gone);
      return;
    }
    on.lost(_("The connection is lost. It is being restored …"));
    timer = setTimeout(open, wait * (0.75 + Math.random() / 2));
    wait = Math.min(MOST_MILLISECONDS, 2 * wait);
  }

  function again() {
    if (socket.readyState === WebSocket.CLOSED && timer) {
      wait = FIRST_MILLISECONDS;
      open();
    }
  }

  window.addEventListener("online", again);
  document.addEventListener("visibilitychange", () => document.hidden || again());
  open();
  return (value) => {
    if (socket.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(value));
    return true;
  };
}

/** Why the table can't be had again, if the server is there and says so. */
async function pageGone() {
  try {
    const answer = await fetch(location.pathname, { method: "HEAD", redirect: "manual" });
    if (answer.status === 404) return GONE[4404];
    return answer.status === 401 || answer.status === 403 ? GONE[4401] : null;
  } catch {
    return null; // the server is not there
  }
}
