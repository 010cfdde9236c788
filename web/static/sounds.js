// Short synthesized sounds: a short noise for a card, tones for the player's turn and the end.

let on = true;
/** @type {AudioContext} */
let context;

/** Make a checkbox turn sounds on and off.
 * @type {(box: HTMLInputElement) => void} */
export function setSounds(box) {
  try {
    on = localStorage.sounds !== "off";
  } catch {} // the browser keeps no data
  box.checked = on;
  box.addEventListener("change", () => {
    on = box.checked;
    try {
      localStorage.sounds = on ? "on" : "off";
    } catch {}
    sound("turn");
  });
}

/** Play "card", "trick", "turn" or "end"; nothing before the first click or key, since browsers forbid that.
 * @type {(kind: keyof typeof SOUNDS) => void} */
export function sound(kind) {
  if (!on || !navigator.userActivation?.hasBeenActive) return;
  context ??= new AudioContext();
  SOUNDS[kind](context.currentTime);
}

/** @type {Record<"card" | "trick" | "turn" | "end", (at: number) => void>} */
const SOUNDS = {
  card: (at) => rustle(at),
  trick: (at) => [0, 0.09].forEach((later) => rustle(at + later)),
  turn: (at) => tone(at, 587),
  end: (at) => [392, 494, 587].forEach((hertz, n) => tone(at + n * 0.12, hertz)),
};

/** @type {(at: number) => void} */
function rustle(at) {
  const noise = new AudioBufferSourceNode(context, { buffer: breath() });
  const band = new BiquadFilterNode(context, { type: "bandpass", frequency: 2600, Q: 0.8 });
  noise.connect(band).connect(fading(at, 0.25, 0.07)).connect(context.destination);
  noise.start(at);
}

function breath() {
  const buffer = new AudioBuffer({ length: Math.round(context.sampleRate * 0.08), sampleRate: context.sampleRate });
  const data = buffer.getChannelData(0);
  for (let n = 0; n < data.length; n += 1) data[n] = 2 * Math.random() - 1;
  return buffer;
}

/** @type {(at: number, hertz: number) => void} */
function tone(at, hertz) {
  const oscillator = new OscillatorNode(context, { type: "sine", frequency: hertz });
  oscillator.connect(fading(at, 0.09, 0.3)).connect(context.destination);
  oscillator.start(at);
  oscillator.stop(at + 0.3);
}

/** @type {(at: number, loudness: number, seconds: number) => GainNode} */
function fading(at, loudness, seconds) {
  const gain = new GainNode(context, { gain: loudness });
  gain.gain.setValueAtTime(loudness, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + seconds);
  return gain;
}
