// What scripts say, in the language of the page, whose `texts` element has it as `web/texts.py` gives it; without one in English.

const { texts = {}, plurals = [] } = JSON.parse(document.getElementById("texts")?.textContent ?? "{}");

/** The parts of a message: text, and in the places of values these, or what lists of them have. */
export function parts(text, values) {
  return text.split(/%\((\w+)\)s/).flatMap((part, n) => (n % 2 ? values[part] : part));
}

/** A message, with values in their places if there are any. */
export function _(text, values = null) {
  const said = texts[text]?.[0] ?? text;
  return values ? parts(said, values).join("") : said;
}

/** The same of one thing, or of another number `n` of them. */
export function ngettext(one, many, n, values = null) {
  const whole = Math.ceil(Math.abs(n));
  const said = texts[one]?.[plurals[whole < plurals.length ? whole : 100 + (whole % 100)]] ?? (n === 1 ? one : many);
  return values ? parts(said, { n, ...values }).join("") : said;
}
