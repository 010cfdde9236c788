// A connection to the server, which is restored by itself.

import { _ } from "./texts.js";

const FIRST_MILLISECONDS = 400;
const MOST_MILLISECONDS = 15_000;
/** @type {Record<number, string>} */
const GONE = { 4404: _("This table is no longer there."), 4409: _("This table was opened in too many other places. Reload the page to continue here."), 4401: _("The server no longer knows this browser. Open the address that it printed, or your link, again.") };

/** Keep a connection to an address. Calls `on.message(value)` and `on.lost(sentence)`; returns `send(value)`, which
 * returns whether the value was sent.
 * @type {(path: string, on: { message: (value: any) => void; lost: (sentence: string) => void }) => (value: object) => boolean} */
export function connect(path, on) {
  /** @type {WebSocket} */
  let socket;
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

  /** @type {(event: CloseEvent) => Promise<void>} */
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

  function reopen() {
    if (socket.readyState === WebSocket.CLOSED && timer) {
      wait = FIRST_MILLISECONDS;
      open();
    }
  }

  window.addEventListener("online", reopen);
  document.addEventListener("visibilitychange", () => document.hidden || reopen());
  open();
  return (value) => {
    if (socket.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(value));
    return true;
  };
}

/** Why the connection can't be restored; null if the server can't be reached or the page is there. */
async function pageGone() {
  try {
    const response = await fetch(location.pathname, { method: "HEAD", redirect: "manual" });
    if (response.status === 404) return GONE[4404];
    return response.status === 401 || response.status === 403 ? GONE[4401] : null;
  } catch {
    return null; // the server can't be reached
  }
}
