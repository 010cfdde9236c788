// A puzzle: a position as a seat saw it, in which one card is best; how many were found is kept in this browser.

import { el, sentence, split } from "./cards.js";
import { draw } from "./felt.js";

const puzzle = JSON.parse(document.getElementById("puzzle-data").textContent);
const $ = (id) => document.getElementById(id);
const key = `puzzles ${puzzle.hand.game}`;
let score = [0, 0]; // found, and tried
try {
  score = JSON.parse(localStorage[key] ?? "[0,0]");
} catch {} // a browser that keeps nothing

function show(pick) {
  draw($("felt"), puzzle.hand, puzzle.step, { seat: puzzle.seat, hide: false, pick });
  $("puzzle-score").textContent = `${score[0]} of ${score[1]} found`;
}

function answer(card) {
  const isFound = card === puzzle.best_card;
  score = [score[0] + isFound, score[1] + 1];
  try {
    localStorage[key] = JSON.stringify(score);
  } catch {}
  const [best, played] = [puzzle.best_card, puzzle.card].map((one) => sentence([{ cards: one }], [])[0]);
  const gap = Number((puzzle.best_value - puzzle.second_value).toFixed(1));
  $("answer").replaceChildren(el("strong", {}, isFound ? "Found. " : "No. "), best, ` is best, by ${gap} over any other card, with all cards seen. The player chose `, played, ".");
  $("answer").className = isFound ? "notice done" : "notice";
  show(null);
  $("next").hidden = false;
  $("next").focus();
}

$("felt").addEventListener("click", (event) => {
  const card = event.target.closest("[data-card]")?.dataset.card;
  if (card) answer(card);
});
show((card) => (split(puzzle.step.legal).includes(card) ? { "data-card": card } : null));
document.documentElement.dataset.ready = "1";
