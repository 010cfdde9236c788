// What is beside the table: its settings and links.

import { $, all } from "./cards.js";
import { _ } from "./texts.js";

/** @type {Record<string, number>} */
const PACES = { slow: 1500, normal: 700, "at once": 0 };

/** How long each view is shown, in milliseconds. */
export function pace() {
  return PACES[$("pace").value] ?? PACES.normal;
}

/** Restore how fast others play and whether forced cards play themselves, and keep what is chosen; `hurry` is
 * called after a change of pace.
 * @type {(hurry: () => void) => void} */
export function setPace(hurry) {
  try {
    if (localStorage.pace in PACES) $("pace").value = localStorage.pace;
    $("forced").checked = localStorage.forced === "yes";
  } catch {} // the browser keeps no data
  $("forced").addEventListener("change", () => {
    try {
      localStorage.forced = $("forced").checked ? "yes" : "no";
    } catch {}
  });
  $("pace").addEventListener("change", () => {
    try {
      localStorage.pace = $("pace").value;
    } catch {}
    hurry();
  });
}

/** Make links copyable. */
export function setCopying() {
  for (const button of all(document, "[data-copy]")) {
    const field = $(button.dataset.copy ?? "");
    field.value = new URL(field.value, location.href).href;
    button.hidden = false;
    button.addEventListener("click", async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
      } catch {
        document.execCommand("copy"); // the clipboard needs a secure context, which other machines don't have
      }
      button.textContent = _("Copied");
    });
  }
}
