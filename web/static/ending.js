// The end of a hand: who won, and which cards cost most.

import { el, number, sentence, signed } from "./cards.js";
import { sideNames } from "./sheet.js";
import { _, ngettext, parts } from "./texts.js";

/** Who has won, and by how much: the match if it is over, else the hand; empty if neither has a winner.
 * @type {(view: View & { over: Over }) => string[]} */
export function verdict(view) {
  const { winner, score, match_over: isMatch } = view.over;
  if (isMatch && winner < 0) return [_("Nobody wins the match."), " "];
  const points = Object.entries(isMatch ? score.match : score.hand).sort(([, a], [, b]) => b - a);
  const first = Object.keys(score.place).find((seat) => score.place[seat] === 1);
  const side = isMatch ? winner : Number(first ?? points[0]?.[0] ?? -1);
  const own = (isMatch ? score.match : score.hand)[side];
  const most = points.find(([other]) => Number(other) !== side)?.[1];
  if (side < 0 || (!isMatch && first === undefined && !(own > (most ?? 0)))) return [];
  const [names, many] = sideNames(view, side);
  return [parts(winning(isMatch, many, own, most), { names, own: number(own ?? 0), most: number(most ?? 0) }).join(""), " "];
}

/** @type {(isMatch: boolean, many: boolean, own: number, most: number | undefined) => string} */
function winning(isMatch, many, own, most) {
  if (own !== undefined && most === undefined) return many ? _("%(names)s win %(own)s chips.") : _("%(names)s wins %(own)s chips.");
  if (own === undefined) return many ? _("%(names)s win the hand.") : _("%(names)s wins the hand.");
  if (isMatch) return many ? _("%(names)s win the match, %(own)s to %(most)s.") : _("%(names)s wins the match, %(own)s to %(most)s.");
  return many ? _("%(names)s win the hand, %(own)s to %(most)s.") : _("%(names)s wins the hand, %(own)s to %(most)s.");
}

/** What a card cost, as a sentence; `trick` is what stands for its trick.
 * @type {(cost: Cost, view: View, trick: Node | string) => (Node | string)[]} */
function costing(cost, view, trick) {
  const message = cost.exact
    ? ngettext("%(trick)s: %(player)s played %(card)s, which cost %(n)s point.", "%(trick)s: %(player)s played %(card)s, which cost %(n)s points.", cost.cost)
    : ngettext("%(trick)s: %(player)s played %(card)s, which cost about %(n)s point.", "%(trick)s: %(player)s played %(card)s, which cost about %(n)s points.", cost.cost);
  return parts(message, { trick, player: sentence([cost.seat], view.hand.seats), card: sentence([{ cards: cost.card }], []), n: String(Number(cost.cost.toFixed(1))) }).flat();
}

/** @type {(cost: Cost) => string} */
function trickOf(cost) {
  return _("Trick %(number)s", { number: cost.trick });
}

/** The costliest card of a review, as a sentence; empty if no card cost anything.
 * @type {(review: Review, view: View) => (Node | string)[]} */
export function costliest({ cards: [worst] }, view) {
  return worst ? [el("strong", {}, _("The costliest card")), ": ", ...costing(worst, view, trickOf(worst))] : [];
}

/** List the costliest cards, each with the values of all cards that could have been played, and draw the curve.
 * `link`: whether they lead to the page of the hand.
 * @type {(review: Review, view: View & { over: Over }, list: HTMLElement, figure: HTMLElement, link: boolean) => void} */
export function listCostly({ cards, curve, says }, view, list, figure, link) {
  const items = cards.map((cost) => {
    const trick = link ? el("a", { href: `/hand/${view.over.hand_id}?step=${cost.event}` }, trickOf(cost)) : trickOf(cost);
    const byValue = Object.entries(cost.values).sort(([, a], [, b]) => b - a);
    const values = byValue.flatMap(([card, value], n) => [n ? " · " : "", ...sentence([{ cards: card }], []), ` ${signed(value)}`]);
    return el("li", {}, ...costing(cost, view, trick), " ", el("span", { class: "quiet" }, ...values), link && view.seat !== null ? againForm(cost.event, view, view.seat) : null);
  });
  list.replaceChildren(...(items.length ? items : [el("li", {}, _("No card cost anything."))]));
  if (!curve) return;
  const svg = new DOMParser().parseFromString(curve, "image/svg+xml").documentElement;
  figure.replaceChildren(el("figcaption", {}, _("What %(names)s could expect after each card", { names: sideNames(view, 0)[0] })), el("p", { class: "quiet" }, says), el("div", { class: "plot" }, svg));
}

/** A button that opens a table where this hand is played again, from the event of a card on.
 * @type {(step: number, view: View & { over: Over }, seat: number) => HTMLElement} */
function againForm(step, view, seat) {
  const values = { again: view.over.hand_id, step, seat, name: view.seats[seat]?.name };
  const fields = Object.entries(values).map(([name, value]) => el("input", { type: "hidden", name, value }));
  return el("form", { method: "post", action: "/tables" }, ...fields, el("button", {}, _("Play on from there")));
}
