// Animated cards: from a hand to the table, and a trick to the seat that took it.

import { all } from "./cards.js";

const reducedMotion = matchMedia("(prefers-reduced-motion: reduce)");
const EASE = "cubic-bezier(.2, .7, .3, 1)";
const MOST_MILLISECONDS = 420;

/** The positions of the cards that may move with the next view.
 * @type {(felt: HTMLElement) => Positions} */
export function remember(felt) {
  const held = new Map(all(felt, ".at-s .cards > .card").map((card) => [card.textContent, card.getBoundingClientRect()]));
  const laid = all(felt, ".trick .card, .layout .card").map((card) => card.textContent);
  const trick = all(felt, ".trick .card").map((card) => ({ card, box: card.getBoundingClientRect() }));
  return { held, laid: new Set(laid), trick };
}

/** Move cards that are new on the table from where they were, and a trick that was taken to its taker.
 * `milliseconds`: how long a view is shown.
 * @type {(felt: HTMLElement, before: Positions, view: View, milliseconds: number) => void} */
export function reveal(felt, before, view, milliseconds) {
  const duration = Math.min(MOST_MILLISECONDS, milliseconds * 0.55);
  const { step } = view;
  for (const card of all(felt, ".trick .card, .layout .card")) {
    if (before.laid.has(card.textContent)) continue;
    const from = heldAt(before, card) ?? boxOf(felt, step.seat);
    if (from) fly(card, from, card.getBoundingClientRect(), duration);
  }
  const onTable = new Set(all(felt, ".trick .card").map((card) => card.textContent));
  const taken = before.trick.filter(({ card }) => !onTable.has(card.textContent));
  if (taken.length < 2) return;
  const taker = view.hand.tricks?.findLast((trick) => trick.taker !== null)?.taker;
  const to = boxOf(felt, taker);
  if (to) taken.forEach((entry) => sweep(entry, to, duration));
}

/** Deal: the cards of the hands appear one after the other.
 * @type {(felt: HTMLElement, milliseconds: number) => void} */
export function lay(felt, milliseconds) {
  if (reducedMotion.matches) return;
  const delay = Math.min(60, milliseconds / 12);
  all(felt, ".seat .cards > .card").forEach((card, n) => {
    card.animate([{ opacity: 0, transform: "translateY(-2rem)" }, { opacity: 1, transform: "none" }], { duration: 220, delay: (n % 16) * delay, easing: EASE, fill: "backwards" });
  });
}

/** @type {(before: Positions, card: HTMLElement) => DOMRect | undefined} */
function heldAt(before, card) {
  const face = card.querySelector(".face")?.textContent;
  return [...before.held].find(([text]) => face && text.includes(face))?.[1];
}

/** @type {(felt: HTMLElement, seat: number | null | undefined) => DOMRect | null} */
function boxOf(felt, seat) {
  if (!Number.isInteger(seat)) return null;
  return felt.querySelector(`[data-seat="${seat}"]`)?.getBoundingClientRect() ?? null;
}

/** @type {(from: DOMRect, to: DOMRect) => string} */
function shift(from, to) {
  const [x, y] = [from.left + from.width / 2 - to.left - to.width / 2, from.top + from.height / 2 - to.top - to.height / 2];
  return `translate(${x}px, ${y}px)`;
}

/** @type {(card: HTMLElement, from: DOMRect, to: DOMRect, duration: number) => void} */
function fly(card, from, to, duration) {
  if (reducedMotion.matches) return;
  card.animate([{ transform: shift(from, to), zIndex: 5 }, { transform: "none", zIndex: 5 }], { duration, easing: EASE });
}

/** Move a copy of a card that was taken to a seat.
 * @type {(entry: { card: HTMLElement; box: DOMRect }, to: DOMRect, duration: number) => void} */
function sweep({ card, box }, to, duration) {
  if (reducedMotion.matches) return;
  const ghost = /** @type {HTMLElement} */ (card.cloneNode(true));
  ghost.classList.add("ghost");
  ghost.setAttribute("aria-hidden", "true");
  Object.assign(ghost.style, { left: `${box.left}px`, top: `${box.top}px` });
  ghost.style.setProperty("--w", `${box.width}px`);
  document.body.append(ghost);
  const end = { transform: `${shift(to, box)} scale(.4)`, opacity: 0.2 };
  ghost.animate([{ transform: "none", opacity: 1 }, end], { duration, easing: EASE }).finished.finally(() => ghost.remove());
}
