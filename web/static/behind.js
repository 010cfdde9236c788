// A list that lacks hands is reloaded once a build has brought them into the marts.

import { connect } from "./socket.js";

/** @type {(state: { marts: string }) => void} */
function changed(state) {
  if (!state.marts.startsWith("up to date")) return;
  const reload = () => location.reload();
  const field = document.activeElement?.closest("input, select");
  if (field) field.addEventListener("blur", reload, { once: true }); // keep what is being entered
  else reload();
}

connect("/live", { message: changed, lost: () => {} });
