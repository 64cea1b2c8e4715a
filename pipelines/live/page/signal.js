// SPDX-License-Identifier: LGPL-2.1-or-later
// The signal, for people who set the instrument up: spectrum, A-scan, and
// measurements of them.

const panel = document.getElementById("signal");
const style = getComputedStyle(document.documentElement);
export const colour = (name) => style.getPropertyValue(`--${name}`);

// From here on a sample is called saturated: part of the A-lines.
const SATURATED = 0.02;
const STALE = 3000; // ms
const MARGIN = { left: 40, right: 10, top: 10, bottom: 20 };

// ---------------------------------------------------------------------- numbers

// A dash if it is not a number; the digits that count, without an exponent.
function numberText(value, digits = 3) {
  if (!Number.isFinite(value)) return "–";
  const places = value === 0 ? 0 : Math.min(9, Math.max(0, digits - 1 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toFixed(places);
}

const withUnit = (value, unit, digits) => (Number.isFinite(value) ? `${numberText(value, digits)} ${unit}` : "–");
const signed = (text) => text.replace("-", "−");
const decibels = (value) => (Number.isFinite(value) ? signed(`${value.toFixed(1)} dB`) : "–");
// In micrometres of air if that is known, else in bins.
const lengthOf = (values, name) => (`${name}-um` in values
  ? withUnit(values[`${name}-um`], "µm") : withUnit(values[name], "bins"));

const fallOff = (values) => {
  if (!("roll-off-depths" in values)) return "";
  return signed("roll-off-mm" in values ? withUnit(values["roll-off-mm"], "dB/mm")
    : withUnit(values["roll-off"], "dB/bin"));
};

// µm from A-line to A-line, if the width of a B-scan is known.
let lateral = 0;
export function setLateral(spacing) {
  lateral = spacing;
}

// The rows of the lists: name, value ("": no row), explanation; bad: a value
// that should not be.
const rows = {
  spectra: [
    ["Centre", (v) => ("centre-nm" in v ? withUnit(v["centre-nm"], "nm", 4) : withUnit(v.centroid, "samples", 4)),
      "Centre of gravity of the spectrum"],
    ["Width", (v) => ("fwhm-nm" in v ? withUnit(v["fwhm-nm"], "nm") : withUnit(v.fwhm, "samples")),
      "Full width of the spectrum at half of its maximum"],
    ["Resolution", (v) => withUnit(v["resolution-window-um"], "µm"),
      "Axial resolution that this spectrum allows, in air, with the window of the reconstruction: the width of a perfect peak at −6 dB"],
    ["Largest", (v) => withUnit(v.maximum, "counts", 1), "The largest value of these spectra"],
    ["Mean", (v) => withUnit(v.mean, "counts"), "Mean of these spectra"],
    ["Saturated", (v) => (Number.isFinite(v.full) ? withUnit(100 * v.saturated, "%", 2) : "none"),
      "Part of the values that are as large as the camera can count", (v) => "full" in v && v.saturated > SATURATED],
    ["A-lines", (v) => numberText(v.lines, 1), "Neighbouring A-lines that were measured"],
    ["Missing", (v) => numberText(v.missing, 1), "B-scans that never came, by their times, since the source was started",
      (v) => v.missing > 0],
  ],
  ascans: [
    ["Peak", (v) => lengthOf(v, "peak"), "Depth of the strongest reflection, in air"],
    ["Width −6 dB", (v) => lengthOf(v, "width-6db"), "Its full width at half of the magnitude: of a mirror, the axial resolution"],
    ["−3, −20 dB", (v) => [lengthOf(v, "width-3db").replace(/ .*/, ""), lengthOf(v, "width-20db")].join(", "),
      "Its full widths 3 and 20 dB below the peak"],
    ["Possible", (v, others) => withUnit(others["resolution-window-um"], "µm"),
      "The width that the spectrum allows, with the window of the reconstruction"],
    ["Noise", (v) => decibels(v["noise-floor"]), "What changes from A-line to A-line, the median of the depths far from the peak"],
    ["SNR", (v) => decibels(v.snr), "Of the peak above the noise"],
    ["Side lobe", (v) => decibels(v["side-lobe"]), "The highest value beside the peak"],
    ["Phase", (v) => withUnit(1000 * v["phase-noise"], "mrad"),
      "Change of the peak's phase from A-line to A-line, of a mirror that stands still"],
    // only if they are asked for
    ["Sensitivity", (v) => (v.sensitivity > v.snr ? decibels(v.sensitivity) : ""),
      "SNR without the filter before the mirror"],
    ["Fall-off", fallOff, "Of the mirror's depths that were collected: how fast its peak falls, moved away from zero delay"],
    ["−6 dB at", (v) => ("roll-off-depths" in v
      ? "lost-6db-mm" in v ? withUnit(v["lost-6db-mm"], "mm") : withUnit(v["lost-6db"], "bins") : ""),
      "Depth where 6 dB are lost"],
    ["Lateral", (v) => {
      const spacing = v["x-spacing-um"] ?? lateral;
      return spacing > 0 ? withUnit(spacing, "µm") : "";
    }, "From A-line to A-line, as the caps or --width-um say"],
    ["Depths", (v) => ("roll-off-depths" in v ? numberText(v["roll-off-depths"], 1) : ""),
      "Depths of the mirror that were collected"],
  ],
};

// --------------------------------------------------------------------- drawing

// Numbers from `low` to `high` that are easy to read, about `count` of them.
export function ticks(low, high, count) {
  const span = high - low;
  if (!(span > 0) || !Number.isFinite(span)) return [];
  const power = 10 ** Math.floor(Math.log10(span / count));
  const step = [1, 2, 5, 10].map((digit) => digit * power).find((size) => span / size <= count) ?? 10 * power;
  const list = [];
  for (let i = Math.ceil(low / step); i * step <= high + step * 1e-9; i++) list.push(i * step);
  return list;
}

// A canvas with axes: `x` and `y` turn values into places.
export function beginPlot(canvas, xAxis, yAxis) {
  const { width, height } = canvas.getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.font = "11px system-ui, sans-serif";
  context.lineJoin = "round";
  const right = width - MARGIN.right, bottom = height - MARGIN.bottom;
  const x = (value) => MARGIN.left + ((value - xAxis.low) / (xAxis.high - xAxis.low)) * (right - MARGIN.left);
  const y = (value) => bottom - ((value - yAxis.low) / (yAxis.high - yAxis.low)) * (bottom - MARGIN.top);
  const plot = { context, x, y, left: MARGIN.left, right, top: MARGIN.top, bottom };
  context.strokeStyle = colour("line");
  context.fillStyle = colour("faint");
  context.textAlign = "right";
  for (const value of ticks(yAxis.low, yAxis.high, 5)) {
    line(plot, [plot.left, y(value)], [right, y(value)]);
    context.fillText(tickText(value), plot.left - 5, y(value) + 4);
  }
  context.textAlign = "center";
  for (const value of ticks(xAxis.low, xAxis.high, width > 350 ? 6 : 4)) {
    line(plot, [x(value), bottom], [x(value), bottom + 3]);
    context.fillText(tickText(value), Math.min(x(value), right - 8), bottom + 14);
  }
  return plot;
}

const tickText = (value) => signed(String(+value.toPrecision(4)));

function line({ context }, from, to, dash = []) {
  context.setLineDash(dash);
  context.beginPath();
  context.moveTo(...from);
  context.lineTo(...to);
  context.stroke();
  context.setLineDash([]);
}

// With a dark rim, to be read on a curve.
function label({ context, left, right, top }, text, x, y, align = "center") {
  const half = context.measureText(text).width / (align === "center" ? 2 : 1);
  context.textAlign = align;
  const at = align === "center" ? Math.min(Math.max(x, left + half + 2), right - half - 2) : x;
  context.lineWidth = 4;
  context.strokeStyle = colour("panel");
  context.strokeText(text, at, Math.max(y, top + 9));
  context.fillText(text, at, Math.max(y, top + 9));
  context.lineWidth = 1;
}

// Each point in the middle of its samples; values that are not numbers at the bottom.
function trace(plot, points, samples, stroke, fill) {
  const { context, x, y, bottom } = plot;
  const place = (i) => x(((i + 0.5) * samples) / points.length - 0.5);
  context.beginPath();
  points.forEach((value, i) => context.lineTo(place(i), value === null ? bottom : Math.min(y(value), bottom)));
  if (fill) {
    const path = new Path2D();
    path.moveTo(place(0), bottom);
    points.forEach((value, i) => path.lineTo(place(i), value === null ? bottom : Math.min(y(value), bottom)));
    path.lineTo(place(points.length - 1), bottom);
    context.fillStyle = fill;
    context.fill(path);
  }
  context.strokeStyle = stroke;
  context.lineWidth = 1.5;
  context.stroke();
  context.lineWidth = 1;
}

// Neighbouring points that meet a condition, as ranges of samples.
export function runs(points, samples, meets) {
  const list = [];
  points.forEach((value, i) => {
    if (!meets(value)) return;
    const low = (i * samples) / points.length - 0.5, high = ((i + 1) * samples) / points.length - 0.5;
    if (list.length > 0 && list.at(-1)[1] === low) list.at(-1)[1] = high;
    else list.push([low, high]);
  });
  return list;
}

function drawSpectrum(canvas, { values, points, full, samples }) {
  const most = Math.max(1, ...points.filter((value) => value !== null), values.full ?? 0);
  const plot = beginPlot(canvas, { low: 0, high: samples - 1 }, { low: 0, high: most * 1.15 });
  const { context, x, y } = plot;
  const saturated = runs(full, samples, (part) => part >= SATURATED);
  context.fillStyle = "rgb(255 95 86 / 30%)";
  for (const [low, high] of saturated)
    context.fillRect(x(low), plot.top, Math.max(2, x(high) - x(low)), plot.bottom - plot.top);
  trace(plot, points, samples, colour("accent"), "rgb(88 166 255 / 18%)");
  context.fillStyle = context.strokeStyle = colour("red");
  if (Number.isFinite(values.full)) {
    line(plot, [plot.left, y(values.full)], [plot.right, y(values.full)], [4, 3]);
    label(plot, saturated.length > 0 ? "saturated" : "full", plot.right - 2, y(values.full) + 12, "right");
  }
  context.fillStyle = context.strokeStyle = colour("green");
  if (Number.isFinite(values.centroid)) {
    line(plot, [x(values.centroid), plot.top + 16], [x(values.centroid), plot.bottom], [2, 3]);
    label(plot, rows.spectra[0][1](values), x(values.centroid), plot.top + 10);
  }
}

// The width at −6 dB between two arrows, however narrow it is.
function drawWidth(plot, values) {
  const { context, x, y } = plot;
  const half = values["width-6db"] / 2, height = y(values.level - 6.02);
  for (const [end, way] of [[x(values.peak - half), -1], [x(values.peak + half), 1]]) {
    line(plot, [end, height], [end + 14 * way, height]);
    line(plot, [end, height], [end + 4 * way, height - 3]);
    line(plot, [end, height], [end + 4 * way, height + 3]);
    line(plot, [end, height - 5], [end, height + 5]);
  }
  const outside = x(values.peak + half) + 18;
  const text = lengthOf(values, "width-6db");
  if (outside + context.measureText(text).width < plot.right) label(plot, text, outside, height + 4, "left");
  else label(plot, text, x(values.peak - half) - 18, height + 4, "right");
}

function drawAscan(canvas, { values, points, samples }) {
  const finite = points.filter((value) => value !== null);
  const top = Math.max(values.level ?? -Infinity, ...finite), noise = values["noise-floor"];
  const bottom = Number.isFinite(noise) ? noise - 15 : Math.min(...finite);
  if (!Number.isFinite(top) || !Number.isFinite(bottom)) return;
  // in steps, so that it does not jump with every measurement
  const low = Math.floor(bottom / 10) * 10, high = Math.max(low + 40, Math.ceil((top + 8) / 10) * 10);
  const scale = values.peak > 0 && values["peak-um"] > 0 ? values["peak-um"] / values.peak / 1000 : 1;
  // bins count from zero delay, also if the first ones are left out
  const start = values["depth-start"] ?? 0;
  const plot = beginPlot(canvas, { low: start * scale, high: (start + samples - 1) * scale }, { low, high });
  const { context } = plot;
  canvas.parentElement.querySelector(".axes").textContent = scale === 1 ? "dB over bins" : "dB over mm of air";
  const bins = { ...plot, x: (bin) => plot.x(bin * scale) };
  trace({ ...plot, x: (i) => bins.x(start + i) }, points, samples, colour("accent"), null);
  context.fillStyle = context.strokeStyle = colour("faint");
  if (Number.isFinite(noise)) {
    line(plot, [plot.left, plot.y(noise)], [plot.right, plot.y(noise)], [4, 3]);
    label(plot, "noise", plot.right - 2, plot.y(noise) - 4, "right");
  }
  if (!Number.isFinite(values.peak)) return;
  context.fillStyle = context.strokeStyle = colour("green");
  context.beginPath();
  context.arc(bins.x(values.peak), plot.y(values.level), 3.5, 0, 2 * Math.PI);
  context.fill();
  label(plot, lengthOf(values, "peak"), bins.x(values.peak), plot.y(values.level) - 8);
  context.strokeStyle = colour("green");
  if (Number.isFinite(values["width-6db"])) drawWidth(bins, values);
}

// ---------------------------------------------------------------------- showing

const draws = { spectra: drawSpectrum, ascans: drawAscan };
const latest = {}; // of each kind: { values, points, full, samples, at }
let due = false;

for (const [kind, list] of Object.entries(rows))
  panel.querySelector(`#${kind} dl`).append(...list.map(([name, , title]) => {
    const row = document.createElement("div");
    row.title = title;
    row.innerHTML = "<dt></dt><dd>–</dd>";
    row.firstChild.textContent = name;
    return row;
  }));

function showValues(kind, values) {
  const others = latest[kind === "spectra" ? "ascans" : "spectra"]?.values ?? {};
  const cells = panel.querySelectorAll(`#${kind} dd`);
  rows[kind].forEach(([, text, , bad], i) => {
    cells[i].textContent = text(values, others);
    cells[i].parentElement.hidden = cells[i].textContent === "";
    cells[i].classList.toggle("bad", Boolean(bad?.(values)));
  });
}

// An old measurement is not to be taken for a present one.
const showAge = (kind, { at }) =>
  document.getElementById(kind).classList.toggle("stale", performance.now() - at > STALE);

function drawAll() {
  due = false;
  for (const [kind, measurement] of Object.entries(latest)) {
    const figure = document.getElementById(kind);
    showAge(kind, measurement);
    const note = figure.querySelector(".note");
    note.hidden = !measurement.problem;
    note.textContent = measurement.problem;
    showValues(kind, measurement.values);
    if (measurement.points.length > 0) draws[kind](figure.querySelector("canvas"), measurement);
  }
}

const drawSoon = () => {
  if (!due && !panel.hidden) requestAnimationFrame(drawAll);
  due ||= !panel.hidden;
};

export function takeMeters(message) {
  if (!(message.of in rows)) return;
  latest[message.of] = { values: message.values, problem: message.problem, samples: message.samples,
    points: message.curve.map((value) => (value === null ? null : value * message.step)),
    full: message.full.map((value) => value / 1000), at: performance.now() };
  drawSoon();
}

export function forgetMeters() {
  for (const kind of Object.keys(latest)) delete latest[kind];
  for (const kind of Object.keys(rows)) {
    showValues(kind, {});
    const figure = document.getElementById(kind), canvas = figure.querySelector("canvas");
    figure.classList.remove("stale");
    figure.querySelector(".note").hidden = true;
    canvas.width = canvas.width;
  }
}

setInterval(() => {
  for (const [kind, measurement] of Object.entries(latest)) showAge(kind, measurement);
}, 500);

new ResizeObserver(drawSoon).observe(panel);
