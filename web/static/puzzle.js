// A puzzle: a position as a seat saw it, in which one card is best. This browser keeps the number of those found.

import { $, around, el, inline, sentence, signed, split } from "./cards.js";
import { draw } from "./felt.js";
import { _, parts } from "./texts.js";

/** @type {Puzzle} */
const puzzle = JSON.parse($("puzzle-data").textContent);
const key = `puzzles ${puzzle.hand.game}`;
let score = [0, 0]; // number found and number tried
try {
  score = JSON.parse(localStorage[key] ?? "[0,0]");
} catch {} // the browser keeps no data

/** @type {(pick: Sight["pick"]) => void} */
function show(pick) {
  draw($("felt"), puzzle.hand, puzzle.step, { seat: puzzle.seat, hide: false, pick });
  $("puzzle-score").textContent = _("%(found)s of %(tried)s found", { found: score[0], tried: score[1] });
}

/** @type {(card: string) => void} */
function answer(card) {
  const isFound = card === puzzle.best_card;
  score = [score[0] + Number(isFound), score[1] + 1];
  try {
    localStorage[key] = JSON.stringify(score);
  } catch {}
  const [best, played] = [puzzle.best_card, puzzle.card].map((code) => sentence([{ cards: code }], [])[0]);
  const gap = Number((puzzle.best_value - puzzle.second_value).toFixed(1));
  const message = _("%(best)s is best, by %(points)s over any other card, with all cards seen. The player chose %(card)s.");
  $("answer").replaceChildren(el("strong", {}, isFound ? _("Found.") : _("No.")), " ", ...parts(message, { best, points: String(gap), card: played }));
  $("answer").className = isFound ? "notice done" : "notice";
  show(null);
  $("next").hidden = $("again").hidden = $("look").hidden = false;
  $("next").focus();
  price();
}

/** Show what each card would have led to, once the server has worked it out. */
async function price() {
  $("values").replaceChildren(_("Thinking …"));
  const response = await fetch(`/puzzles/values?id=${puzzle.id}&event=${puzzle.event}`).catch(() => null);
  /** @type {Values} */
  const values = response?.ok ? await response.json() : {};
  $("values").replaceChildren();
  if ($("again").hidden || !Object.keys(values).length) return;
  const each = Object.entries(values).flatMap(([card, value], n) => [n ? " · " : "", inline(card), ` ${signed(value)}`]);
  $("values").replaceChildren(...parts(_("What each card leads to, for the player’s side: %(values)s."), { values: each }));
}

function ask() {
  show((card) => (split(puzzle.step.legal ?? "").includes(card) ? { "data-card": card } : null));
}

$("felt").addEventListener("click", (event) => {
  const card = around(event, "[data-card]")?.dataset.card;
  if (card) answer(card);
});
$("again").addEventListener("click", () => {
  $("again").hidden = $("look").hidden = true;
  $("answer").replaceChildren();
  $("values").replaceChildren();
  $("answer").className = "";
  ask();
});
ask();
document.documentElement.dataset.ready = "1";
