// SPDX-License-Identifier: LGPL-2.1-or-later
// The path of the beam on the sample, what is lost of it, and the scan that is
// wished for.
const $ = (id) => document.getElementById(id);
const NAMES = { raster: "Raster", radial: "Radial", spiral: "Spiral", "spiral-angular": "Spiral, even turns",
  lissajous: "Lissajous", rosette: "Rosette" };
const ROUND = ["radial", "spiral", "spiral-angular", "rosette"];
const numbers = ["width", "height", "x", "y", "angle"];

let send = () => {};
let path = null; // { pattern, lines, bscans, step, bscanStep, x, y }, um
let track = null; // { bscan, volume, lost, ranges }
let scan = null; // the one that was asked for last, of all pages
let controls = false;
let edited = false; // values here are not in force
let asked = null; // that were sent, until it is known what came of them
let tuning = false; // this page has asked for the mirrors' delay
let since = null; // volume in which another scan was asked for, and its path has not come

const round = (value) => +value.toPrecision(6);

function read() {
  const values = { pattern: $("scan-pattern").value };
  for (const name of numbers) values[name] = $(`scan-${name}`).valueAsNumber;
  // one number says how large round patterns are
  if (ROUND.includes(values.pattern)) values.height = values.width;
  return values;
}

const isSame = (a, b) => a.pattern === b.pattern && numbers.every((name) => round(a[name]) === round(b[name])
  || (name === "height" && ROUND.includes(a.pattern)));

function showForm() {
  const round = ROUND.includes($("scan-pattern").value);
  $("scan-height").hidden = $("scan-times").hidden = round;
  $("scan-height").required = !round;
  $("scan-apply").disabled = !edited;
  $("scan-back").disabled = !edited;
}

function fill() {
  $("scan-pattern").value = scan.pattern;
  for (const name of numbers) $(`scan-${name}`).value = round(scan[name]);
}

export function offerPatterns(patterns) {
  $("scan-pattern").replaceChildren(...patterns.map((name) => new Option(NAMES[name] ?? name, name)));
}

export function forgetScan() {
  path = track = scan = asked = since = null;
  edited = tuning = false;
  $("scan").hidden = true;
}

export function setScanSender(sender) {
  send = sender;
}

// The scan of all pages; a recording keeps it.
export function takeScan(news, control, recording) {
  controls = control;
  const was = scan;
  scan = news ?? null;
  $("scan-controls").hidden = !scan;
  $("scan").hidden = !scan && !path;
  if (!scan) return;
  if (was && !isSame(was, scan)) since = track?.volume ?? 0;
  if (asked && isSame(asked, scan)) {
    asked = null;
    edited = false;
  }
  if (edited && isSame(read(), scan)) edited = false;
  if (!edited) fill();
  $("scan-controls").disabled = !controls || Boolean(scan.fixed) || recording;
  $("scan-tune").hidden = !scan.mirrors;
  $("scan-tune").disabled = scan.tuning;
  if (scan.tuned && !scan.tuning) tuning = false;
  showDelay();
  $("scan-controls").title = recording ? "A recording keeps its scan: end it first" : "";
  showNote();
  showForm();
  draw();
}

// What was found last, and the delay that holds.
function showDelay() {
  const micros = (value) => `${+value.toFixed(1)} µs`;
  const { delayX, delayY, tuned } = scan;
  const holds = delayX || delayY ? `Delay of the mirrors: ${micros(delayX)} in x, ${micros(delayY)} in y.` : "";
  const said = scan.tuning ? "Looking at B-scans that go forth and back …"
    : [tuned?.replaceAll(" us ", " µs "), holds].filter(Boolean).join(" ");
  $("scan-delay").hidden = !said;
  $("scan-delay").textContent = said;
}

function showNote() {
  const note = scan?.fixed || (since !== null ? "The scan changes at the end of the volume …" : "");
  $("scan-note").hidden = !note;
  $("scan-note").textContent = note;
}

// Whether the sentence is on the scan, or the delay, that this page has asked for.
export function takeRefusal(sentence) {
  if (!asked && !tuning) return;
  if (asked) edited = true;
  asked = null;
  tuning = false;
  $("scan-refused").hidden = false;
  $("scan-refused").textContent = sentence;
  showForm();
}

export function takePath(message) {
  path = message;
  since = null;
  if (track) track = { ...track, lost: 0, ranges: [] };
  $("scan").hidden = false;
  showNote();
  showTrack();
  draw();
}

export function takeTrack(news) {
  if (!news || !path) return;
  track = news;
  // back to the path that is in force: it does not come again
  if (since !== null && track.volume > since + 3) since = null;
  showNote();
  showTrack();
  draw();
}

function showTrack() {
  const all = path.lines * path.bscans;
  $("scan-bscan").textContent = track ? `${track.bscan + 1} of ${path.bscans}` : "–";
  $("scan-lost").textContent = track ? `${track.lost} of ${all} A-lines` : "–";
  $("scan-lost").classList.toggle("bad", Boolean(track?.lost));
}

// ---------------------------------------------------------------------- picture

// Points of a B-scan of those that are known.
const perBscan = () => Math.ceil((path.lines - 1) / path.step) + 1;

// The place of A-line `i` of the volume.
function placeOf(i) {
  const shown = Math.floor(i / path.lines / path.bscanStep);
  const row = i % path.lines;
  const at = Math.min(row / path.step, perBscan() - 1);
  const whole = Math.min(Math.floor(at), perBscan() - 2);
  // the last step may be a short one
  const end = Math.min((whole + 1) * path.step, path.lines - 1);
  const part = (row - whole * path.step) / Math.max(end - whole * path.step, 1);
  const from = shown * perBscan() + whole;
  return [path.x[from] + part * (path.x[from + 1] - path.x[from]), path.y[from] + part * (path.y[from + 1] - path.y[from])];
}

// The corners of the scan that is being set here.
function outline({ pattern, width, height, x, y, angle }) {
  const [w, h] = [width / 2, height / 2];
  const [sin, cos] = [Math.sin(angle * Math.PI / 180), Math.cos(angle * Math.PI / 180)];
  const corners = ROUND.includes(pattern)
    ? Array.from({ length: 48 }, (_, i) => [w * Math.cos(i * Math.PI / 24), w * Math.sin(i * Math.PI / 24)])
    : [[-w, -h], [w, -h], [w, h], [-w, h]];
  return corners.map(([a, b]) => [x + cos * a - sin * b, y + sin * a + cos * b]);
}

const niceStep = (span) => {
  const power = 10 ** Math.floor(Math.log10(span / 4));
  return [1, 2, 5, 10].map((n) => n * power).find((step) => span / step <= 6);
};

// From um to pixels: the whole path and the middle of the scanner fit, x and y alike.
function makeView(wish, width, height) {
  const xs = [...path.x, ...wish.map(([x]) => x)];
  const ys = [...path.y, ...wish.map(([, y]) => y)];
  const range = (values) => values.reduce(([a, b], v) => [Math.min(a, v), Math.max(b, v)], [Infinity, -Infinity]);
  const [[left, right], [top, bottom]] = [range(xs), range(ys)];
  const span = Math.max(right - left, bottom - top, 1e-3) * 1.1;
  const edge = { left: 38, bottom: 26, top: 6, right: 8 };
  const scale = Math.min(width - edge.left - edge.right, height - edge.top - edge.bottom) / span;
  const start = [(left + right - span) / 2, (top + bottom - span) / 2];
  return { span, start, end: start.map((a) => a + span), box: [edge.left, edge.top, span * scale, span * scale],
    at: ([x, y]) => [edge.left + (x - start[0]) * scale, edge.top + (y - start[1]) * scale] };
}

function drawAxes(context, view) {
  const [left, top, width, height] = view.box;
  const step = niceStep(view.span);
  const digits = Math.max(0, -Math.floor(Math.log10(step / 1000) + 1e-9));
  context.strokeStyle = "#27303c";
  context.fillStyle = "#9aa7b5";
  context.lineWidth = 1;
  context.font = "11px system-ui, sans-serif";
  for (const axis of [0, 1])
    for (let n = Math.ceil(view.start[axis] / step); n * step <= view.end[axis]; n++) {
      const [x, y] = view.at([n * step, n * step]);
      const text = (n * step / 1000).toFixed(digits);
      context.globalAlpha = n === 0 ? 1 : 0.5;
      context.strokeStyle = n === 0 ? "#62707f" : "#27303c";
      context.beginPath();
      context.moveTo(axis ? left : x, axis ? y : top);
      context.lineTo(axis ? left + width : x, axis ? y : top + height);
      context.stroke();
      context.globalAlpha = 1;
      context.textAlign = axis ? "right" : "center";
      context.textBaseline = axis ? "middle" : "top";
      context.fillText(text, axis ? left - 5 : x, axis ? y : top + height + 4);
    }
  context.strokeStyle = "#62707f";
  context.strokeRect(left, top, width, height);
  context.textAlign = "left";
  context.textBaseline = "bottom";
  context.fillText("mm", 2, top + height + 20);
}

// Whether B-scan `b` of those shown goes on from the one before, as pieces of a curve
// do: the step between them is about one within.
function isJoined(b) {
  const each = perBscan();
  const step = (i) => Math.hypot(path.x[i] - path.x[i - 1], path.y[i] - path.y[i - 1]);
  return b > 0 && path.bscanStep === 1 && step(b * each) <= 1.5 * step(b * each + 1);
}

function trace(context, view, first, end, begin) {
  for (let i = first; i < end; i++) {
    const [x, y] = view.at([path.x[i], path.y[i]]);
    if (i === first && begin) context.moveTo(x, y);
    else context.lineTo(x, y);
  }
}

function drawPath(context, view) {
  const each = perBscan();
  const shown = path.x.length / each;
  context.strokeStyle = "#58a6ff";
  context.globalAlpha = Math.max(0.35, Math.min(0.9, 40 / shown));
  context.beginPath();
  for (let b = 0; b < shown; b++) trace(context, view, b * each, (b + 1) * each, !isJoined(b));
  context.stroke();
  context.globalAlpha = 1;
}

// Heads of arrows in the middle of some B-scans.
function drawDirections(context, view) {
  const each = perBscan();
  const shown = path.x.length / each;
  const every = Math.max(1, Math.ceil(shown / 8));
  context.fillStyle = "#a5d0ff";
  for (let b = Math.floor(every / 2); b < shown; b += every) {
    const i = b * each + Math.floor(each / 2);
    const [x0, y0] = view.at([path.x[i - 1], path.y[i - 1]]);
    const [x, y] = view.at([path.x[i], path.y[i]]);
    const length = Math.hypot(x - x0, y - y0);
    if (!(length > 0)) continue;
    const [dx, dy] = [(x - x0) / length, (y - y0) / length];
    context.beginPath();
    context.moveTo(x + 6 * dx, y + 6 * dy);
    context.lineTo(x - 3 * dx - 4 * dy, y - 3 * dy + 4 * dx);
    context.lineTo(x - 3 * dx + 4 * dy, y - 3 * dy - 4 * dx);
    context.fill();
  }
}

function drawLost(context, view) {
  context.strokeStyle = context.fillStyle = "#ff5f56";
  context.lineWidth = 1.5;
  for (let k = 0; k + 1 < (track?.ranges.length ?? 0); k += 2) {
    const [first, count] = [track.ranges[k], track.ranges[k + 1]];
    for (let i = first; i < first + count;) {
      // to the end of the B-scan at most: the way to the next one is none of the scan
      const end = Math.min(first + count, (Math.floor(i / path.lines) + 1) * path.lines);
      const hop = Math.max(1, Math.floor((end - i) / 32));
      context.beginPath();
      context.moveTo(...view.at(placeOf(i)));
      for (let j = i; j < end; j += hop) context.lineTo(...view.at(placeOf(j)));
      context.lineTo(...view.at(placeOf(end - 1)));
      context.stroke();
      const [x, y] = view.at(placeOf(Math.floor((i + end - 1) / 2)));
      context.fillRect(x - 1.5, y - 1.5, 3, 3);
      i = end;
    }
  }
}

function drawMarks(context, view) {
  const each = perBscan();
  const [x, y] = view.at([path.x[0], path.y[0]]);
  if (track) {
    const shown = Math.floor(track.bscan / path.bscanStep);
    context.strokeStyle = "#ffb454";
    context.lineWidth = 2;
    context.beginPath();
    trace(context, view, shown * each, (shown + 1) * each, true);
    context.stroke();
  }
  context.fillStyle = "#7ee787";
  context.beginPath();
  context.arc(x, y, 4, 0, 2 * Math.PI);
  context.fill();
}

function drawWish(context, view, wish) {
  if (wish.length === 0) return;
  context.strokeStyle = "#e6edf3";
  context.lineWidth = 1.5;
  context.setLineDash([5, 4]);
  context.beginPath();
  for (const corner of wish) context.lineTo(...view.at(corner));
  context.closePath();
  context.stroke();
  context.setLineDash([]);
}

function draw() {
  const canvas = $("scan-path");
  const { clientWidth: width, clientHeight: height } = canvas;
  if (!path || width === 0) return;
  const pixels = [width, height].map((side) => Math.round(side * devicePixelRatio));
  if (canvas.width !== pixels[0]) [canvas.width, canvas.height] = pixels;
  const context = canvas.getContext("2d");
  context.setTransform(devicePixelRatio, 0, 0, devicePixelRatio, 0, 0);
  context.clearRect(0, 0, width, height);
  const values = edited ? read() : null;
  const wish = values && numbers.every((name) => Number.isFinite(values[name])) ? outline(values) : [];
  const view = makeView(wish, width, height);
  drawAxes(context, view);
  drawPath(context, view);
  drawDirections(context, view);
  drawLost(context, view);
  drawMarks(context, view);
  drawWish(context, view, wish);
}
new ResizeObserver(draw).observe($("scan-path"));

// ------------------------------------------------------------------------ hands

$("scan").addEventListener("input", () => {
  edited = !isSame(read(), scan);
  $("scan-refused").hidden = true;
  showForm();
  draw();
});
$("scan-back").addEventListener("click", () => {
  edited = false;
  asked = null;
  $("scan-refused").hidden = true;
  fill();
  showForm();
  draw();
});
$("scan-tune").addEventListener("click", () => {
  tuning = true;
  $("scan-refused").hidden = true;
  send({ type: "tune" });
});
$("scan").addEventListener("submit", (event) => {
  event.preventDefault();
  $("scan-refused").hidden = true;
  asked = read();
  send({ type: "scan", ...asked });
});
