// What may be played and what would be good, in words.

import { el, sentence, signed, suitName } from "./cards.js";
import { isSet } from "./choices.js";
import { _, parts } from "./texts.js";

/** Why a card may not be played, if what lies on the table says so; null if only the judge knows.
 * @type {(card: string, view: View & { choice: Choice }) => (Node | string)[] | null} */
export function mustPlay(card, view) {
  const legal = view.choice.actions.flatMap((action) => action.card ?? []);
  const cards = sentence([{ cards: legal.join("") }], []);
  if (view.hand.shape === "layout") return parts(_("It does not fit yet. You may lay %(cards)s."), { cards }).flat();
  const led = view.step.taker === null ? view.step.table?.[0]?.[1][1] : null;
  const [suit, ...others] = new Set(legal.map((one) => one[1]));
  if (!led || !suit || others.length) return null;
  let message = suit === led ? _("You must follow %(suit)s: %(cards)s.") : _("You have no %(led)s and must play %(suit)s: %(cards)s.");
  if (card[1] === suit) message = _("You must play a higher card: %(cards)s.");
  return parts(message, { suit: suitName(suit), led: suitName(led), cards }).flat();
}

/** The adviser's hint, as a sentence.
 * @type {(hint: Hint, actions: Action[], adviser: string) => (Node | string)[]} */
export function hinted(hint, actions, adviser) {
  const best = actions.find((action) => action.action === hint.action);
  const choice = hint.card ? sentence([{ cards: hint.card }], []) : [best?.text ?? ""];
  const message = hint.card ? (best && isSet(best) ? _("%(adviser)s would exchange %(choice)s.") : _("%(adviser)s would play %(choice)s.")) : _("%(adviser)s would %(choice)s.");
  const byValue = Object.entries(hint.values).sort(([, a], [, b]) => b - a);
  const values = byValue.flatMap(([name, value], n) => [n ? " · " : "", ...sentence([/^[a-z ]+$/.test(name) ? name : { cards: name }], []), ` ${signed(value)}`]);
  const expects = byValue.length ? [" ", ...parts(_("What it expects, in %(unit)s: %(values)s."), { unit: hint.unit, values })] : [];
  return [el("strong", {}, _("Hint")), ": ", ...parts(message, { adviser, choice }), ...expects];
}
