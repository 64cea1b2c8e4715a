// SPDX-License-Identifier: LGPL-2.1-or-later
// Drawing: the place of the picture, and the scale bars on it.

const stage = document.getElementById("stage");
const bars = document.getElementById("bars");
const pictures = ["video", "jpeg", "still"].map((id) => document.getElementById(id));

// Lines and depths of the B-scan, its size in metres if it is known, and the depth
// of its upper edge.
const scan = { lines: 0, depths: 0, width: 0, depth: 0, top: 0 };
let trueProportions = true;
let depthAxis = true;
const painters = []; // of what is drawn on a B-scan: (context, box)
// Shown in place of a B-scan: { aspect, width, height, directions, paint } or null.
// Sizes are in metres, 0 = not known or not the same everywhere; directions are those
// across and down, none if they are not the same everywhere.
let shown = null;
// The picture that comes has more than that of OCT: { aspect, oct }, the rectangle of
// OCT in it by parts of its size, or without that; null: it is of OCT alone.
let part = null;
const overlays = []; // over the whole picture: (context, box)

// The largest of 1, 2, 5 times a power of ten that is not above `length`.
export function niceLength(length) {
  const power = 10 ** Math.floor(Math.log10(length));
  const digit = [5, 2, 1].find((d) => d * power <= length * 1.000001);
  return digit * power;
}

export function lengthText(metres) {
  const micrometres = metres * 1e6;
  return micrometres >= 1000
    ? `${+(micrometres / 1000).toPrecision(3)} mm`
    : `${+micrometres.toPrecision(3)} µm`;
}

function fit(outer, aspect, known) {
  const width = Math.min(outer.width, outer.height * aspect);
  const height = width / aspect;
  return { x: (outer.width - width) / 2, y: (outer.height - height) / 2, width, height, known };
}

// The rectangle of OCT in a box of the whole picture; null: it is not in it.
export function findOct(box) {
  if (!part) return { x: 0, y: 0, width: box.width, height: box.height };
  const { oct } = part;
  return oct ? { x: oct.x * box.width, y: oct.y * box.height, width: oct.width * box.width,
    height: oct.height * box.height } : null;
}

export function setPart(news) {
  part = news;
  draw();
}
export const hasPart = () => Boolean(part);

export function addOverlay(paint) {
  overlays.push(paint);
}

// The rectangle of the picture in the stage, as large as it can be.
function place() {
  const outer = stage.getBoundingClientRect();
  if (part) return fit(outer, part.aspect, true);
  const physical = trueProportions && scan.width > 0 && scan.depth > 0;
  // without sizes the shape is not known: a few A-lines are not a narrow strip
  const filled = scan.lines > 0 && scan.depths > 0 ? outer.width / outer.height : 0;
  const aspect = shown?.aspect ?? (physical ? scan.width / scan.depth : filled);
  return aspect > 0 ? fit(outer, aspect, Boolean(shown?.aspect) || physical) : null;
}

// Depths in mm along the left edge.
function drawAxis(context, box) {
  const step = [1, 2, 2.5].map((part) => niceLength((scan.depth * 45 * part) / box.height))
    .find((length) => (length / scan.depth) * box.height >= 28) ?? scan.depth;
  const digits = Math.max(0, -Math.floor(Math.log10(step * 1000) + 1e-9));
  context.font = "600 12px system-ui, sans-serif";
  context.textAlign = "left";
  let unit = " mm"; // with the first number
  for (let i = Math.ceil(scan.top / step - 1e-9); i * step <= scan.top + scan.depth; i++) {
    const y = ((i * step - scan.top) / scan.depth) * box.height;
    for (const [style, width] of [["rgb(0 0 0 / 75%)", 4], ["#fff", 1.5]]) {
      context.strokeStyle = style;
      context.lineWidth = width;
      context.beginPath();
      context.moveTo(0, y);
      context.lineTo(7, y);
      context.stroke();
    }
    if (y < 8 || y > box.height - 8) continue;
    write(context, `${(i * step * 1000).toFixed(digits)}${unit}`, 11, y + 4);
    unit = "";
  }
}

// With a dark rim, to be read on any picture.
export function write(context, text, x, y, colour = "#fff") {
  context.lineWidth = 4;
  context.strokeStyle = "rgb(0 0 0 / 75%)";
  context.strokeText(text, x, y);
  context.fillStyle = colour;
  context.fillText(text, x, y);
}

// A scale of so many pixels, in a lower corner of the box: left, or right if vertical.
export function bar(context, box, pixels, text, vertical, indent = 0) {
  const margin = 16;
  const [x, y] = [box.width - margin, box.height - margin];
  const trace = () => {
    context.beginPath();
    if (vertical) {
      context.moveTo(x - 4, y - pixels); context.lineTo(x + 4, y - pixels);
      context.moveTo(x, y - pixels); context.lineTo(x, y);
      context.moveTo(x - 4, y); context.lineTo(x + 4, y);
    } else {
      const [left, low] = [margin + indent, y];
      context.moveTo(left, low - 4); context.lineTo(left, low + 4);
      context.moveTo(left, low); context.lineTo(left + pixels, low);
      context.moveTo(left + pixels, low - 4); context.lineTo(left + pixels, low + 4);
    }
    context.stroke();
  };
  for (const [style, width] of [["rgb(0 0 0 / 75%)", 5], ["#fff", 2]]) {
    context.strokeStyle = style;
    context.lineWidth = width;
    trace();
  }
  context.textAlign = vertical ? "right" : "left";
  const [tx, ty] = vertical ? [x - 10, y - pixels / 2 + 5] : [margin + indent, y - 10];
  write(context, text, tx, ty);
}

// Words for the ends of the directions, [first, last] or none: of the A-lines of a
// B-scan, of the B-scans of a volume.
const ends = { scan: [], slow: [] };

export function setEnds(news) {
  for (const name of Object.keys(ends)) ends[name] = news[name] ? news[name].split(",") : [];
  draw();
}

// Directions across and down of the picture that is shown.
export const getDirections = () => (shown ? shown.directions : ["scan", "depth"]);

// Writes the words of the directions that run across and down at the edges of a box.
// `indent`: room that is taken at the left edge.
export function nameEnds(context, box, [across, down], indent = 0) {
  context.font = "600 13px system-ui, sans-serif";
  const words = (direction) => (ends[direction] ?? []).map((word) => [word, context.measureText(word).width]);
  const [sides, heights] = [words(across), words(down)];
  // without room between them there are none
  if (sides.reduce((sum, [, width]) => sum + width, 60 + indent) < box.width && box.height >= 60)
    for (const [i, [word]] of sides.entries()) {
      context.textAlign = i === 0 ? "left" : "right";
      write(context, word, i === 0 ? 10 + indent : box.width - 10, box.height / 2);
    }
  context.textAlign = "center";
  if (box.height >= 110)
    for (const [i, [word, width]] of heights.entries())
      if (width + 60 < box.width) write(context, word, box.width / 2, i === 0 ? 38 : box.height - 10);
  context.textAlign = "left";
}

// Sizes in metres of the picture that is shown; 0: not known, or not the same
// everywhere.
export const getScaleSizes = () => (shown ? { width: shown.width, height: shown.height }
  : { width: scan.width, height: scan.depth });

export function draw() {
  const whole = place();
  if (!whole) return;
  // of a page that scrolls, the picture takes no more room than it needs
  document.body.style.setProperty("--shape", whole.known ? whole.width / whole.height : 1.6);
  for (const element of [...pictures, bars]) {
    element.style.left = `${whole.x}px`;
    element.style.top = `${whole.y}px`;
    element.style.width = `${whole.width}px`;
    element.style.height = `${whole.height}px`;
  }
  const ratio = window.devicePixelRatio || 1;
  bars.width = Math.round(whole.width * ratio);
  bars.height = Math.round(whole.height * ratio);
  const context = bars.getContext("2d");
  context.scale(ratio, ratio);
  const box = findOct(whole);
  if (box) {
    context.save();
    context.translate(box.x, box.y);
    drawScales(context, box);
    context.restore();
  }
  for (const paint of overlays) paint(context, whole);
}

// On the picture of OCT, which the context begins at.
function drawScales(context, box) {
  context.font = "600 14px system-ui, sans-serif";
  const { width, height } = getScaleSizes();
  const axis = depthAxis && !shown && height > 0 && box.height >= 60;
  if (axis) drawAxis(context, box);
  context.font = "600 14px system-ui, sans-serif";
  // without room there are none
  if (height > 0 && !axis && box.height >= 60 && box.width >= 180) {
    const length = niceLength(height / 4);
    bar(context, box, (length / height) * box.height, lengthText(length), true);
  }
  if (width > 0 && box.height >= 60 && box.width >= 120) {
    const length = niceLength(width / 4);
    bar(context, box, (length / width) * box.width, lengthText(length), false, axis ? 56 : 0);
  }
  nameEnds(context, box, getDirections(), axis ? 54 : 0);
  if (!shown) for (const paint of painters) paint(context, box);
  shown?.paint?.(context, box);
}

export function setShown(news) {
  shown = news;
  draw();
}

// Position of a pointer in all of the picture, from 0 to 1 both ways.
export function pointInWhole(event) {
  const box = bars.getBoundingClientRect();
  return { x: (event.clientX - box.left) / box.width, y: (event.clientY - box.top) / box.height,
    width: box.width, height: box.height };
}

// The same in that of OCT.
export function pointIn(event) {
  const whole = pointInWhole(event);
  const box = findOct(whole) ?? { x: 0, y: 0, width: whole.width, height: whole.height };
  return { x: (whole.x * whole.width - box.x) / box.width, y: (whole.y * whole.height - box.y) / box.height,
    width: box.width, height: box.height };
}

// Takes lines, depths, width and depth; draws again if they have changed.
export function setScan(news) {
  if (Object.keys(scan).every((key) => scan[key] === news[key])) return;
  Object.assign(scan, news);
  draw();
}

export const getScan = () => scan;

export function addPainter(paint) {
  painters.push(paint);
}

export function setDepthAxis(on) {
  depthAxis = on;
  draw();
}

export function setTrueProportions(on) {
  trueProportions = on;
  draw();
}

new ResizeObserver(draw).observe(stage);
