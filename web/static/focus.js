// The focus at a table, which is drawn anew after every event, and the keys of its choices.

import { $, all } from "./cards.js";

const HINTS = "1234567890abcdefghijklmnopqrstuvwxyz"; // keys of the choices, in order

let hadFocus = false;

function buttons() {
  return [...all($("felt"), ".at-s .pick"), ...all($("choices"), "button, a")].filter((button) => !button.disabled);
}

function hasFocus() {
  return $("stage").contains(document.activeElement);
}

/** A key of the focused element, to find it again after the table has been redrawn. */
export function focusKey() {
  const focused = document.activeElement;
  if (hasFocus()) hadFocus = true;
  else if (focused !== document.body) hadFocus = false;
  return focused instanceof HTMLElement && hasFocus() ? keyOf(focused) : null;
}

/** @type {(element: HTMLElement) => string} */
function keyOf(element) {
  return JSON.stringify([element.dataset.index, element.dataset.action, element.id]);
}

/** @type {(before: string | null) => void} */
export function restoreFocus(before) {
  if (!hadFocus || (hasFocus() && document.activeElement !== $("felt"))) return;
  const found = buttons();
  const same = found.find((button) => keyOf(button) === before);
  (same ?? found[0] ?? $("felt")).focus({ preventScroll: true });
}

/** @type {(direction: number) => void} */
export function moveFocus(direction) {
  const found = buttons();
  const current = found.findIndex((button) => button === document.activeElement);
  const index = current < 0 ? (direction > 0 ? 0 : found.length - 1) : (current + direction + found.length) % found.length;
  found[index]?.focus();
}

/** Assign keys to the buttons of the choices. */
export function assignKeys() {
  all($("choices"), "button:not([disabled])").slice(0, HINTS.length).forEach((button, n) => {
    button.dataset.key = HINTS[n];
    button.setAttribute("aria-keyshortcuts", HINTS[n]);
  });
}

/** Remember that the focus is on the table, before what has it is disabled. */
export function keepFocus() {
  hadFocus ||= hasFocus();
}
