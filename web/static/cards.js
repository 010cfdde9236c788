// Cards and sentences as elements. A card is two characters, rank then suit; ?? is an unknown card.

import { _, ngettext, parts } from "./texts.js";

/** @type {Record<string, string>} */
const SYMBOLS = { C: "♣", D: "♦", H: "♥", S: "♠", N: _("no trump") };
/** @type {Record<string, string>} */
const SUITS = { C: _("clubs"), D: _("diamonds"), H: _("hearts"), S: _("spades"), N: _("no trump") };
/** @type {Record<string, string>} */
const CARDS = { C: _("%(rank)s of clubs"), D: _("%(rank)s of diamonds"), H: _("%(rank)s of hearts"), S: _("%(rank)s of spades") };
/** @type {Record<string, string>} */
const RANKS = { A: _("ace"), K: _("king"), Q: _("queen"), J: _("jack"), T: _("ten"), E: "14", F: "15" };
/** @type {Record<string, string>} */
const FACES = { T: "10", E: "14", F: "15" };

/** The element of the page with an id.
 * @type {(id: string) => Found} */
export const $ = (id) => /** @type {any} */ (document.getElementById(id));

/** All elements that a selector finds.
 * @type {(within: ParentNode, selector: string) => Found[]} */
export const all = (within, selector) => /** @type {any[]} */ ([...within.querySelectorAll(selector)]);

/** The element in which an event happened, or the next around it, that a selector finds.
 * @type {(event: Event, selector: string) => Found | null} */
export const around = (event, selector) => /** @type {any} */ (event.target).closest(selector);

/** An element with attributes (null and false are left out) and children: texts or elements, null is left out.
 * @type {<T extends keyof HTMLElementTagNameMap>(tag: T, attributes?: Attributes, ...children: Child[]) => HTMLElementTagNameMap[T]} */
export function el(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

/** The cards in a text, "8STH" → ["8S", "TH"].
 * @type {(text: string) => string[]} */
export function split(text) {
  return text.match(/../g) ?? [];
}

/** @type {(suit: string) => string} */
export function symbol(suit) {
  return SYMBOLS[suit] ?? suit;
}

/** A card's name for screen readers: "8 of hearts".
 * @type {(card: string) => string} */
export function name(card) {
  if (card === "??") return _("unknown card");
  const message = CARDS[card[1]] ?? _("%(rank)s of suit %(suit)s");
  return parts(message, { rank: RANKS[card[0]] ?? card[0], suit: card[1] }).join("");
}

/** @type {(suit: string) => string} */
export function suitName(suit) {
  return SUITS[suit] ?? _("suit %(suit)s", { suit });
}

/** @type {(card: string) => string} */
function colour(card) {
  return card[1] === "D" || card[1] === "H" ? "red" : "black";
}

/** A face-up or hidden card. `classes`: such as "legal"; `says`: the same in words for screen readers; `button`: attributes
 * of the button that the card becomes, if it can be chosen.
 * @type {(card: string, look?: { tag?: "li" | "span"; classes?: string; says?: string; corner?: string; button?: Attributes | null }) => HTMLElement} */
export function cardElement(card, { tag = "li", classes = "", says = "", corner = "", button = null } = {}) {
  const hidden = card === "??";
  const shown = [
    el("span", { class: "sr" }, name(card) + (says && `, ${says}`)),
    hidden
      ? null
      : el("span", { class: "face", "aria-hidden": "true" }, el("b", {}, FACES[card[0]] ?? card[0]), el("i", {}, symbol(card[1]))),
    corner ? el("span", { class: "corner", "aria-hidden": "true" }, corner) : null,
  ];
  return el(
    tag,
    { class: `card ${hidden ? "back" : colour(card)} ${classes}`.trim() },
    ...(button ? [el("button", { type: "button", class: button["data-why"] ? "ask" : "pick", ...button }, ...shown)] : shown),
  );
}

/** A number of cards, in words.
 * @type {(n: number) => string} */
export function counted(n) {
  return ngettext("%(n)s card", "%(n)s cards", n, {});
}

/** @type {(value: number) => string} */
export function number(value) {
  return value.toLocaleString(document.documentElement.lang || "en", { maximumFractionDigits: 1 }).replace("-", "−");
}

/** A number with its sign.
 * @type {(value: number) => string} */
export function signed(value) {
  return `${value < 0 ? "−" : value > 0 ? "+" : ""}${number(Math.abs(value))}`;
}

/** A card within a sentence: "8♥".
 * @type {(card: string) => HTMLElement} */
export function inline(card) {
  if (card === "??") return el("span", { class: "inline" }, "?");
  return el(
    "span",
    { class: `inline ${colour(card)}` },
    el("span", { class: "sr" }, name(card)),
    el("span", { "aria-hidden": "true" }, `${FACES[card[0]] ?? card[0]}${symbol(card[1])}`),
  );
}

/** The elements of a sentence, whose parts are those of `plain` in `web/hands.py`: texts, seats, cards and suits.
 * @type {(parts: Sentence, seats: (Player | null)[]) => (Node | string)[]} */
export function sentence(parts, seats) {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    if (typeof part === "number") return el("bdi", { class: "who" }, seats[part]?.name ?? _("Seat %(number)s", { number: part }));
    if (part.suit !== undefined) return part.suit === "N" ? _("no trump") : inlineSuit(part.suit);
    const cards = split(part.cards);
    if (cards.length && cards.every((card) => card === "??")) return counted(cards.length);
    return el("span", { class: "run" }, ...cards.flatMap((card, n) => (n ? [" ", inline(card)] : [inline(card)])));
  });
}

/** The sentences on a hand's result, one after the other.
 * @type {(hand: { result: Sentence[]; seats?: (Player | null)[] }, seats?: (Player | null)[]) => (Node | string)[]} */
export function result(hand, seats = hand.seats ?? []) {
  return hand.result.flatMap((said, n) => [...(n ? [" "] : []), ...sentence(said, seats)]);
}

/** @type {(suit: string) => HTMLElement} */
function inlineSuit(suit) {
  return el("span", { class: `inline ${colour(`?${suit}`)}` }, el("span", { class: "sr" }, suitName(suit)), el("span", { "aria-hidden": "true" }, symbol(suit)));
}
