// A list that lacks hands is shown again once the build has brought them.

const AGAIN_MILLISECONDS = 3000;

function listen() {
  const socket = new WebSocket(`ws://${location.host}/live`);
  socket.addEventListener("message", (event) => {
    if (!JSON.parse(event.data).marts.startsWith("up to date")) return;
    const show = () => location.reload();
    const field = document.activeElement?.closest("input, select");
    if (field) field.addEventListener("blur", show, { once: true }); // what is being entered stays
    else show();
  });
  socket.addEventListener("close", () => setTimeout(listen, AGAIN_MILLISECONDS));
}

listen();
