// A table to play at: shows the views that the server sends, one event after the other, and sends the player's choices.

import { hinted, mustPlay } from "./advice.js";
import { pace, setCopying, setPace } from "./around.js";
import { $, all, around, el, result, split } from "./cards.js";
import { choiceGroups, isSet, question } from "./choices.js";
import { costliest, listCostly, verdict } from "./ending.js";
import { draw } from "./felt.js";
import { assignKeys, focusKey, keepFocus, moveFocus, restoreFocus } from "./focus.js";
import { lay, remember, reveal } from "./motion.js";
import { currentName, notes, playerName, showLog, showSeats } from "./people.js";
import { lastTrick, showSheet } from "./sheet.js";
import { setSounds, sound } from "./sounds.js";
import { connect } from "./socket.js";
import { _, ngettext, parts } from "./texts.js";

const UNPACED = ["deal", "score"]; // kinds of events that are shown together with the next one
const WHOLE_TRICK = 1.8; // the last card of a trick is shown this many times as long
const MOST_WAITING = 80; // views; if more are waiting, only the newest is shown
const LAST_SECONDS = 15;
/** @type {{ table: Table }} */
const { table } = JSON.parse($("table-data").textContent);
/** @type {View[]} */
const waiting = []; // views that have not been shown yet
/** @type {View | null} */
let shown = null; // the view on the table
let shownAt = 0;
let timer = 0;
let connected = false;
let sent = false; // whether a choice was sent and not answered yet
let chosen = new Set(); // indices of cards to exchange
let laidOut = ""; // the state for which the choices on the page were laid out
/** @type {Hint | null} */
let advice = null; // the adviser's advice, with the version it is for
let looksBack = false; // whether the last trick is shown
/** @type {Review | null} */
let review = null; // the costliest cards of a finished hand

/** @type {Record<Message["type"], (message: any) => void>} */
const HANDLERS = { hint: advised, review: reviewed, why: (message) => tell(message.text), refused: (message) => refused(message.text), view: queue };
const send = connect(`/play/${table.id}/socket`, {
  message: (/** @type {Message} */ message) => HANDLERS[message.type](message),
  lost: (text) => {
    connected = false;
    sent = false;
    tell(text);
    if (shown) show(shown);
  },
});

// ---------------------------------------------------------------- the queue of views

/** @type {(view: View) => void} */
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

/** Show the next view when it is due, and set a timer for the one after it.
 * @type {(pause?: number) => void} */
function next(pause = pauseAfter(shown)) {
  const rest = shownAt + pause - performance.now();
  if (rest > 0) {
    timer = setTimeout(next, rest);
    return;
  }
  let [view] = waiting.splice(0, 1);
  while (waiting.length && (pace() === 0 || UNPACED.includes(view.step.kind))) [view] = waiting.splice(0, 1);
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
  else if (forced(view)) timer = setTimeout(() => playForced(view), pauseAfter(view));
}

/** The card that is the only choice, if it is to play itself.
 * @type {(view: View) => Action | null} */
function forced(view) {
  const [only, ...others] = $("forced").checked && open() ? (view.choice?.actions ?? []) : [];
  return only?.card && !others.length ? only : null;
}

/** @type {(view: View) => void} */
function playForced(view) {
  const card = forced(view);
  if (card && position(view) === position(shown)) act(card.action);
}

/** Move the cards that were played or taken since the previous view, and play sounds.
 * @type {(previous: View | null, view: View, before: Positions) => void} */
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

/** @type {(view?: View | null) => string} */
function position(view) {
  return view ? `${view.hand_no}/${view.version}` : "";
}

/** @type {(view: View | null) => number} */
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

/** @type {(view: View) => void} */
function show(view) {
  const before = focusKey();
  shown = view;
  const actions = (open() && view.choice?.actions) || [];
  const cards = new Map(actions.filter((action) => action.card).map((action) => [action.card, action.action]));
  const exchanges = actions.some(isSet);
  /** @type {Sight["pick"]} */
  const pick = (card, index) => {
    if (exchanges && index !== undefined) return { "data-index": index, "aria-pressed": String(chosen.has(index)) };
    if (cards.has(card)) return { "data-action": cards.get(card), "data-hint": hintFor(view)?.card === card };
    return cards.size && index !== undefined && card !== "??" ? { "data-why": card } : null;
  };
  $("felt").dataset.shape = view.hand.shape;
  $("felt").dataset.seats = String(view.hand.seats.length);
  const back = looksBack ? lastTrick(view) : null;
  $("last-trick").hidden = !lastTrick(view) || Boolean(view.over);
  $("last-trick").setAttribute("aria-expanded", String(looksBack));
  draw($("felt"), view.hand, { ...view.step, ...back, options: null }, { seat: view.seat ?? 0, hide: false, notes: notes(view.seats), pick: open() ? pick : null });
  showLog(view);
  showTurn(view);
  showChoices(view, exchanges);
  showAdvice(view);
  restoreFocus(before);
  tick();
}

/** Lay out the choices, unless they are there already: a number may be half entered, or a button half pressed.
 * @type {(view: View, exchanges: boolean) => void} */
function showChoices(view, exchanges) {
  const state = JSON.stringify([position(view), open(), view.over && { ...view.over, hand_id: null }, [...chosen]]);
  if (state === laidOut) {
    addLink(view);
    return;
  }
  laidOut = state;
  const { over, choice } = view;
  const groups = over ? afterHand({ ...view, over }) : choice && open() ? choices({ ...view, choice }, exchanges) : [];
  $("choices").replaceChildren(...groups);
  addLink(view);
  assignKeys();
}

/** Whether the player may choose now: no newer view is waiting, and the server is connected. */
function open() {
  return Boolean(shown?.choice) && !waiting.length && connected && !sent;
}

/** @type {(view: View) => void} */
function showTurn(view) {
  const isMyTurn = view.choice && connected && !waiting.length;
  const { over, choice, step } = view;
  /** @type {(Node | string)[]} */
  let line = [];
  if (over) line = [el("strong", {}, ...verdict({ ...view, over })), el("span", {}, ...(over.result.length ? result(over, view.hand.seats) : [_("The hand is over.")]))];
  else if (choice && isMyTurn) line = [el("strong", {}, _("Your turn")), ": ", question(choice.actions, step) || el("span", { lang: "en" }, choice.text)];
  else if (step.turn !== null) line = parts(_("It is the turn of %(player)s."), { player: playerName(view, step.turn) });
  const text = line.map((part) => (part instanceof Node ? part.textContent : part)).join("");
  if ($("turn").textContent !== text) $("turn").replaceChildren(...line);
  $("turn").classList.toggle("mine", Boolean(isMyTurn));
  const title = isMyTurn ? _("Your turn") : view.over ? _("The hand is over") : table.title;
  document.title = `${title} · cardlog`;
}

/** @type {(...said: (Node | string)[]) => void} */
function tell(...said) {
  $("notice").replaceChildren(...said);
  $("notice").hidden = !$("notice").textContent;
}

function tick() {
  const left = Math.ceil(((shown?.until ?? 0) - performance.now()) / 1000);
  const isNear = open() && shown?.until && left <= LAST_SECONDS;
  $("clock").hidden = !isNear;
  if (isNear) $("clock").textContent = left > 0 ? _("%(n)s s, then the computer plays for you", { n: left }) : _("The computer plays for you.");
}

setInterval(tick, 500);

// ---------------------------------------------------------------- choosing

/** @type {(view: Mine, exchanges: boolean) => HTMLElement[]} */
function choices(view, exchanges) {
  const groups = choiceGroups(view.choice.actions, view.step, act);
  return exchanges ? [exchange(view), ...groups] : groups;
}

/** The button that exchanges the chosen cards; disabled if these may not be exchanged.
 * @type {(view: Mine) => HTMLElement} */
function exchange(view) {
  const held = split(view.step.hands[view.seat ?? -1] ?? "");
  const key = (/** @type {string[]} */ cards) => [...cards].sort().join("");
  const chosenKey = key([...chosen].map((index) => held[index]));
  const action = view.choice.actions.find((candidate) => isSet(candidate) && key(split(candidate.cards ?? "")) === chosenKey);
  const text = chosen.size ? ngettext("Exchange %(n)s card", "Exchange %(n)s cards", chosen.size, {}) : _("Keep all cards");
  const button = el("button", { type: "button", class: "main", "data-action": action?.action, disabled: !action }, text);
  if (action) button.addEventListener("click", () => act(action.action));
  const problem = !action && chosen.size ? el("span", { class: "quiet" }, _("These may not be chosen together.")) : null;
  return el("div", { class: "group", role: "group", "aria-label": _("Cards") }, button, problem);
}

/** @type {Act} */
function act(action, amount) {
  if (!shown || !open()) return;
  tell("");
  const message = { type: "act", version: shown.version, hand_no: shown.hand_no, action };
  if (!send(amount === undefined ? message : { ...message, amount })) return;
  keepFocus();
  sent = true;
  show(shown);
}

/** @type {(text: string) => void} */
function refused(text) {
  tell(text);
  sent = false;
  if (shown) show(shown);
}

/** @type {(view: Finished) => HTMLElement[]} */
function afterHand(view) {
  /** @type {HTMLElement} */
  let next = el("button", { type: "button", class: "main", id: "next" }, table.start ? _("Play it again") : view.over.match_over ? _("Rematch") : _("Next hand"));
  next.addEventListener("click", () => send({ type: "next" }));
  if (table.start && table.start !== "again") next = el("a", { class: "button main", id: "next", href: `/daily?${new URLSearchParams({ game: table.game, day: table.start })}` }, _("Results of the day"));
  return [el("div", { class: "group", role: "group", "aria-label": _("After the hand") }, view.seat === null ? null : next, table.reviews ? costlyButton() : null)];
}

function costlyButton() {
  const button = el("button", { type: "button", id: "show-review" }, _("Costliest cards"));
  button.addEventListener("click", () => {
    $("review").show();
    const ready = shown && reviewOf(shown);
    if (ready) return reviewed(ready);
    $("costly").replaceChildren(el("li", {}, _("Thinking …")));
    $("curve").replaceChildren();
    send({ type: "review" });
  });
  return button;
}

/** @type {(view: View) => Review | null} */
function reviewOf(view) {
  return review?.hand_no === view.hand_no ? review : null;
}

/** @type {(message: Review) => void} */
function reviewed(message) {
  if (!shown?.over || shown.hand_no !== message.hand_no) return;
  review = message;
  listCostly(review, { ...shown, over: shown.over }, $("costly"), $("curve"), Boolean(table.host && shown.over.hand_id));
  show(shown);
}

/** Add a link to the finished hand, once it is recorded.
 * @type {(view: View) => void} */
function addLink(view) {
  const group = $("choices").firstElementChild;
  if (!group || !view.over?.hand_id || !table.host || group.querySelector("a[href^='/hand/']")) return;
  group.append(el("a", { class: "button", href: `/hand/${view.over.hand_id}` }, _("Look at the hand")));
}

$("felt").addEventListener("click", (event) => {
  const button = around(event, "[data-index], [data-action], [data-why]");
  if (!shown) return;
  if (button?.dataset.why) {
    const said = shown.choice && mustPlay(button.dataset.why, { ...shown, choice: shown.choice });
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

/** @type {(view: View) => Hint | null} */
function hintFor(view) {
  return advice && `${advice.hand_no}/${advice.version}` === position(view) ? advice : null;
}

/** @type {(message: Hint) => void} */
function advised(message) {
  advice = message;
  if (shown) show(shown);
}

/** @type {(view: View) => void} */
function showAdvice(view) {
  const { actions, undo } = (open() && view.choice) || { actions: [], undo: false };
  if ($("hint")) $("hint").hidden = actions.length < 2;
  if ($("undo")) $("undo").hidden = !undo;
  if ($("claim")) $("claim").hidden = !actions.some((action) => action.card);
  const hint = open() ? hintFor(view) : null;
  const ready = view.over && reviewOf(view);
  const worst = ready ? costliest(ready, view) : [];
  $("advice").hidden = !hint && !worst.length;
  if (hint) $("advice").replaceChildren(...hinted(hint, actions, table.adviser));
  else $("advice").replaceChildren(...worst);
}

/** Make a button send a request about the view that is shown; `meanwhile` is the text until the answer comes.
 * @type {(type: string, meanwhile: string) => void} */
function requests(type, meanwhile) {
  $(type)?.addEventListener("click", () => {
    if (!shown || !open()) return;
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
  if (shown) show(shown);
});

/** @type {Record<string, () => void>} */
const KEYS = { " ": hurry, ArrowLeft: () => moveFocus(-1), ArrowRight: () => moveFocus(1), ArrowUp: () => moveFocus(-1), ArrowDown: () => moveFocus(1), "?": () => $("keys").showModal() };

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || $("keys").open) return;
  if (around(event, "input, select, textarea")) return;
  if (event.key === " " && around(event, "button, a, summary")) return; // it presses them
  const choice = all($("choices"), "[data-key]").find((button) => button.dataset.key === event.key);
  const handler = KEYS[event.key] ?? (choice && (() => choice.click()));
  if (!handler) return;
  event.preventDefault();
  handler();
});
$("help").addEventListener("click", KEYS["?"]);

// ---------------------------------------------------------------- the page around the table

$("show-rules").addEventListener("click", () => $("rules").show());
$("menu").addEventListener("click", () => {
  const on = $("side").classList.toggle("open");
  $("menu").setAttribute("aria-expanded", String(on));
  $("log").scrollTop = $("log").scrollHeight;
});
setSounds($("sounds"));
setPace(hurry);
setCopying();
document.documentElement.dataset.ready = "1";
