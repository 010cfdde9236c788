// The table: seats around it, and in the middle what the game lays there.

import { cardElement, el, inline, name, split, suitName, symbol } from "./cards.js";

const PLACES = {
  2: ["s", "n"],
  3: ["s", "nw", "ne"],
  4: ["s", "w", "n", "e"],
  5: ["s", "w", "nw", "ne", "e"],
  6: ["s", "sw", "nw", "n", "ne", "se"],
};

/** Draw a step. `view`: the seat that sits at the bottom, whether the other hands are hidden, and where cards can be
 * chosen: `notes`, more tags of each seat, and `pick(card, index)`, attributes of the button that a card of the bottom
 * seat is, or null if it is none. */
export function draw(felt, hand, step, view) {
  const count = hand.seats.length;
  const places = PLACES[count] ?? PLACES[6];
  const placeOf = (seat) => places[(seat - view.seat + count) % count];
  const seats = hand.seats.map((player, seat) =>
    player === null ? null : seatElement(hand, step, view, seat, placeOf(seat)),
  );
  const middle = (MIDDLES[hand.shape] ?? (() => null))(hand, step, placeOf, view);
  // In turn order from the bottom, for those who hear the page.
  const order = places.map((_, k) => seats[(view.seat + k) % count]).filter(Boolean);
  felt.replaceChildren(...[scoreboard(hand, step), ...order, middle].filter(Boolean));
}

function seatElement(hand, step, view, seat, place) {
  const player = hand.seats[seat];
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
      turn ? el("span", { class: "sr" }, ", to act") : null,
    ),
    el("ul", { class: "tags" }, ...tags),
    step.stacks ? chips(step, seat) : null,
    cards(hand, step, view, seat),
    step.melds?.[seat] ? meld(step.melds[seat]) : null,
    bet ? el("p", { class: "bet" }, el("span", { class: "chip", "aria-hidden": "true" }), ` bet ${bet.toLocaleString("en")}`) : null,
  );
}

function tagClass(tag) {
  if (tag === "dealer" || tag === "button") return "tag dealer";
  if (tag === "declarer" || tag === "has the block") return "tag strong";
  return "tag";
}

function cards(hand, step, view, seat) {
  const held = split(step.hands[seat] ?? "");
  const hidden = view.hide && seat !== view.seat;
  const legal = step.turn === seat && !hidden ? split(step.legal ?? "") : [];
  const made = held.map((card, index) => {
    const button = seat === view.seat ? (view.pick?.(card, index) ?? null) : null;
    const may = legal.includes(card);
    const asks = Boolean(button?.["data-why"]);
    const hinted = button?.["data-hint"] ? " hinted" : "";
    const classes = may || (button && !asks) ? `legal${hinted}` : legal.length ? "dim" : "";
    return cardElement(hidden ? "??" : card, {
      classes,
      says: asks ? "may not be played: why?" : may && !button ? "may be played" : "",
      corner: hidden ? "" : (hand.special?.[card] ?? ""),
      button,
    });
  });
  const says = `${held.length} card${held.length === 1 ? "" : "s"}`;
  return el("ul", { class: "cards", "aria-label": says, "data-count": held.length }, ...made);
}

function meld(text) {
  return el(
    "ul",
    { class: "cards meld", "aria-label": "on the table" },
    ...split(text).map((card) => cardElement(card, {})),
  );
}

function chips(step, seat) {
  const won = step.won[seat];
  return el(
    "p",
    { class: "stack" },
    `${step.stacks[seat].toLocaleString("en")} chips`,
    won ? el("b", { class: "win" }, ` wins ${won.toLocaleString("en")}`) : null,
  );
}

// ---------------------------------------------------------------- games with tricks

function trickMiddle(hand, step, placeOf) {
  const spots = step.table.map(([seat, card], index) =>
    el(
      "li",
      { class: `spot to-${placeOf(seat)}` },
      el("span", { class: "sr" }, `${hand.seats[seat].name}: `),
      cardElement(card, {
        tag: "span",
        classes: step.taker === seat ? "taker" : "",
        says: step.taker === seat ? "takes the trick" : "",
        corner: hand.special?.[card] ?? (index === 0 ? "led" : ""),
      }),
    ),
  );
  const trump = step.trump
    ? el(
        "p",
        { class: `trump ${step.trump === "D" || step.trump === "H" ? "red" : ""}` },
        el("span", { class: "sr" }, `Trump: ${suitName(step.trump)}`),
        el("span", { "aria-hidden": "true" }, step.trump === "N" ? "no trump" : symbol(step.trump)),
      )
    : null;
  const label = step.trick >= 0 ? `Trick ${step.trick + 1}` : "No trick yet";
  return el(
    "section",
    { class: "middle", "aria-label": label },
    trump,
    el("ul", { class: "trick" }, ...spots),
    step.options && step.turn !== null ? options(hand, step) : null,
  );
}

function options(hand, step) {
  return el("p", { class: "options" }, el("bdi", {}, hand.seats[step.turn].name), ` may: ${step.options}`);
}

function scoreboard(hand, step) {
  if (!hand.partners || !step.points) return null;
  const tookOf = (team) => hand.tricks.slice(0, step.tricks).filter((trick) => trick.taker % 2 === team).length;
  const lines = [
    ["match", step.match, String],
    ["meld", step.meld_points, String],
    ["tricks", [tookOf(0), tookOf(1)], String],
    ["points", step.points, String],
    ["score", step.score, signed],
  ].filter(([, values]) => values);
  const rows = lines.map(([name, values, shown]) =>
    el(
      "tr",
      { class: name === "score" ? "sum" : null },
      el("th", { scope: "row", title: name === "points" ? hand.unit : null }, name),
      ...values.map((value) => el("td", {}, shown(value))),
    ),
  );
  return el(
    "table",
    { class: "board" },
    el("caption", { class: "sr" }, "Score"),
    el("thead", {}, el("tr", {}, el("td", {}), teamHead(hand, 0), teamHead(hand, 1))),
    el("tbody", {}, ...rows),
  );
}

function teamHead(hand, team) {
  const [first, second] = [hand.seats[team], hand.seats[team + 2]];
  const named = first?.whole_name || second?.whole_name;
  const names = named ? [el("bdi", {}, first.name), " & ", el("bdi", {}, second.name)] : [`${team} & ${team + 2}`];
  return el("th", { scope: "col" }, ...names);
}

function signed(number) {
  return number > 0 ? `+${number}` : number < 0 ? `−${-number}` : "0";
}

// ---------------------------------------------------------------- Ruter Sju

function layoutMiddle(hand, step, placeOf, view) {
  const ranks = [...hand.ranks];
  const legal = split(step.legal ?? "");
  const rows = [...hand.suits].map((suit, row) => {
    const cells = ranks.map((rank, index) => {
      const card = rank + suit;
      const lies = (step.layout[row] >> index) & 1;
      const classes = `slot${index === hand.centre ? " centre" : ""}`;
      if (lies) {
        return el("td", { class: classes }, cardElement(card, { tag: "span", classes: card === step.last ? "new" : "" }));
      }
      const may = legal.includes(card);
      const button = view.pick?.(card) ?? null;
      const says = button ? `${name(card)}, here` : may ? `${name(card)} may be laid here` : "";
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
    { class: "middle", "aria-label": `Layout, lap ${step.lap}` },
    el("table", { class: "layout", "data-ranks": ranks.length }, el("caption", { class: "sr" }, "The suits on the table"), el("tbody", {}, ...rows)),
    step.options && step.turn !== null ? options(hand, step) : null,
  );
}

// ---------------------------------------------------------------- poker

function pokerMiddle(hand, step) {
  const discarded = split(step.discarded ?? "");
  return el(
    "section",
    { class: "middle", "aria-label": "The pot" },
    el("p", { class: "round" }, step.round),
    el("p", { class: "pot" }, el("span", { class: "chips", "aria-hidden": "true" }), el("b", {}, step.pot.toLocaleString("en")), step.paid ? " paid out" : " in the pot"),
    step.pots.length ? el("p", { class: "pots" }, step.pots.map((chips, n) => `${n ? "side pot" : "main pot"} ${chips.toLocaleString("en")}`).join(" · ")) : null,
    discarded.length ? el("p", { class: "discarded" }, "discarded ", ...discarded.flatMap((card) => [inline(card), " "])) : null,
    step.options && step.turn !== null ? options(hand, step) : null,
  );
}

const MIDDLES = { tricks: trickMiddle, layout: layoutMiddle, poker: pokerMiddle };
