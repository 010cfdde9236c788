// Cards and sentences as elements. A card is two characters, rank then suit; ?? is not known.

const SYMBOLS = { C: "♣", D: "♦", H: "♥", S: "♠", N: "no trump" };
const SUITS = { C: "clubs", D: "diamonds", H: "hearts", S: "spades", 4: "suit 4", 5: "suit 5" };
const RANKS = { A: "ace", K: "king", Q: "queen", J: "jack", T: "10", E: "14", F: "15" };
const FACES = { T: "10", E: "14", F: "15" };

/** An element with attributes (null ones are left out) and children, texts or elements. */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) made.setAttribute(name, value === true ? "" : value);
  }
  made.append(...children.filter((child) => child !== null));
  return made;
}

/** The cards of a text, "8STH" → ["8S", "TH"]. */
export function split(text) {
  return text.match(/../g) ?? [];
}

export function symbol(suit) {
  return SYMBOLS[suit] ?? suit;
}

/** A card's name to be read out: "8 of hearts". */
export function name(card) {
  return card === "??" ? "unknown card" : `${RANKS[card[0]] ?? card[0]} of ${SUITS[card[1]]}`;
}

export function suitName(suit) {
  return suit === "N" ? "no trump" : SUITS[suit];
}

function colour(card) {
  return card[1] === "D" || card[1] === "H" ? "red" : "black";
}

/** A card lying on the table. `classes` such as "legal", `says`: words for them that are read out; `button`: attributes
 * of the button that the card is, if it can be chosen. */
export function cardElement(card, { tag = "li", classes = "", says = "", corner = "", button = null } = {}) {
  const hidden = card === "??";
  const shown = [
    el("span", { class: "sr" }, name(card) + (says && `, ${says}`)),
    hidden
      ? null
      : el(
          "span",
          { class: "face", "aria-hidden": "true" },
          el("b", {}, FACES[card[0]] ?? card[0]),
          el("i", {}, symbol(card[1])),
        ),
    corner ? el("span", { class: "corner", "aria-hidden": "true" }, corner) : null,
  ];
  return el(
    tag,
    { class: `card ${hidden ? "back" : colour(card)} ${classes}`.trim() },
    ...(button ? [el("button", { type: "button", class: button["data-why"] ? "ask" : "pick", ...button }, ...shown)] : shown),
  );
}

/** A card within a sentence: "8♥". */
export function inline(card) {
  if (card === "??") return el("span", { class: "inline" }, "?");
  return el(
    "span",
    { class: `inline ${colour(card)}` },
    el("span", { class: "sr" }, name(card)),
    el("span", { "aria-hidden": "true" }, `${FACES[card[0]] ?? card[0]}${symbol(card[1])}`),
  );
}

/** A sentence, as `web/hands/words.py` makes them: texts, seats, cards and suits. */
export function sentence(parts, seats) {
  return parts.map((part) => {
    if (typeof part === "string") return part;
    if (typeof part === "number") return el("bdi", { class: "who" }, seats[part]?.name ?? `Seat ${part}`);
    if (part.suit) return part.suit === "N" ? "no trump" : inlineSuit(part.suit);
    const cards = split(part.cards);
    if (cards.length && cards.every((card) => card === "??")) return `${cards.length} card${cards.length === 1 ? "" : "s"}`;
    return el("span", { class: "run" }, ...cards.flatMap((card, n) => (n ? [" ", inline(card)] : [inline(card)])));
  });
}

function inlineSuit(suit) {
  return el(
    "span",
    { class: `inline ${colour(`?${suit}`)}` },
    el("span", { class: "sr" }, suitName(suit)),
    el("span", { "aria-hidden": "true" }, symbol(suit)),
  );
}
