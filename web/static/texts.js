// The scripts' messages in the page's language, from its element `texts`, which `web/texts.py` fills; else in English.

const { texts = {}, plurals = [] } = JSON.parse(document.getElementById("texts")?.textContent ?? "{}");

/** The parts of a message: its text, and the values in their places; a value may be a list of parts.
 * @type {<T>(text: string, values: Record<string, T | T[]>) => (string | T)[]} */
export function parts(text, values) {
  return text.split(/%\((\w+)\)s/).flatMap((part, n) => (n % 2 ? values[part] : part));
}

/** A message, with values in their places if there are any.
 * @type {(text: string, values?: Record<string, string | number> | null) => string} */
export function _(text, values = null) {
  const message = texts[text]?.[0] ?? text;
  return values ? parts(message, values).join("") : message;
}

/** The same for a message that depends on a number `n`.
 * @type {(one: string, many: string, n: number, values?: Record<string, string | number> | null) => string} */
export function ngettext(one, many, n, values = null) {
  const whole = Math.ceil(Math.abs(n));
  const message = texts[one]?.[plurals[whole < plurals.length ? whole : 100 + (whole % 100)]] ?? (n === 1 ? one : many);
  return values ? parts(message, { n, ...values }).join("") : message;
}
