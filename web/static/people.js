// Who sits at a table, and what has happened there.

import { $, all, el, sentence } from "./cards.js";
import { _, parts } from "./texts.js";

let logged = { hand: -1, lines: 0 };

/** The current name of a seat; the record of the hand may have an earlier one.
 * @type {(seat: Seat | null) => Partial<Player>} */
export function currentName(seat) {
  return seat ? { name: seat.name, whole_name: seat.name, kind: seat.kind === "computer" ? seat.player : "" } : {};
}

/** @type {(seats: (Seat | null)[]) => string[][]} */
export function notes(seats) {
  return seats.map((seat) => {
    if (!seat || seat.kind === "computer") return [];
    if (seat.played_by_computer) return [_("the computer plays")];
    return seat.connected ? [] : [_("not here")];
  });
}

/** @type {(view: View, seat: number) => HTMLElement} */
export function playerName(view, seat) {
  return el("bdi", {}, view.hand.seats[seat]?.name ?? _("Seat %(number)s", { number: seat }));
}

/** @type {(view: View) => void} */
export function showSeats(view) {
  const away = view.seats.flatMap((seat, number) => (seat?.played_by_computer ? [number] : []));
  const amAway = view.seat !== null && away.includes(view.seat);
  const others = away.filter((seat) => seat !== view.seat);
  const players = others.flatMap((seat, n) => [n ? ", " : "", playerName(view, seat)]);
  const onOthers = others.length ? parts(_("The computer plays for %(players)s."), { players }) : [];
  $("away").replaceChildren(...(amAway ? [_("The computer plays for you."), " "] : []), ...onOthers);
  $("away").hidden = !away.length;
  $("back").hidden = !amAway;
  $("leave").hidden = amAway || view.seat === null;
  for (const item of all($("people"), "[data-seat]")) {
    const seat = view.seats[Number(item.dataset.seat)];
    all(item, ".name")[0].textContent = seat?.name ?? "";
    all(item, ".state")[0].textContent = notes([seat]).flat().join("");
  }
}

/** @type {(view: View) => void} */
export function showLog(view) {
  const lines = view.log.map((line) => (typeof line === "string" ? [line] : line));
  const last = lines.at(-1);
  const text = last ? sentence(last, view.hand.seats) : [];
  $("says").replaceChildren(...text);
  if (logged.hand !== view.hand_no || logged.lines > lines.length) {
    logged = { hand: view.hand_no, lines: 0 };
    $("log").replaceChildren();
  }
  if (logged.lines === lines.length) return;
  const newest = lines.slice(logged.lines);
  const items = newest.map((line) => el("li", {}, ...sentence(line, view.hand.seats)));
  if (!logged.lines) $("heard").replaceChildren();
  $("heard").append(...newest.map((line) => el("p", {}, ...sentence(line, view.hand.seats))));
  logged.lines = lines.length;
  $("log").append(...items);
  requestAnimationFrame(() => ($("log").scrollTop = $("log").scrollHeight)); // avoids an extra layout
  $("hand-no").textContent = _("hand %(number)s", { number: view.hand_no + 1 });
}
