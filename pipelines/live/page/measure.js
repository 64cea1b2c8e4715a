// SPDX-License-Identifier: LGPL-2.1-or-later
// Measuring in a B-scan: the value under the cursor, and calipers.
import { addKeys } from "/keys.js";
import { addPainter, draw, findOct, getScan, lengthText, pointIn } from "/view.js";

const $ = (id) => document.getElementById(id);
const stage = $("stage");
const MOST = 6; // calipers at a time
const NEAR = 14; // pixels: an end that is so near is moved

let index = 1; // refractive index that depths are for
let range = null; // { black, white } in dB of the picture that is shown
let usable = false; // a B-scan is shown
let on = false;
let calipers = []; // { a, b }: ends, in parts of the picture both ways
let held = null; // the end that is being moved: { caliper, end }
let cursor = null; // where the pointer is, or null

// --------------------------------------------------------------------- lengths

const micrometres = (metres) => `${+(metres * 1e6).toPrecision(4)} µm`;

// The length of a caliper as far as scales are known: through tissue light takes
// longer, so depths (and not widths) are larger if they are read as those of air.
export function measureText({ a, b }, scan, n) {
  const x = Math.abs(a.x - b.x) * scan.width, z = Math.abs(a.y - b.y) * scan.depth;
  if (scan.width > 0 && scan.depth > 0)
    return `${micrometres(Math.hypot(x, z))} (n = ${n}), in air ${micrometres(Math.hypot(x, z * n))}`;
  if (scan.depth > 0) return `depth ${micrometres(z)} (n = ${n}), in air ${micrometres(z * n)}`;
  const lines = Math.round(Math.abs(a.x - b.x) * scan.lines), depths = Math.round(Math.abs(a.y - b.y) * scan.depths);
  return scan.width > 0 ? `width ${micrometres(x)}, ${depths} depths` : `${lines} A-lines, ${depths} depths`;
}

// --------------------------------------------------------------------- drawing

function paint(context, box) {
  if (!usable) return;
  const scan = getScan();
  const at = ({ x, y }) => [x * box.width, y * box.height];
  context.font = "600 14px system-ui, sans-serif";
  context.textAlign = "left";
  for (const caliper of calipers) {
    const [from, to] = [at(caliper.a), at(caliper.b)];
    const angle = Math.atan2(to[1] - from[1], to[0] - from[0]) + Math.PI / 2;
    const [dx, dy] = [7 * Math.cos(angle), 7 * Math.sin(angle)];
    for (const [style, width] of [["rgb(0 0 0 / 75%)", 4], ["#ffd33d", 1.5]]) {
      context.strokeStyle = style;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(...from);
      context.lineTo(...to);
      for (const [x, y] of [from, to]) {
        context.moveTo(x - dx, y - dy);
        context.lineTo(x + dx, y + dy);
      }
      context.stroke();
    }
    const text = measureText(caliper, scan, index);
    const wide = context.measureText(text).width;
    const x = Math.max(4, Math.min((from[0] + to[0]) / 2 - wide / 2, box.width - wide - 4));
    const y = Math.max(18, Math.min(Math.max(from[1], to[1]) + 22, box.height - 6));
    context.lineWidth = 4;
    context.strokeStyle = "rgb(0 0 0 / 80%)";
    context.strokeText(text, x, y);
    context.fillStyle = "#ffd33d";
    context.fillText(text, x, y);
  }
}
addPainter(paint);

// ---------------------------------------------------------------------- cursor

const probe = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true });

// The grey level there, of the picture that is seen; null: there is none.
function greyAt({ x, y }) {
  const picture = ["still", "jpeg", "video"].map($).find((element) => !element.hidden);
  const width = picture.videoWidth || picture.naturalWidth || picture.width;
  const height = picture.videoHeight || picture.naturalHeight || picture.height;
  if (!(width > 0)) return null;
  const oct = findOct({ width, height });
  const place = (part, begin, size, most) => Math.min(most - 1, Math.max(0, Math.floor(begin + part * size)));
  probe.drawImage(picture, place(x, oct.x, oct.width, width), place(y, oct.y, oct.height, height), 1, 1, 0, 0, 1, 1);
  return probe.getImageData(0, 0, 1, 1).data[0];
}

function greyText(grey) {
  if (!(range?.white > range?.black)) return `grey level ${grey}`;
  const edge = grey === 0 ? "≤ " : grey === 255 ? "≥ " : "";
  return `${edge}${(range.black + ((range.white - range.black) * grey) / 255).toFixed(1)} dB`.replace("-", "−");
}

function showCursor() {
  const inside = usable && cursor && cursor.x >= 0 && cursor.x < 1 && cursor.y >= 0 && cursor.y < 1;
  const grey = inside ? greyAt(cursor) : null;
  $("cursor").hidden = grey === null;
  if (grey === null) return;
  const scan = getScan();
  $("cursor").textContent = [
    scan.width > 0 ? lengthText(Math.max(cursor.x * scan.width, 1e-7)) : `A-line ${Math.floor(cursor.x * scan.lines)}`,
    scan.depth > 0 ? `depth ${lengthText(Math.max(scan.top + cursor.y * scan.depth, 1e-7))}`
      : `depth ${Math.floor(cursor.y * scan.depths)}`,
    greyText(grey)].join(" · ");
}
// the picture changes below it
setInterval(() => { if (cursor) showCursor(); }, 250);

// ------------------------------------------------------------------------ hands

function findEnd(at) {
  for (const caliper of [...calipers].reverse())
    for (const end of ["a", "b"])
      if (Math.hypot((caliper[end].x - at.x) * at.width, (caliper[end].y - at.y) * at.height) < NEAR)
        return { caliper, end };
  return null;
}

const inPicture = ({ x, y }) => ({ x: Math.min(1, Math.max(0, x)), y: Math.min(1, Math.max(0, y)) });

stage.addEventListener("pointerdown", (event) => {
  if (!on || !usable || event.button !== 0) return;
  const at = pointIn(event);
  stage.setPointerCapture(event.pointerId);
  held = findEnd(at);
  if (!held) {
    const caliper = { a: inPicture(at), b: inPicture(at) };
    calipers = [...calipers, caliper].slice(-MOST);
    held = { caliper, end: "b" };
  }
});
stage.addEventListener("pointermove", (event) => {
  cursor = pointIn(event);
  showCursor();
  if (!held) return;
  held.caliper[held.end] = inPicture(cursor);
  draw();
});
for (const end of ["pointerup", "pointercancel"])
  stage.addEventListener(end, () => {
    // a click is no length
    calipers = calipers.filter(({ a, b }) => a.x !== b.x || a.y !== b.y);
    held = null;
  });
stage.addEventListener("pointerleave", () => {
  cursor = null;
  showCursor();
});

// Switching it off takes the calipers away.
function setOn(wanted) {
  on = wanted;
  if (!on) calipers = [];
  $("measure").setAttribute("aria-pressed", on);
  stage.classList.toggle("measures", on && usable);
  draw();
}
$("measure").addEventListener("click", () => setOn(!on));
addKeys({ l: () => $("measure").click() });
addKeys({ Escape: () => setOn(false) }, { may: () => on });

// What is shown: whether it is a B-scan, the index of its depths, and its range.
export function setMeasured(news) {
  ({ usable, index } = news);
  range = news.range;
  $("measure").disabled = !usable;
  stage.classList.toggle("measures", on && usable);
}
