// One hand, step by step: keys, buttons, swipes, and the address, which keeps what is shown.

import { $, all, around, el, inline, result, sentence } from "./cards.js";
import { draw } from "./felt.js";
import { _, parts } from "./texts.js";

const PLAY_MILLISECONDS = 900;
const ADDRESS_MILLISECONDS = 200; // browsers refuse more than about a hundred changes of the address in 30 s
const SWIPE_PIXELS = 40;

/** @type {WholeHand} */
const hand = JSON.parse($("hand-data").textContent);
const last = hand.steps.length - 1;
const parameters = new URLSearchParams(location.search);
const view = {
  step: number(parameters.get("step"), 0, last, firstDecision()),
  seat: number(parameters.get("seat"), 0, hand.seats.length - 1, firstSeat()),
  hide: parameters.get("hide") === "1",
};
const PLAY = $("play").textContent;
let timer = 0;
let addressTimer = 0;

/** @type {(text: string | null, low: number, high: number, otherwise: number) => number} */
function number(text, low, high, otherwise) {
  const value = Number.parseInt(text ?? "", 10);
  return Number.isNaN(value) ? otherwise : Math.min(high, Math.max(low, value));
}

function firstSeat() {
  return Math.max(0, hand.seats.findIndex((player) => player !== null));
}

function firstDecision() {
  return Math.max(0, hand.steps.findIndex((step) => step.turn !== null));
}

// ---------------------------------------------------------------- showing

function show() {
  const step = hand.steps[view.step];
  draw($("felt"), hand, step, view);
  $("says").replaceChildren(...sentence(step.text, hand.seats));
  const price = hand.costs?.events[view.step];
  if (price?.cost) $("says").append(el("span", { class: "price" }, ...sentence(price.text, hand.seats)));
  if (view.step === last && hand.complete) $("says").append(el("strong", { class: "result" }, ...result(hand)));
  if (view.step === last && !hand.complete) $("says").append(el("strong", { class: "result" }, _("The record of this hand ends here.")));
  $("slide").value = String(view.step);
  $("slide").setAttribute("aria-valuetext", _("event %(number)s of %(count)s", { number: view.step + 1, count: last + 1 }));
  $("count").value = `${view.step + 1} / ${last + 1}`;
  $("hide").setAttribute("aria-pressed", String(view.hide));
  for (const button of all($("seats"), "button")) button.setAttribute("aria-pressed", String(Number(button.dataset.seat) === view.seat));
  mark($("events"), view.step);
  markTrick(step);
  clearTimeout(addressTimer);
  addressTimer = setTimeout(writeAddress, ADDRESS_MILLISECONDS);
}

/** Mark an event, and scroll only the list to it.
 * @type {(list: HTMLElement, index: number) => void} */
function mark(list, index) {
  list.querySelector("[aria-current]")?.removeAttribute("aria-current");
  const item = /** @type {HTMLElement} */ (list.children[index]);
  item.setAttribute("aria-current", "step");
  const above = item.offsetTop - list.offsetTop;
  if (above < list.scrollTop || above + item.offsetHeight > list.scrollTop + list.clientHeight) {
    list.scrollTop = above - list.clientHeight / 2;
  }
}

/** @type {(step: Step) => void} */
function markTrick(step) {
  const rows = $("tricks").querySelectorAll("tbody tr");
  rows.forEach((row, index) => {
    row.classList.toggle("current", index === step.trick);
    row.classList.toggle("later", index > (step.trick ?? -1));
  });
}

function writeAddress() {
  if (hand.shared) return; // the address of a file stays
  const query = new URLSearchParams({ step: String(view.step), seat: String(view.seat) });
  if (view.hide) query.set("hide", "1");
  history.replaceState(null, "", `${location.pathname}?${query}`);
}

// ---------------------------------------------------------------- moving

/** @type {(step: number) => void} */
function go(step) {
  view.step = Math.min(last, Math.max(0, step));
  show();
}

/** Go to the next or previous stop: the end of a trick, the beginning of a lap or round.
 * @type {(direction: number) => void} */
function leap(direction) {
  let step = view.step + direction;
  while (step > 0 && step < last && !hand.steps[step].stop) step += direction;
  go(step);
}

/** @type {(seat: number) => void} */
function turnTo(seat) {
  if (hand.seats[seat]) {
    view.seat = seat;
    show();
  }
}

/** @type {(on?: boolean) => void} */
function play(on = !timer) {
  clearInterval(timer);
  timer = 0;
  if (on) {
    if (view.step === last) go(0);
    timer = setInterval(() => (view.step === last ? play(false) : go(view.step + 1)), PLAY_MILLISECONDS);
  }
  $("play").setAttribute("aria-pressed", String(Boolean(timer)));
  $("play").textContent = timer ? _("Pause") : PLAY;
}

function hide() {
  view.hide = !view.hide;
  show();
}

/** @type {(step: number) => void} */
function by(step) {
  play(false);
  go(step);
}

/** @type {Record<string, () => void>} */
const KEYS = {
  ArrowLeft: () => by(view.step - 1),
  ArrowRight: () => by(view.step + 1),
  ArrowUp: () => leap(-1),
  ArrowDown: () => leap(1),
  Home: () => by(0),
  End: () => by(last),
  " ": () => play(),
  h: hide,
  "?": () => $("keys").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  if (event.key === " " && around(event, "button, a")) return; // it presses them
  const act = KEYS[event.key] ?? (/^[1-6]$/.test(event.key) ? () => turnTo(Number(event.key) - 1) : null);
  if (!act) return;
  event.preventDefault();
  act();
});

for (const button of all(document, "[data-key]")) button.addEventListener("click", KEYS[button.dataset.key ?? ""]);
$("slide").addEventListener("input", () => by(Number($("slide").value)));

$("again")?.addEventListener("submit", () => {
  const fields = $("again").elements;
  [fields.step.value, fields.seat.value] = [view.step + 1, view.seat];
  try {
    fields.name.value = localStorage.playerName ?? "";
  } catch {} // the browser keeps no data
});

/** @type {{ x: number; y: number } | null} */
let from = null;
$("felt").addEventListener("pointerdown", (event) => {
  from = { x: event.clientX, y: event.clientY };
});
$("felt").addEventListener("pointerup", (event) => {
  if (!from) return;
  const [right, down] = [event.clientX - from.x, event.clientY - from.y];
  from = null;
  if (Math.abs(right) > SWIPE_PIXELS && Math.abs(right) > 2 * Math.abs(down)) by(view.step + (right < 0 ? 1 : -1));
  else if (Math.hypot(right, down) < 5 && event.pointerType === "mouse") by(view.step + 1);
});

// ---------------------------------------------------------------- lists

function listEvents() {
  const items = hand.steps.map((step, index) => {
    const button = el("button", { type: "button", class: "event" }, ...sentence(step.text, hand.seats));
    button.addEventListener("click", () => by(index));
    const cost = hand.costs?.events[index]?.cost;
    const price = cost ? el("span", { class: "cost", title: _("What the card cost, with all cards seen") }, _("cost %(points)s", { points: Number(cost.toFixed(1)) })) : null;
    const line = hand.shared ? null : el("a", { href: `/hand/${hand.id}/log?line=${step.line}#line-${step.line}`, class: "line-link" }, _("line %(number)s", { number: step.line }));
    return el("li", { class: `of-${step.kind}` }, button, ...[price, line].filter(Boolean));
  });
  $("events").replaceChildren(...items);
}

/** The costliest cards, each with what would have been better. */
function listWorst() {
  const { costs } = hand;
  if (!costs) return;
  const items = costs.worst.map((index) => {
    const step = hand.steps[index];
    const text = parts(step.trick === undefined ? _("%(event)s.") : _("%(event)s in trick %(number)s."), { event: step.text, number: String((step.trick ?? 0) + 1) });
    text.push(" ", ...costs.events[index].text);
    const button = el("button", { type: "button", class: "event" }, ...sentence(text, hand.seats));
    button.addEventListener("click", () => by(Math.max(0, index - 1)));
    return el("li", {}, button);
  });
  if (!items.length) items.push(el("li", {}, _("No card cost anything.")));
  $("worst").replaceChildren(...items);
}

function listTricks() {
  if (!hand.tricks?.length) return;
  const names = hand.seats.map((player) => el("th", { scope: "col" }, el("bdi", {}, player?.name ?? "")));
  const rows = hand.tricks.map((trick, index) => {
    const button = el("button", { type: "button", title: _("To trick %(number)s", { number: index + 1 }) }, String(index + 1));
    const end = hand.steps.findLastIndex((step) => step.kind === "play" && step.trick === index);
    button.addEventListener("click", () => by(end));
    const cells = trick.cards.map((card, seat) =>
      el(
        "td",
        { class: `${seat === trick.taker ? "took" : ""}${seat === trick.leader ? " led" : ""}` },
        card ? inline(card) : "",
        seat === trick.leader ? el("span", { class: "sr" }, ", ", _("led")) : null,
        seat === trick.taker ? el("span", { class: "sr" }, ", ", _("took it")) : null,
      ),
    );
    return el("tr", {}, el("th", { scope: "row" }, button), ...cells, el("td", { class: "number" }, trick.points === null ? "" : String(trick.points)));
  });
  const head = el("tr", {}, el("th", { scope: "col" }, el("span", { class: "sr" }, _("trick"))), ...names, el("th", { scope: "col", class: "number" }, _("points")));
  const table = el("table", { class: "tricks" }, el("thead", {}, head), el("tbody", {}, ...rows));
  all($("tricks"), ".scroll")[0].replaceChildren(table);
  $("tricks").hidden = false;
}

function listSeats() {
  const buttons = hand.seats.map((player, seat) => {
    if (player === null) return null;
    const button = el("button", { type: "button", "data-seat": seat, title: _("Turn the table (%(key)s)", { key: seat + 1 }) }, el("bdi", {}, player.name));
    button.addEventListener("click", () => turnTo(seat));
    return button;
  });
  $("seats").replaceChildren(...buttons.filter((button) => button !== null));
}

listEvents();
listTricks();
listSeats();
listWorst();
show();
document.documentElement.dataset.ready = "1";
