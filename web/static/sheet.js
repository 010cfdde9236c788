// The score sheet of a table, and the last trick.

import { el, number, signed } from "./cards.js";
import { _ } from "./texts.js";

/** The name of a side, a team's players or a seat's, and whether it is several people.
 * @type {(view: View, side: number) => [string, boolean]} */
export function sideNames(view, side) {
  const name = (/** @type {number} */ seat) => view.hand.seats[seat]?.name ?? view.seats[seat]?.name ?? "";
  if (!view.hand.partners) return [name(side), name(side) === _("You")];
  return [_("%(first)s and %(second)s", { first: name(side), second: name(side + 2) }), true];
}

/** Lay out the sheet: a line per hand with each side's score of the hand and in the match, and one at a match's end.
 * @type {(section: HTMLElement, view: View, isHost: boolean) => void} */
export function showSheet(section, view, isHost) {
  const rows = view.sheet;
  section.hidden = !rows?.length;
  if (!rows?.length) return;
  const sides = view.hand.partners ? [0, 1] : view.seats.map((_, seat) => seat);
  const heads = sides.map((side) => el("th", { scope: "col" }, el("bdi", {}, sideNames(view, side)[0])));
  const lines = rows.flatMap((row) => [handLine(row, sides, isHost), matchLine(view, row, sides)]);
  const body = el("tbody", {}, ...lines.filter(Boolean));
  section.querySelector("table")?.replaceChildren(el("thead", {}, el("tr", {}, el("th", { scope: "col" }, _("hand")), ...heads)), body);
  requestAnimationFrame(() => section.querySelector(".scroll")?.scrollTo(0, 1e6));
}

/** @type {(row: Row, sides: number[], isHost: boolean) => HTMLElement} */
function handLine(row, sides, isHost) {
  const no = String(row.number + 1);
  const link = row.hand_id && isHost ? el("a", { href: `/hand/${row.hand_id}` }, no) : no;
  return el("tr", {}, el("th", { scope: "row" }, link), ...sides.map((side) => el("td", {}, ...cell(row.score, side))));
}

/** @type {(score: Score, side: number) => Child[]} */
function cell({ hand, match, place }, side) {
  if (match[side] !== undefined) return [el("b", {}, number(match[side])), hand[side] ? el("small", {}, ` ${signed(hand[side])}`) : null].filter(Boolean);
  return [place[side] !== undefined ? `${place[side]}.` : String(hand[side] ?? "")];
}

/** @type {(view: View, row: Row, sides: number[]) => HTMLElement | null} */
function matchLine(view, row, sides) {
  if (row.winner === null || !Object.keys(row.score.match).length) return null;
  const text = row.winner < 0 ? _("Nobody wins the match") : _("%(names)s won the match", { names: sideNames(view, row.winner)[0] });
  return el("tr", { class: "won" }, el("td", { colspan: sides.length + 1 }, text));
}

/** The last complete trick before the one on the table, in the form of a step; null if there is none.
 * @type {(view: View) => Pick<TrickTable, "table" | "taker" | "trick"> | null} */
export function lastTrick(view) {
  const tricks = view.hand.tricks ?? [];
  const last = tricks.findLastIndex((trick, n) => trick.taker !== null && !(n === view.step.trick && view.step.taker !== null));
  if (last < 0) return null;
  const { cards, leader, taker } = tricks[last];
  const order = cards.map((_, n) => (leader + n) % cards.length);
  return { table: order.map((seat) => [seat, cards[seat] ?? ""]), taker, trick: last };
}
