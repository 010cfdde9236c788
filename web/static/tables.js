// The form of a new table: it is filled with the last name that was entered.

/** @type {NodeListOf<HTMLInputElement>} */
const fields = document.querySelectorAll("input[name=name]");
try {
  for (const field of fields) {
    field.value ||= localStorage.playerName ?? "";
    field.form?.addEventListener("submit", () => (localStorage.playerName = field.value));
  }
} catch {} // the browser keeps no data
