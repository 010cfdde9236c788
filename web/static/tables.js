// A new table: the name that was given last.

const fields = document.querySelectorAll("input[name=name]");
try {
  for (const field of fields) {
    field.value ||= localStorage.playerName ?? "";
    field.form.addEventListener("submit", () => (localStorage.playerName = field.value));
  }
} catch {} // a browser that keeps nothing
