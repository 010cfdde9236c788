// The table: the seats around it, and in the middle the cards or chips of the game.

import { cardElement, counted, el, inline, name, number, signed, split, suitName, symbol } from "./cards.js";
import { _, ngettext, parts } from "./texts.js";

/** @type {Record<number, string[]>} */
const PLACES = { 2: ["s", "n"], 3: ["s", "nw", "ne"], 4: ["s", "w", "n", "e"], 5: ["s", "w", "nw", "ne", "e"], 6: ["s", "sw", "nw", "n", "ne", "se"] };
const MANY = ["s", ...Array(9).fill("x")]; // more seats are in rows

/** Draw a step. `view`: `seat`, the one at the bottom; `hide`, whether the other hands are hidden; and where cards can
 * be chosen: `notes`, more tags of each seat, and `pick(card, index)`, the attributes of the button that a card of the
 * bottom seat becomes, or null if it is no button.
 * @type {(felt: HTMLElement, hand: Hand, step: Step, view: Sight) => void} */
export function draw(felt, hand, step, view) {
  const count = hand.seats.length;
  const places = PLACES[count] ?? MANY.slice(0, count);
  const placeOf = (/** @type {number} */ seat) => places[(seat - view.seat + count) % count];
  const seats = hand.seats.map((player, seat) =>
    player === null ? null : seatElement(hand, step, view, seat, player, placeOf(seat)),
  );
  const middle = MIDDLES[hand.shape]?.(hand, step, placeOf, view) ?? null;
  // In turn order from the bottom, for screen readers.
  const order = places.map((_, k) => seats[(view.seat + k) % count]);
  felt.replaceChildren(...[scoreboard(hand, step), ...order, middle].filter((one) => one !== null));
}

/** @type {(hand: Hand, step: Step, view: Sight, seat: number, player: Player, place: string) => HTMLElement} */
function seatElement(hand, step, view, seat, player, place) {
  const turn = step.turn === seat;
  const out = (step.in_hand && !step.in_hand[seat]) || Boolean(step.places?.[seat]);
  const tags = [...(step.tags[seat] ?? []), ...(view.notes?.[seat] ?? [])].map((tag) => el("li", { class: tagClass(tag) }, tag));
  const bet = step.bets?.[seat];
  return el(
    "section",
    { class: `seat at-${place}${turn ? " turn" : ""}${out ? " out" : ""}`, "data-seat": seat, "aria-label": player.name },
    el(
      "h2",
      { title: player.whole_name || null },
      el("bdi", {}, player.name),
      player.kind ? el("span", { class: "kind" }, player.kind) : null,
      turn ? el("span", { class: "sr" }, ", ", _("to act")) : null,
    ),
    el("ul", { class: "tags" }, ...tags),
    step.stacks ? chips(/** @type {PokerTable} */ (step), seat) : null,
    cards(hand, step, view, seat),
    step.melds?.[seat] ? meld(step.melds[seat]) : null,
    bet ? el("p", { class: "bet" }, el("span", { class: "chip", "aria-hidden": "true" }), " ", _("bet %(n)s", { n: number(bet) })) : null,
  );
}

/** @type {(tag: string) => string} */
function tagClass(tag) {
  if ([_("dealer"), _("button")].includes(tag)) return "tag dealer";
  return [_("declarer"), _("has the block")].includes(tag) ? "tag strong" : "tag";
}

/** @type {(hand: Hand, step: Step, view: Sight, seat: number) => HTMLElement} */
function cards(hand, step, view, seat) {
  const held = split(step.hands[seat] ?? "");
  const hidden = view.hide && seat !== view.seat;
  const legal = step.turn === seat && !hidden ? split(step.legal ?? "") : [];
  const elements = held.map((card, index) => {
    const button = seat === view.seat ? (view.pick?.(card, index) ?? null) : null;
    const may = legal.includes(card);
    const asks = Boolean(button?.["data-why"]);
    const hinted = button?.["data-hint"] ? " hinted" : "";
    const classes = may || (button && !asks) ? `legal${hinted}` : legal.length ? "dim" : "";
    return cardElement(hidden ? "??" : card, {
      classes,
      says: asks ? _("may not be played: why?") : may && !button ? _("may be played") : "",
      corner: hidden ? "" : (hand.special?.[card] ?? ""),
      button,
    });
  });
  return el("ul", { class: "cards", "aria-label": counted(held.length), "data-count": held.length }, ...elements);
}

/** @type {(text: string) => HTMLElement} */
function meld(text) {
  return el("ul", { class: "cards meld", "aria-label": _("on the table") }, ...split(text).map((card) => cardElement(card, {})));
}

/** @type {(step: PokerTable, seat: number) => HTMLElement} */
function chips(step, seat) {
  const won = step.won[seat];
  return el(
    "p",
    { class: "stack" },
    ngettext("%(n)s chip", "%(n)s chips", step.stacks[seat], { n: number(step.stacks[seat]) }),
    won ? el("b", { class: "win" }, " ", _("wins %(n)s", { n: number(won) })) : null,
  );
}

// ---------------------------------------------------------------- games with tricks

/** @type {(hand: Hand, step: Step & TrickTable, placeOf: (seat: number) => string) => HTMLElement} */
function trickMiddle(hand, step, placeOf) {
  const spots = step.table.map(([seat, card], index) =>
    el(
      "li",
      { class: `spot to-${placeOf(seat)}` },
      el("span", { class: "sr" }, `${hand.seats[seat]?.name}: `),
      cardElement(card, {
        tag: "span",
        classes: step.taker === seat ? "taker" : "",
        says: step.taker === seat ? _("takes the trick") : "",
        corner: hand.special?.[card] ?? (index === 0 ? _("led") : ""),
      }),
    ),
  );
  const trump = step.trump
    ? el(
        "p",
        { class: `trump ${step.trump === "D" || step.trump === "H" ? "red" : ""}` },
        el("span", { class: "sr" }, _("Trump: %(suit)s", { suit: suitName(step.trump) })),
        el("span", { "aria-hidden": "true" }, symbol(step.trump)),
      )
    : null;
  const label = step.trick >= 0 ? _("Trick %(number)s", { number: step.trick + 1 }) : _("No trick yet");
  return el(
    "section",
    { class: "middle", "aria-label": label },
    trump,
    el("ul", { class: "trick" }, ...spots),
    options(hand, step),
  );
}

/** @type {(hand: Hand, step: Step) => HTMLElement | null} */
function options(hand, step) {
  if (!step.options || step.turn === null) return null;
  const values = { player: el("bdi", {}, hand.seats[step.turn]?.name ?? ""), choices: el("span", { lang: "en" }, step.options) };
  return el("p", { class: "options" }, ...parts(_("%(player)s may: %(choices)s"), values));
}

/** @type {(hand: Hand, step: Step) => HTMLElement | null} */
function scoreboard(hand, step) {
  if (!hand.partners || !step.points) return null;
  const taken = (hand.tricks ?? []).slice(0, step.tricks).map((trick) => Number(trick.taker) % 2);
  const tricksOf = (/** @type {number} */ team) => taken.filter((taker) => taker === team).length;
  /** @type {[string, number[] | null | undefined, (value: number) => string][]} */
  const lines = [
    [_("match"), step.match, String],
    [_("meld"), step.meld_points, String],
    [_("tricks"), [tricksOf(0), tricksOf(1)], String],
    [_("points"), step.points, String],
    [_("score"), step.score, signed],
  ];
  const rows = lines.map(([name, values, format]) =>
    values && el(
      "tr",
      { class: format === signed ? "sum" : null },
      el("th", { scope: "row", title: values === step.points ? hand.unit : null }, name),
      ...values.map((value) => el("td", {}, format(value))),
    ),
  );
  return el(
    "table",
    { class: "board" },
    el("caption", { class: "sr" }, _("Score")),
    el("thead", {}, el("tr", {}, el("td", {}), teamHead(hand, 0), teamHead(hand, 1))),
    el("tbody", {}, ...rows.filter((row) => row instanceof Node)),
  );
}

/** @type {(hand: Hand, team: number) => HTMLElement} */
function teamHead(hand, team) {
  const [first, second] = [hand.seats[team], hand.seats[team + 2]];
  const names = first && second && (first.whole_name || second.whole_name) ? [el("bdi", {}, first.name), " & ", el("bdi", {}, second.name)] : [`${team} & ${team + 2}`];
  return el("th", { scope: "col" }, ...names);
}

// ---------------------------------------------------------------- Ruter Sju

/** @type {(hand: Hand, step: Step & LayoutTable, placeOf: (seat: number) => string, view: Sight) => HTMLElement} */
function layoutMiddle(hand, step, _placeOf, view) {
  const ranks = [...(hand.ranks ?? "")];
  const legal = split(step.legal ?? "");
  const rows = [...(hand.suits ?? "")].map((suit, row) => {
    const cells = ranks.map((rank, index) => {
      const card = rank + suit;
      const lies = (step.layout[row] >> index) & 1;
      const classes = `slot${index === hand.centre ? " centre" : ""}`;
      if (lies) {
        return el("td", { class: classes }, cardElement(card, { tag: "span", classes: card === step.last ? "new" : "" }));
      }
      const may = legal.includes(card);
      const button = view.pick?.(card) ?? null;
      const says = button ? _("%(card)s, here", { card: name(card) }) : may ? _("%(card)s may be laid here", { card: name(card) }) : "";
      const gap = [el("span", { class: "sr" }, says), el("span", { "aria-hidden": "true" }, may || button ? "•" : "")];
      return el(
        "td",
        { class: `${classes}${may || button ? " open" : ""}` },
        button ? el("button", { type: "button", class: "gap", tabindex: -1, ...button }, ...gap) : el("span", { class: "gap" }, ...gap),
      );
    });
    const head = el(
      "th",
      { scope: "row", class: suit === "D" || suit === "H" ? "red" : "" },
      el("span", { class: "sr" }, suitName(suit)),
      el("span", { "aria-hidden": "true" }, symbol(suit)),
    );
    return el("tr", {}, head, ...cells);
  });
  return el(
    "section",
    { class: "middle", "aria-label": _("Layout, lap %(number)s", { number: step.lap }) },
    el("table", { class: "layout", "data-ranks": ranks.length }, el("caption", { class: "sr" }, _("The suits on the table")), el("tbody", {}, ...rows)),
    options(hand, step),
  );
}

// ---------------------------------------------------------------- poker

/** @type {(hand: Hand, step: Step & PokerTable) => HTMLElement} */
function pokerMiddle(hand, step) {
  const discarded = split(step.discarded ?? "");
  return el(
    "section",
    { class: "middle", "aria-label": _("The pot") },
    el("p", { class: "round" }, step.round),
    el("p", { class: "pot" }, el("span", { class: "chips", "aria-hidden": "true" }), ...parts(step.paid ? _("%(chips)s paid out") : _("%(chips)s in the pot"), { chips: el("b", {}, number(step.pot)) })),
    step.pots.length ? el("p", { class: "pots" }, step.pots.map((chips, n) => parts(n ? _("side pot %(chips)s") : _("main pot %(chips)s"), { chips: number(chips) }).join("")).join(" · ")) : null,
    ...(step.boards ?? []).map((board) => el("p", { class: "flop" }, ...split(board).flatMap((card) => [inline(card), " "]))),
    discarded.length ? el("p", { class: "discarded" }, ...parts(_("discarded %(cards)s"), { cards: discarded.flatMap((card) => [inline(card), " "]) })) : null,
    options(hand, step),
  );
}

/** @type {Record<string, (hand: Hand, step: any, placeOf: (seat: number) => string, view: Sight) => HTMLElement>} */
const MIDDLES = { tricks: trickMiddle, layout: layoutMiddle, poker: pokerMiddle };
