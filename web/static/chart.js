// Draws the charts of a page with uPlot: lines, bars and dots, with their intervals.

/* global uPlot */

const HEIGHT = 290;
const BAR_SHARE = 0.6;
const SERIES = 6;
const style = () => getComputedStyle(document.documentElement);
const colour = (name) => style().getPropertyValue(name).trim();

function shown(plot, value) {
  if (value === null || value === undefined) return "–";
  if (plot.percent) return `${(100 * value).toLocaleString("en", { maximumFractionDigits: 1 })} %`;
  return value.toLocaleString("en", { maximumFractionDigits: 3 });
}

/** Bars of several series stand beside each other: each is drawn here, since uPlot's would cover each other. */
function drawBars(u, plot) {
  const { ctx } = u;
  const visible = plot.series.map((_, n) => n + 1).filter((n) => u.series[n].show);
  const gap = u.valToPos(1, "x", true) - u.valToPos(0, "x", true);
  const width = (gap * BAR_SHARE) / Math.max(1, visible.length);
  const zero = u.valToPos(0, "y", true);
  visible.forEach((n, place) => {
    ctx.fillStyle = colour(`--series-${((n - 1) % SERIES) + 1}`);
    u.data[n].forEach((value, index) => {
      if (value === null) return;
      const left = u.valToPos(u.data[0][index], "x", true) - (gap * BAR_SHARE) / 2 + place * width;
      const top = u.valToPos(value, "y", true);
      ctx.fillRect(left, Math.min(top, zero), Math.max(1, width - 1), Math.abs(zero - top));
    });
  });
}

/** Intervals as bars through the points, with ends. */
function drawIntervals(u, plot) {
  const { ctx } = u;
  const end = 4 * devicePixelRatio;
  ctx.lineWidth = 1.5 * devicePixelRatio;
  plot.series.forEach((series, n) => {
    const ends = plot.intervals[series.name];
    if (!ends || !u.series[n + 1].show) return;
    ctx.strokeStyle = plot.kind === "bars" ? colour("--ink") : colour(`--series-${(n % SERIES) + 1}`);
    const visible = plot.series.map((_, k) => k).filter((k) => u.series[k + 1].show);
    const gap = u.valToPos(1, "x", true) - u.valToPos(0, "x", true);
    const shift = plot.kind === "bars" ? ((visible.indexOf(n) + 0.5) / visible.length - 0.5) * gap * BAR_SHARE : 0;
    ctx.beginPath();
    plot.x.forEach((x, index) => {
      const [low, high] = [ends[0][index], ends[1][index]];
      if (low === null || high === null) return;
      const at = Math.round(u.valToPos(x, "x", true) + shift);
      const [bottom, top] = [u.valToPos(low, "y", true), u.valToPos(high, "y", true)];
      ctx.moveTo(at, bottom);
      ctx.lineTo(at, top);
      ctx.moveTo(at - end, bottom);
      ctx.lineTo(at + end, bottom);
      ctx.moveTo(at - end, top);
      ctx.lineTo(at + end, top);
    });
    ctx.stroke();
  });
}

function yRange(plot) {
  const values = plot.series.flatMap((series) => series.values);
  for (const ends of Object.values(plot.intervals)) values.push(...ends[0], ...ends[1]);
  const found = values.filter((value) => value !== null);
  let [low, high] = [Math.min(...found), Math.max(...found)];
  if (plot.kind === "bars") [low, high] = [Math.min(0, low), Math.max(0, high)];
  const room = (high - low || Math.abs(high) || 1) * 0.06;
  const bottom = plot.kind === "bars" && low === 0 ? 0 : low - room;
  return plot.percent ? [Math.max(0, bottom), Math.min(1, high + room)] : [bottom, high + room];
}

function options(plot, width) {
  const bars = plot.kind === "bars";
  const axis = { stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line"), width: 1 }, font: "13px system-ui, sans-serif", labelFont: "13px system-ui, sans-serif" };
  const fits = Math.max(1, Math.floor((width - 60) / 70));
  const step = plot.labels ? Math.ceil(plot.labels.length / fits) : 1;
  const x = plot.labels
    ? { ...axis, grid: { show: !bars, stroke: colour("--line"), width: 1 }, splits: () => plot.x.filter((n) => n % step === 0), values: (_, splits) => splits.map((n) => short(plot.labels[n])) }
    : { ...axis, label: plot.x_label || null, incrs: plot.x.every(Number.isInteger) ? [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10000] : undefined };
  const y = { ...axis, size: 62, label: plot.y_label || null, values: (_, splits) => splits.map((value) => shown(plot, value)) };
  const edge = plot.labels || bars ? 0.6 : (Math.max(...plot.x) - Math.min(...plot.x) || 1) * 0.03;
  return {
    width,
    height: HEIGHT,
    scales: { x: { time: false, range: () => [Math.min(...plot.x) - edge, Math.max(...plot.x) + edge] }, y: { range: () => yRange(plot) } },
    axes: [x, y],
    series: [
      { label: plot.x_label || "at", value: (_, value) => (value === null ? "–" : plot.labels ? plot.labels[value] : String(value)) },
      ...plot.series.map((series, n) => ({
        label: series.name,
        stroke: colour(`--series-${(n % SERIES) + 1}`),
        width: 2,
        paths: plot.kind === "line" ? undefined : () => null,
        points: { show: !bars && (plot.kind === "dots" || plot.x.length <= 60), size: 7, fill: colour("--raised") },
        value: (_, value) => shown(plot, value),
      })),
    ],
    cursor: { y: false, drag: { x: false, y: false } },
    hooks: { draw: [(u) => bars && drawBars(u, plot), (u) => drawIntervals(u, plot)] },
  };
}

function short(label) {
  return label.length > 14 ? `${label.slice(0, 13)}…` : label;
}

function draw(place) {
  const plot = JSON.parse(place.querySelector("script").textContent);
  const data = [plot.x, ...plot.series.map((series) => series.values)];
  let chart = null;
  const again = () => {
    chart?.destroy();
    chart = new uPlot(options(plot, Math.max(240, place.clientWidth)), data, place);
  };
  again();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", again);
  let width = place.clientWidth;
  new ResizeObserver(() => {
    if (Math.abs(place.clientWidth - width) > 4) {
      width = place.clientWidth;
      again();
    }
  }).observe(place);
}

if (typeof uPlot === "undefined") {
  for (const place of document.querySelectorAll(".plot")) place.textContent = "The charts' library is missing; the numbers are below.";
} else {
  document.querySelectorAll(".plot").forEach(draw);
}
document.documentElement.dataset.ready = "1";
