// A table to play at: shows the views that the server sends, one event after the other, and sends the player's choices.

import { el, result, sentence, split } from "./cards.js";
import { hinted, mustPlay } from "./advice.js";
import { choiceGroups, isSet, question } from "./choices.js";
import { costliest, listCostly, verdict } from "./ending.js";
import { draw } from "./felt.js";
import { lay, remember, reveal } from "./motion.js";
import { lastTrick, showSheet } from "./sheet.js";
import { setSounds, sound } from "./sounds.js";
import { connect } from "./socket.js";
import { _, ngettext, parts } from "./texts.js";

const PACES = { slow: 1500, normal: 700, "at once": 0 };
const UNPACED = ["deal", "score"]; // kinds of events that are shown together with the next one
const WHOLE_TRICK = 1.8; // the last card of a trick is shown this many times as long
const MOST_WAITING = 80; // views; if more are waiting, only the newest is shown
const LAST_SECONDS = 15;
const HINTS = "1234567890abcdefghijklmnopqrstuvwxyz"; // keys of the choices, in order

const $ = (id) => document.getElementById(id);
const { table } = JSON.parse($("table-data").textContent);
const waiting = []; // views that have not been shown yet
let shown = null; // the view on the table
let shownAt = 0;
let timer = 0;
let connected = false;
let sent = false; // whether a choice was sent and not answered yet
let chosen = new Set(); // indices of cards to exchange
let laidOut = ""; // the state for which the choices on the page were laid out
let logged = { hand: null, lines: 0 };
let hadFocus = false;
let advice = null; // the adviser's advice, with the version it is for
let looksBack = false; // whether the last trick is shown
let review = null; // the costliest cards of a finished hand

const HANDLERS = { hint: advised, review: reviewed, why: (message) => tell(message.text), refused: (message) => refused(message.text), view: queue };
const send = connect(`/play/${table.id}/socket`, {
  message: (message) => HANDLERS[message.type](message),
  lost: (text) => {
    connected = false;
    sent = false;
    tell(text);
    if (shown) show(shown);
  },
});

// ---------------------------------------------------------------- the queue of views

function queue(view) {
  view.hand.seats = view.hand.seats.map((player, seat) => player && { ...player, ...currentName(view.seats[seat]) });
  const returned = !connected;
  connected = true;
  if (returned) tell("");
  view.until = view.choice?.seconds ? performance.now() + 1000 * view.choice.seconds : 0;
  showSeats(view);
  if (view.sheet) showSheet($("score"), view, table.host);
  if (!waiting.length && position(view) === position(shown)) {
    show(view); // the same event: someone joined or left
    return;
  }
  if (returned || document.hidden || waiting.length > MOST_WAITING) waiting.length = 0;
  if (position(view) === position(waiting.at(-1))) waiting.pop();
  waiting.push(view);
  clearTimeout(timer);
  next(returned ? 0 : undefined);
}

/** Show the next view when it is due, and set a timer for the one after it. */
function next(pause = pauseAfter(shown)) {
  const rest = shownAt + pause - performance.now();
  if (rest > 0) {
    timer = setTimeout(next, rest);
    return;
  }
  let view = waiting.shift();
  while (waiting.length && (pace() === 0 || UNPACED.includes(view.step.kind))) view = waiting.shift();
  const isNew = position(view) !== position(shown);
  const before = isNew ? remember($("felt")) : null;
  const previous = shown;
  if (isNew) {
    sent = false;
    chosen = new Set();
    advice = null;
    looksBack = false;
    tell("");
  }
  show(view);
  if (before) animate(previous, view, before);
  shownAt = performance.now();
  if (waiting.length) timer = setTimeout(next, pauseAfter(view));
  else if (isNew && view.over && table.reviews && view.seat !== null) send({ type: "review" });
  else if (isForced(view)) timer = setTimeout(() => isForced(view) && position(view) === position(shown) && act(view.choice.actions[0].action), pauseAfter(view));
}

/** Whether the only choice is a card, which is to play itself. */
function isForced(view) {
  return $("forced").checked && open() && view.choice.actions.length === 1 && view.choice.actions[0].card !== null;
}

/** Move the cards that were played or taken since the previous view, and play sounds. */
function animate(previous, view, before) {
  const milliseconds = pace();
  const { kind } = view.step;
  const isMyTurn = view.choice && !waiting.length;
  if (milliseconds) {
    if (previous && previous.hand_no !== view.hand_no) lay($("felt"), milliseconds);
    reveal($("felt"), before, view, milliseconds);
    if (kind === "play" || kind === "deal") sound(Number.isInteger(view.step.taker) ? "trick" : "card");
  }
  if (view.over) sound("end");
  else if (isMyTurn && !previous?.choice) sound("turn");
}

/** The current name of a seat; the record of the hand may have an earlier one. */
function currentName(seat) {
  return seat ? { name: seat.name, whole_name: seat.name, kind: seat.kind === "computer" ? seat.player : "" } : {};
}

function position(view) {
  return view ? `${view.hand_no}/${view.version}` : "";
}

function pace() {
  return PACES[$("pace").value] ?? PACES.normal;
}

function pauseAfter(view) {
  if (!view || UNPACED.includes(view.step.kind)) return 0;
  return pace() * (Number.isInteger(view.step.taker) ? WHOLE_TRICK : 1);
}

function hurry() {
  if (!waiting.length) return;
  clearTimeout(timer);
  waiting.splice(0, waiting.length - 1);
  next(0);
}

// ---------------------------------------------------------------- showing

function show(view) {
  const before = focusKey();
  shown = view;
  const actions = open() ? view.choice.actions : [];
  const cards = new Map(actions.filter((action) => action.card).map((action) => [action.card, action.action]));
  const exchanges = actions.some(isSet);
  const pick = (card, index) => {
    if (exchanges && index !== undefined) return { "data-index": index, "aria-pressed": String(chosen.has(index)) };
    if (cards.has(card)) return { "data-action": cards.get(card), "data-hint": hintFor(view)?.card === card };
    return cards.size && index !== undefined && card !== "??" ? { "data-why": card } : null;
  };
  $("felt").dataset.shape = view.hand.shape;
  $("felt").dataset.seats = view.hand.seats.length;
  const back = looksBack ? lastTrick(view) : null;
  $("last-trick").hidden = !lastTrick(view) || Boolean(view.over);
  $("last-trick").setAttribute("aria-expanded", looksBack);
  draw($("felt"), view.hand, { ...view.step, ...back, options: null }, { seat: view.seat ?? 0, hide: false, notes: notes(view), pick: open() ? pick : null });
  showLog(view);
  showTurn(view);
  showChoices(view, exchanges);
  showAdvice(view);
  restoreFocus(before);
  tick();
}

/** Lay out the choices, unless they are there already: a number may be half entered, or a button half pressed. */
function showChoices(view, exchanges) {
  const state = JSON.stringify([position(view), open(), view.over && { ...view.over, hand_id: null }, [...chosen]]);
  if (state === laidOut) {
    addLink(view);
    return;
  }
  laidOut = state;
  const groups = view.over ? over(view) : open() ? choices(view, exchanges) : [];
  $("choices").replaceChildren(...groups);
  addLink(view);
  assignKeys();
}

/** Whether the player may choose now: no newer view is waiting, and the server is connected. */
function open() {
  return Boolean(shown?.choice) && !waiting.length && connected && !sent;
}

function notes(view) {
  return view.seats.map((seat) => {
    if (!seat || seat.kind === "computer") return [];
    if (seat.played_by_computer) return [_("the computer plays")];
    return seat.connected ? [] : [_("not here")];
  });
}

function playerName(view, seat) {
  return el("bdi", {}, view.hand.seats[seat]?.name ?? _("Seat %(number)s", { number: seat }));
}

function showTurn(view) {
  const isMyTurn = view.choice && connected && !waiting.length;
  let line = [];
  if (view.over) line = [el("strong", {}, ...verdict(view)), el("span", {}, ...(view.over.result.length ? result(view.over, view.hand.seats) : [_("The hand is over.")]))];
  else if (isMyTurn) line = [el("strong", {}, _("Your turn")), ": ", question(view.choice.actions, view.step) || el("span", { lang: "en" }, view.choice.text)];
  else if (Number.isInteger(view.step.turn)) line = parts(_("It is the turn of %(player)s."), { player: playerName(view, view.step.turn) });
  const text = line.map((part) => part.textContent ?? part).join("");
  if ($("turn").textContent !== text) $("turn").replaceChildren(...line);
  $("turn").classList.toggle("mine", Boolean(isMyTurn));
  const title = isMyTurn ? _("Your turn") : view.over ? _("The hand is over") : table.title;
  document.title = `${title} · cardlog`;
}

function showSeats(view) {
  const away = view.seats.flatMap((seat, number) => (seat?.played_by_computer ? [number] : []));
  const amAway = view.seat !== null && away.includes(view.seat);
  const others = away.filter((seat) => seat !== view.seat);
  const players = others.flatMap((seat, n) => [n ? ", " : "", playerName(view, seat)]);
  const onOthers = others.length ? parts(_("The computer plays for %(players)s."), { players }) : [];
  $("away").replaceChildren(...(amAway ? [_("The computer plays for you."), " "] : []), ...onOthers);
  $("away").hidden = !away.length;
  $("back").hidden = !amAway;
  $("leave").hidden = amAway || view.seat === null;
  document.querySelectorAll("#people [data-seat]").forEach((item) => {
    const seat = view.seats[Number(item.dataset.seat)];
    item.querySelector(".name").textContent = seat?.name ?? "";
    item.querySelector(".state").textContent = notes({ seats: [seat] }).flat().join("");
  });
}

function showLog(view) {
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

function tell(...said) {
  $("notice").replaceChildren(...said);
  $("notice").hidden = !$("notice").textContent;
}

function tick() {
  const left = Math.ceil(((shown?.until ?? 0) - performance.now()) / 1000);
  const isNear = open() && shown.until && left <= LAST_SECONDS;
  $("clock").hidden = !isNear;
  if (isNear) $("clock").textContent = left > 0 ? _("%(n)s s, then the computer plays for you", { n: left }) : _("The computer plays for you.");
}

setInterval(tick, 500);

// ---------------------------------------------------------------- choosing

function choices(view, exchanges) {
  const groups = choiceGroups(view.choice.actions, view.step, act);
  return exchanges ? [exchange(view), ...groups] : groups;
}

/** The button that exchanges the chosen cards; disabled if these may not be exchanged. */
function exchange(view) {
  const held = split(view.step.hands[view.seat] ?? "");
  const key = (cards) => [...cards].sort().join("");
  const chosenKey = key([...chosen].map((index) => held[index]));
  const action = view.choice.actions.find((candidate) => isSet(candidate) && key(split(candidate.cards)) === chosenKey);
  const text = chosen.size ? ngettext("Exchange %(n)s card", "Exchange %(n)s cards", chosen.size, {}) : _("Keep all cards");
  const button = el("button", { type: "button", class: "main", "data-action": action?.action, disabled: !action }, text);
  if (action) button.addEventListener("click", () => act(action.action));
  const problem = !action && chosen.size ? el("span", { class: "quiet" }, _("These may not be chosen together.")) : null;
  return el("div", { class: "group", role: "group", "aria-label": _("Cards") }, button, problem);
}

function act(action, amount) {
  if (!open()) return;
  tell("");
  const message = { type: "act", version: shown.version, hand_no: shown.hand_no, action };
  if (!send(amount === undefined ? message : { ...message, amount })) return;
  hadFocus ||= hasFocus();
  sent = true;
  show(shown);
}

function refused(text) {
  tell(text);
  sent = false;
  if (shown) show(shown);
}

function over(view) {
  let next = el("button", { type: "button", class: "main", id: "next" }, table.start ? _("Play it again") : view.over.match_over ? _("Rematch") : _("Next hand"));
  next.addEventListener("click", () => send({ type: "next" }));
  if (table.start && table.start !== "again") next = el("a", { class: "button main", id: "next", href: `/daily?${new URLSearchParams({ game: table.game, day: table.start })}` }, _("Results of the day"));
  return [el("div", { class: "group", role: "group", "aria-label": _("After the hand") }, view.seat === null ? null : next, table.reviews ? costlyButton() : null)];
}

function costlyButton() {
  const button = el("button", { type: "button", id: "show-review" }, _("Costliest cards"));
  button.addEventListener("click", () => {
    $("review").show();
    if (reviewOf(shown)) return reviewed(review);
    $("costly").replaceChildren(el("li", {}, _("Thinking …")));
    $("curve").replaceChildren();
    send({ type: "review" });
  });
  return button;
}

function reviewOf(view) {
  return review?.hand_no === view.hand_no ? review : null;
}

function reviewed(message) {
  if (shown?.hand_no !== message.hand_no) return;
  review = message;
  listCostly(review, shown, $("costly"), $("curve"), Boolean(table.host && shown.over?.hand_id));
  show(shown);
}

/** Add a link to the finished hand, once it is recorded. */
function addLink(view) {
  const group = $("choices").firstElementChild;
  if (!view.over?.hand_id || !table.host || group.querySelector("a[href^='/hand/']")) return;
  group.append(el("a", { class: "button", href: `/hand/${view.over.hand_id}` }, _("Look at the hand")));
}

$("felt").addEventListener("click", (event) => {
  const button = event.target.closest("[data-index], [data-action], [data-why]");
  if (button?.dataset.why) {
    const said = mustPlay(button.dataset.why, shown);
    if (said) tell(...said);
    else send({ type: "why", card: button.dataset.why });
  } else if (!button) {
    hurry();
  } else if (button.dataset.index === undefined) {
    act(Number(button.dataset.action));
  } else {
    const index = Number(button.dataset.index);
    if (!chosen.delete(index)) chosen.add(index);
    show(shown);
  }
});
$("back").addEventListener("click", () => {
  send({ type: "back" });
  hurry();
});
$("leave").addEventListener("click", () => send({ type: "leave" }));
$("rename")?.addEventListener("submit", (event) => {
  event.preventDefault();
  send({ type: "name", name: $("rename").elements.name.value });
  $("rename").reset();
});

// ---------------------------------------------------------------- advice, and the last trick

function hintFor(view) {
  return advice && `${advice.hand_no}/${advice.version}` === position(view) ? advice : null;
}

function advised(message) {
  advice = message;
  if (shown) show(shown);
}

function showAdvice(view) {
  if ($("hint")) $("hint").hidden = !open() || view.choice.actions.length < 2;
  if ($("undo")) $("undo").hidden = !open() || !view.choice.undo;
  if ($("claim")) $("claim").hidden = !open() || !view.choice.actions.some((action) => action.card);
  const hint = open() ? hintFor(view) : null;
  const worst = view.over && reviewOf(view) ? costliest(review, view) : [];
  $("advice").hidden = !hint && !worst.length;
  if (hint) $("advice").replaceChildren(...hinted(hint, view.choice.actions, table.adviser));
  else $("advice").replaceChildren(...worst);
}

/** Make a button send a request about the view that is shown; `meanwhile` is the text until the answer comes. */
function requests(type, meanwhile) {
  $(type)?.addEventListener("click", () => {
    if (!open()) return;
    $("advice").hidden = !meanwhile;
    $("advice").replaceChildren(meanwhile);
    send({ type, version: shown.version, hand_no: shown.hand_no });
  });
}

requests("hint", _("Thinking …"));
requests("claim", _("Looking at all that the others can play …"));
requests("undo", "");
$("last-trick").addEventListener("click", () => {
  looksBack = !looksBack;
  show(shown);
});

// ---------------------------------------------------------------- keys and focus

function buttons() {
  return [...$("felt").querySelectorAll(".at-s .pick"), ...$("choices").querySelectorAll("button, a")].filter((button) => !button.disabled);
}

function hasFocus() {
  return $("stage").contains(document.activeElement);
}

/** A key of the focused element, to find it again after the table has been redrawn. */
function focusKey() {
  const focused = document.activeElement;
  if (hasFocus()) hadFocus = true;
  else if (focused !== document.body) hadFocus = false;
  return hasFocus() ? keyOf(focused) : null;
}

function keyOf(element) {
  return JSON.stringify([element.dataset.index, element.dataset.action, element.id]);
}

function restoreFocus(before) {
  if (!hadFocus || (hasFocus() && document.activeElement !== $("felt"))) return;
  const all = buttons();
  const same = before && all.find((button) => keyOf(button) === before);
  (same ?? all[0] ?? $("felt")).focus({ preventScroll: true });
}

function moveFocus(direction) {
  const all = buttons();
  const current = all.indexOf(document.activeElement);
  const index = current < 0 ? (direction > 0 ? 0 : all.length - 1) : (current + direction + all.length) % all.length;
  all[index]?.focus();
}

/** Assign keys to the buttons of the choices. */
function assignKeys() {
  [...$("choices").querySelectorAll("button:not([disabled])")].slice(0, HINTS.length).forEach((button, n) => {
    button.dataset.key = HINTS[n];
    button.setAttribute("aria-keyshortcuts", HINTS[n]);
  });
}

const KEYS = { " ": hurry, ArrowLeft: () => moveFocus(-1), ArrowRight: () => moveFocus(1), ArrowUp: () => moveFocus(-1), ArrowDown: () => moveFocus(1), "?": () => $("keys").showModal() };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  if (event.target.closest("input, select, textarea")) return;
  if (event.key === " " && event.target.closest("button, a, summary")) return; // it presses them
  const choice = [...$("choices").querySelectorAll("[data-key]")].find((button) => button.dataset.key === event.key);
  const handler = KEYS[event.key] ?? (choice && (() => choice.click()));
  if (!handler) return;
  event.preventDefault();
  handler();
});
$("help").addEventListener("click", KEYS["?"]);

// ---------------------------------------------------------------- the page around the table

function setPace() {
  try {
    if (localStorage.pace in PACES) $("pace").value = localStorage.pace;
    $("forced").checked = localStorage.forced === "yes";
  } catch {} // the browser keeps no data
  $("forced").addEventListener("change", () => {
    try {
      localStorage.forced = $("forced").checked ? "yes" : "no";
    } catch {}
  });
  $("pace").addEventListener("change", () => {
    try {
      localStorage.pace = $("pace").value;
    } catch {}
    hurry();
  });
}

function setCopying() {
  for (const button of document.querySelectorAll("[data-copy]")) {
    const field = $(button.dataset.copy);
    field.value = new URL(field.value, location.href).href;
    button.hidden = false;
    button.addEventListener("click", async () => {
      field.select();
      try {
        await navigator.clipboard.writeText(field.value);
      } catch {
        document.execCommand("copy"); // the clipboard needs a secure context, which other machines don't have
      }
      button.textContent = _("Copied");
    });
  }
}

$("show-rules").addEventListener("click", () => $("rules").show());
$("menu").addEventListener("click", () => {
  const on = $("side").classList.toggle("open");
  $("menu").setAttribute("aria-expanded", on);
  $("log").scrollTop = $("log").scrollHeight;
});
setSounds($("sounds"));
setPace();
setCopying();
document.documentElement.dataset.ready = "1";
