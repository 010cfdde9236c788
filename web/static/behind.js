// A list that lacks hands is shown again once the build has brought them.

import { connect } from "./socket.js";

function changed(now) {
  if (!now.marts.startsWith("up to date")) return;
  const show = () => location.reload();
  const field = document.activeElement?.closest("input, select");
  if (field) field.addEventListener("blur", show, { once: true }); // what is being entered stays
  else show();
}

connect("/live", { message: changed, lost: () => {} });
