// The choices of a player besides cards: bids, trump, bets. The server says what is legal; this only lays it out.

import { el, number, suitName, symbol } from "./cards.js";
import { _, parts } from "./texts.js";

const MOST_BUTTONS = 20; // if there are more bids, a number is entered instead
const QUICK_BIDS = 6;

/** The buttons of a choice, in groups. They call `act(action, amount)`, with an amount only if it can be chosen.
 * @type {(actions: Action[], step: Step, act: Act) => HTMLElement[]} */
export function choiceGroups(actions, step, act) {
  const others = actions.filter((action) => action.card === null && !isSet(action));
  const ofKind = (/** @type {string} */ kind) => others.filter((action) => action.kind === kind);
  const [bids, trumps, raises] = [ofKind("bid"), ofKind("trump"), ofKind("raise")];
  const [folds, throwIns] = [ofKind("fold"), ofKind("throw_in")];
  const grouped = [bids, trumps, raises, folds, throwIns].flat();
  const single = [...others.filter((action) => !grouped.includes(action)), ...folds];
  return [
    single.length ? group("", single.map((action) => button(action, act))) : null,
    ...(bids.length > MOST_BUTTONS ? manyBids(bids, step, act) : bidRows(bids, act)),
    trumps.length ? group(_("Trump"), trumps.map((action) => suitButton(action, act))) : null,
    ...raiseGroups(raises, ofKind("call")[0]?.amount ?? 0, step, act),
    ...throwIns.map((action) => group("", [button(action, act)])),
  ].filter((one) => one !== null);
}

/** Whether an action is one on a set of cards, which may be empty.
 * @type {(action: Action) => boolean} */
export function isSet(action) {
  return action.cards !== null && action.cards !== undefined;
}

/** What a player has to choose, in a few words.
 * @type {(actions: Action[], step: Step) => string} */
export function question(actions, step) {
  const kinds = new Set(actions.map((action) => action.kind));
  const call = actions.find((action) => action.kind === "call");
  if (kinds.has("discard")) return _("choose the cards to exchange");
  if (kinds.has("card")) return actions.length === 1 ? _("only one card may be played") : _("play a card");
  if (kinds.has("bid")) return _("bid or pass");
  if (kinds.has("trump")) return kinds.has("pass") ? _("name trump or pass") : _("name trump");
  if (call) return _("%(n)s to call", { n: number(call.amount ?? 0) });
  if (kinds.has("check")) return _("check or bet");
  return step.options ?? "";
}

/** @type {(action: Action) => string} */
function label(action) {
  return action.text.charAt(0).toUpperCase() + action.text.slice(1);
}

/** @type {(title: string, children: Node[]) => HTMLElement} */
function group(title, children) {
  const name = title ? el("span", { class: "group-name" }, title) : null;
  return el("div", { class: "group", role: "group", "aria-label": title || _("Choices") }, name, ...children);
}

/** @type {(action: Action, act: Act, content?: Node | string, ariaLabel?: string | null) => HTMLElement} */
function button(action, act, content = label(action), ariaLabel = null) {
  const element = el("button", { type: "button", "data-action": action.action, "aria-label": ariaLabel }, content);
  element.addEventListener("click", () => act(action.action));
  return element;
}

/** @type {(action: Action, act: Act) => HTMLElement} */
function suitButton(action, act) {
  const red = action.suit === "D" || action.suit === "H";
  const content = el("span", { class: red ? "suit red" : "suit" }, symbol(action.suit ?? ""));
  const element = button(action, act, content, suitName(action.suit ?? ""));
  element.classList.add("wide");
  return element;
}

// ---------------------------------------------------------------- bids

/** @type {(bids: Action[], act: Act) => (HTMLElement | null)[]} */
function bidRows(bids, act) {
  const row = (/** @type {string} */ title, /** @type {Action[]} */ actions) =>
    actions.length ? group(title, actions.map((action) => button(action, act, String(action.amount), action.text))) : null;
  const withTrump = bids.filter((action) => action.suit !== "N");
  const noTrump = bids.filter((action) => action.suit === "N");
  return [row(_("Bid"), withTrump), row(_("No trump"), noTrump)];
}

/** The lowest bids above the highest so far as buttons, and any bid as a number.
 * @type {(bids: Action[], step: Step, act: Act) => HTMLElement[]} */
function manyBids(bids, step, act) {
  const quick = bids.filter((action) => (action.amount ?? 0) > (step.high ?? 0)).slice(0, QUICK_BIDS);
  const least = (quick[0] ?? bids[0]).amount ?? 0;
  return [
    group(_("Bid"), quick.map((action) => button(action, act, String(action.amount), action.text))),
    amountForm({ title: _("Another bid"), verb: () => _("Bid"), actions: bids, value: least + quick.length }, act),
  ];
}

// ---------------------------------------------------------------- chips

/** @type {(raises: Action[], owed: number, step: Step, act: Act) => HTMLElement[]} */
function raiseGroups(raises, owed, step, act) {
  if (!raises.length) return [];
  const title = owed ? _("Raise, paying") : _("Bet, paying");
  if (!raises.some(isRange)) {
    return [group(title, raises.map((action) => button(action, act, number(action.amount ?? 0), action.text)))];
  }
  const pot = (step.pot ?? 0) + owed;
  const [least, most] = range(raises);
  /** @type {[string, number][]} */
  const presets = [
    [_("least"), least],
    [_("half the pot"), owed + Math.ceil(pot / 2)],
    [_("the pot"), owed + pot],
    [_("all in"), most],
  ];
  const offered = presets.filter(([, chips], n, all) => chips >= least && chips <= most && (n === 3 || chips < most) && (!n || chips > all[n - 1][1]));
  const bet = owed ? _("Raise, paying %(n)s") : _("Bet, paying %(n)s");
  const verb = (/** @type {number} */ chips) => parts(chips === most ? _("All in, %(n)s") : bet, { n: number(chips) }).join("");
  return [amountForm({ title, verb, actions: raises, value: least, presets: offered, slider: true }, act)];
}

/** @type {(action: Action) => boolean} */
function isRange(action) {
  const [least, most] = range([action]);
  return most > least;
}

/** @type {(actions: Action[]) => [number, number]} */
function range(actions) {
  const lows = actions.map((action) => action.least ?? action.amount ?? 0);
  const highs = actions.map((action) => action.most ?? action.amount ?? 0);
  return [Math.min(...lows), Math.max(...highs)];
}

/** A number to choose: a field, sometimes a slider and presets, and the button that acts.
 * @type {(form: { title: string; verb: (chips: number) => string; actions: Action[]; value: number; presets?: [string, number][]; slider?: boolean }, act: Act) => HTMLElement} */
function amountForm({ title, verb, actions, value, presets = [], slider = false }, act) {
  const [min, max] = range(actions);
  const attributes = { min, max, step: 1, value: Math.min(max, Math.max(min, value)) };
  const field = el("input", { type: "number", inputmode: "numeric", required: true, "aria-label": title, ...attributes });
  const slide = slider && max > min ? el("input", { type: "range", "aria-label": _("%(title)s, slider", { title }), ...attributes }) : null;
  const send = el("button", { class: "main" });
  const show = () => send.replaceChildren(verb(Number(field.value)));
  const set = (/** @type {number | string} */ chips) => {
    field.value = String(chips);
    if (slide) slide.value = String(chips);
    show();
  };
  const presetButtons = presets.map(([name, chips]) => {
    const element = el("button", { type: "button", title: number(chips) }, name);
    element.addEventListener("click", () => set(chips));
    return element;
  });
  field.addEventListener("input", () => {
    if (slide) slide.value = field.value;
    show();
  });
  slide?.addEventListener("input", () => set(slide.value));
  show();
  const name = el("span", { class: "group-name" }, title);
  const form = el("form", { class: "group amount", "aria-label": title }, name, ...presetButtons, slide, field, send);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const amount = Number(field.value);
    const chosen = actions.findLast((action) => amount >= range([action])[0]);
    if (chosen) act(chosen.action, isRange(chosen) ? amount : undefined);
  });
  return form;
}
