// SPDX-License-Identifier: LGPL-2.1-or-later
// Volumes and what moves: the tabs, their settings, and hands on the picture.  All pages
// share them: the server renders one picture, those who control turn it.
import { flowTexts, isFlow, paintFlow, showFlow } from "/flow.js";
import { addKeys } from "/keys.js";
import { bar, getScan, hasPart, lengthText, nameEnds, niceLength, pointIn, setShown, write as writeOn } from "/view.js";

const $ = (id) => document.getElementById(id);
const stage = $("stage");
const tabs = [...$("tabs").querySelectorAll("button")];
const sliders = [...$("look").querySelectorAll("input[type=range]")].map(({ id }) => id);
const checks = ["stereo", "flatten"];
const choices = [...$("look").querySelectorAll("select")].map(({ id }) => id);
const edges = [["cropLeft", "cropRight"], ["cropFront", "cropBack"], ["cropTop", "cropBottom"]];
// the server's initial values, too
const CAMERA = { yaw: -35, pitch: 34, zoom: 0.9, panX: 0, panY: 0 };
const WHOLE = { cropLeft: 0, cropRight: 1, cropFront: 0, cropBack: 1, cropTop: -1, cropBottom: 1, cutX: 0, cutY: 0 };
// The planes and the projection in the fourth quarter: which position is across,
// which down, and their colours.
const PLANES = [["atX", "atZ", "atY"], ["atY", "atZ", "atX"], ["atX", "atY", "atZ"], ["atX", "atY", "enface"]];
// of the beam, from B-scan to B-scan, into the sample
const DIRECTIONS = { atX: "scan", atY: "slow", atZ: "depth" };
const COLOURS = { atX: "#7ee787", atY: "#58a6ff", atZ: "#ffb454", enface: "#c9d1d9" };

let send = () => {};
let switched = () => {};
let look = null; // as the server has it, with the changes made here since
let control = false;
let hello = null;

export const getShow = () => look?.show ?? "bscan";

export function setSender(sender, onSwitched) {
  send = sender;
  switched = onSwitched;
}

// ----------------------------------------------------------------- messages sent

let edited = -Infinity;
let settling = 0;
export function takeLook(message, greeting) {
  hello = greeting;
  control = hello.control;
  clearTimeout(settling);
  const quiet = 700 - (performance.now() - edited);
  if (look && look.show !== message.show) switched();
  // a setting that somebody is just changing is not overwritten
  if (look && quiet > 0) {
    const { show, bscans, picture, panels, sizeX, sizeY, sizeZ, halfTurn, unit } = message;
    Object.assign(look, { show, bscans, picture, panels, sizeX, sizeY, sizeZ, halfTurn, unit });
    settling = setTimeout(() => takeLook(message, greeting), quiet + 10);
  } else look = message;
  show();
}

export function forgetLook() {
  clearTimeout(settling);
  look = null;
  $("tabs").hidden = $("look").hidden = true;
}

function show() {
  const shown = getShow();
  $("look").hidden = shown === "bscan";
  for (const tab of tabs) {
    tab.hidden = tab.dataset.show !== "bscan" && !(isFlow(tab.dataset.show) ? hello.settable : look.bscans > 1);
    tab.setAttribute("aria-pressed", tab.dataset.show === shown);
    tab.disabled = !control;
  }
  for (const part of $("look").querySelectorAll("fieldset")) {
    part.hidden = part.dataset.of !== shown;
    part.disabled = !control;
  }
  $("tabs").hidden = tabs.every((tab) => tab.hidden || tab.dataset.show === "bscan");
  showFlow(look);
  stage.classList.toggle("turns", control && shown === "volume");
  stage.classList.toggle("points", control && shown === "planes");
  for (const id of ["slabStart", "slabThickness", "flowStart", "flowThickness"]) $(id).max = Math.ceil((look.sizeZ * 1e6) / 10) * 10;
  for (const id of sliders) $(id).value = look[id];
  for (const id of checks) $(id).checked = look[id];
  for (const id of choices) $(id).value = look[id];
  write();
  place();
}

const percent = (part) => `${Math.round(100 * part)} %`;
const ofDepth = (micrometres) => lengthText(micrometres * 1e-6);
const texts = {
  threshold: (value) => (value < 0 ? "auto" : value || "off"),
  opacity: (value) => `× ${value.toFixed(1)}`,
  cutX: percent,
  cutY: percent,
  slabStart: (value) => (value ? ofDepth(value) : "top"),
  slabThickness: (value) => (value ? ofDepth(value) : "all"),
  atX: percent,
  atY: (part) => `${Math.min(look.bscans, 1 + Math.floor(part * look.bscans))} / ${look.bscans}`,
  atZ: (part) => lengthText(Math.max(part * look.sizeZ, 1e-6)),
  flowStart: (value) => (value ? ofDepth(value) : "top"),
  flowThickness: (value) => (value ? ofDepth(value) : "all"),
  ...flowTexts,
};

function write() {
  for (const output of $("look").querySelectorAll("output")) {
    const id = output.htmlFor.value;
    output.textContent = texts[id](look[id], look);
  }
}

function place() {
  const shown = getShow();
  const { width, height } = look.picture;
  if (shown === "bscan" || !(width > 0)) return setShown(null);
  const known = shown === "enface";
  // a 3-D monitor draws each half over all of itself
  const aspect = shown === "volume" && look.stereo ? width / 2 / height : width / height;
  return setShown({ aspect, width: known && hello.width > 0 ? look.sizeX : 0,
    height: known && hello.length > 0 ? look.sizeY : 0,
    directions: known ? [DIRECTIONS.atX, DIRECTIONS.atY] : [],
    paint: shown === "planes" ? paintPlanes
      : isFlow(shown) ? (context, box) => paintFlow(context, box, look, hello) : null });
}

// Lines at the places of the other two planes, in their colours.
function paintPlanes(context, box) {
  const scale = box.width / look.picture.width;
  context.lineWidth = 1.5;
  context.textAlign = "left";
  for (const [i, panel] of look.panels.entries()) {
    const [across, down, own] = PLANES[i];
    const [x, y, width, height] = [panel.x, panel.y, panel.width, panel.height].map((n) => n * scale);
    const line = (name, ...points) => {
      context.strokeStyle = COLOURS[name];
      context.globalAlpha = 0.75;
      context.beginPath();
      context.moveTo(points[0], points[1]);
      context.lineTo(points[2], points[3]);
      context.stroke();
      context.globalAlpha = 1;
    };
    line(across, x + look[across] * width, y, x + look[across] * width, y + height);
    line(down, x, y + look[down] * height, x + width, y + look[down] * height);
    context.strokeStyle = COLOURS[own];
    context.strokeRect(x + 1, y + 1, width - 2, height - 2);
    context.save();
    context.translate(x, y);
    nameDirections(context, { width, height }, across, down);
    if (own !== "enface" || areLarge(scale)) nameEnds(context, { width, height }, [DIRECTIONS[across], DIRECTIONS[down]]);
    context.restore();
  }
  namePlanes(context, scale);
}

// In metres, 0 = not known.
const sizeOf = (direction) => ({ atX: hello.width > 0 ? look.sizeX : 0, atY: hello.length > 0 ? look.sizeY : 0,
  atZ: getScan().depth > 0 ? look.sizeZ : 0 })[direction];

// Which way a plane runs, and how large it is, where there is room for it.
function nameDirections(context, box, across, down) {
  if (box.width < 220 || box.height < 70) return;
  context.textAlign = "left";
  context.font = "600 12px system-ui, sans-serif";
  writeOn(context, `${DIRECTIONS[down]} ↓`, 8, 18);
  context.textAlign = "right";
  writeOn(context, `${DIRECTIONS[across]} →`, box.width - 8, 18);
  const length = sizeOf(across) > 0 ? niceLength(sizeOf(across) / 3) : 0;
  if (length > 0) bar(context, box, (length / sizeOf(across)) * box.width, lengthText(length), false);
  const depth = sizeOf(down) > 0 ? niceLength(sizeOf(down) / 3) : 0;
  if (depth > 0) bar(context, box, (depth / sizeOf(down)) * box.height, lengthText(depth), true);
  context.textAlign = "left";
}

// Whether each plane has room for its name.
const areLarge = (scale) => look.panels.slice(0, 3)
  .every(({ width, height }) => width * scale >= 220 && height * scale >= 70);

// Names of the planes, in their colours: within each if all are large, else of the
// projection alone, so that small planes are not covered; frames and sliders have the
// colours, and sliders the places.
function namePlanes(context, scale) {
  const names = { atY: `B-scan ${texts.atY(look.atY)}`, atX: `Across ${texts.atX(look.atX)}`,
    atZ: `Depth ${texts.atZ(look.atZ)}`, enface: "En face" };
  const boxes = look.panels.map((panel) =>
    Object.fromEntries(["x", "y", "width", "height"].map((name) => [name, panel[name] * scale])));
  context.textAlign = "center";
  if (areLarge(scale)) {
    context.font = "600 13px system-ui, sans-serif";
    for (const [i, { x, y, width }] of boxes.entries())
      writeOn(context, names[PLANES[i][2]], x + width / 2, y + 18, COLOURS[PLANES[i][2]]);
  } else if (boxes.length > 3) {
    const { x, y, width, height } = boxes[3];
    const size = Math.min(13, height / 7, width / 6);
    context.font = `600 ${size}px system-ui, sans-serif`;
    writeOn(context, names.enface, x + width / 2, y + 1.5 * size, COLOURS.enface);
  }
  context.textAlign = "left";
}

// Shows a note until the first picture of the chosen view is there.
setInterval(() => {
  const video = $("video").hidden ? null : $("video");
  const [width, height] = video ? [video.videoWidth, video.videoHeight] : [$("jpeg").width, $("jpeg").height];
  const waits = getShow() !== "bscan" && !hasPart() && look.picture.width > 0
    && (width !== look.picture.width || height !== look.picture.height);
  $("waiting").textContent = isFlow(getShow()) ? "What moves is being found …" : "A volume is being scanned …";
  $("waiting").hidden = !waits;
}, 200);

// ----------------------------------------------------------------------- settings

let pending = {};
let timer = 0;
function change(values) {
  edited = performance.now();
  Object.assign(look, values);
  Object.assign(pending, values);
  timer ||= setTimeout(() => {
    send({ type: "look", ...pending });
    pending = {};
    timer = 0;
  }, 40);
  show();
}

for (const tab of tabs)
  tab.addEventListener("click", () => {
    if (!control || !look || tab.hidden || tab.dataset.show === getShow()) return;
    // the size of its picture comes with the answer
    send({ type: "look", show: tab.dataset.show });
  });

for (const id of sliders)
  $(id).addEventListener("input", () => {
    const values = { [id]: $(id).valueAsNumber };
    // an edge takes the one that it meets along
    for (const [low, high] of edges) {
      if (id === low && values[low] > look[high] - 0.02) values[high] = Math.min(1, values[low] + 0.02);
      if (id === high && values[high] < look[low] + 0.02) values[low] = Math.max(0, values[high] - 0.02);
      if (id === low && values[low] > 0.98) values[low] = 0.98;
      if (id === high && values[high] < 0.02) values[high] = 0.02;
    }
    // the upper end is below the rows near zero delay, which are not tissue
    if (values.cropTop === 0) values.cropTop = -1;
    // a corner is cut out as soon as one of its two sizes is set
    if (id === "cutX" && values.cutX > 0 && look.cutY === 0) values.cutY = 0.5;
    if (id === "cutY" && values.cutY > 0 && look.cutX === 0) values.cutX = 0.5;
    change(values);
  });
for (const id of checks) $(id).addEventListener("change", () => change({ [id]: $(id).checked }));
for (const id of choices) $(id).addEventListener("change", () => change({ [id]: $(id).value }));
$("look").addEventListener("submit", (event) => event.preventDefault());
$("reset-view").addEventListener("click", () => change({ ...CAMERA }));
$("reset-cut").addEventListener("click", () => change({ ...WHOLE }));

// -------------------------------------------------------------------- the camera

const clamp = (value, least, most) => Math.min(most, Math.max(least, value));
// -180 to 180
const wrap = (degrees) => degrees - 360 * Math.round(degrees / 360);

const turn = (yaw, pitch) =>
  change({ yaw: wrap(look.yaw + yaw), pitch: clamp(look.pitch + pitch, -90, 90) });
const resize = (factor) => change({ zoom: clamp(look.zoom * factor, 0.2, 20) });
const move = (x, y) => change({ panX: clamp(look.panX + x, -10, 10), panY: clamp(look.panY + y, -10, 10) });

const mayTurn = () => control && getShow() === "volume";
const mayPoint = () => control && getShow() === "planes";

// Three planes: the panel on which the pointer went down.
let pointed = null;
function point(event) {
  const at = pointIn(event);
  const [x, y] = [at.x * look.picture.width, at.y * look.picture.height];
  pointed ??= look.panels.findIndex((p) => x >= p.x && x < p.x + p.width && y >= p.y && y < p.y + p.height);
  if (!(pointed >= 0)) return;
  const panel = look.panels[pointed];
  const [across, down] = PLANES[pointed];
  change({ [across]: clamp((x - panel.x) / panel.width, 0, 1), [down]: clamp((y - panel.y) / panel.height, 0, 1) });
}

const pointers = new Map(); // id: { x, y }, those that are down
function drag(event) {
  const before = pointers.get(event.pointerId);
  const now = { x: event.clientX, y: event.clientY };
  const { width, height } = pointIn(event);
  const [dx, dy] = [now.x - before.x, now.y - before.y];
  const other = [...pointers].find(([id]) => id !== event.pointerId)?.[1];
  pointers.set(event.pointerId, now);
  if (other) {
    // two fingers: each one moves by half, and their distance is the size
    const distance = (a) => Math.hypot(a.x - other.x, a.y - other.y);
    move(dx / 2 / height, -dy / 2 / height);
    if (distance(before) > 10) resize(distance(now) / distance(before));
  } else if (event.shiftKey || (event.buttons & 6) !== 0) move(dx / height, -dy / height);
  else turn((-180 * dx) / width, (180 * dy) / height);
}

stage.addEventListener("pointerdown", (event) => {
  if (!mayTurn() && !mayPoint()) return;
  stage.setPointerCapture(event.pointerId);
  pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  pointed = null;
  if (mayPoint()) point(event);
});
stage.addEventListener("pointermove", (event) => {
  if (!pointers.has(event.pointerId)) return;
  if (mayTurn()) drag(event);
  else if (mayPoint()) point(event);
});
for (const end of ["pointerup", "pointercancel", "lostpointercapture"])
  stage.addEventListener(end, (event) => pointers.delete(event.pointerId));
stage.addEventListener("contextmenu", (event) => {
  if (mayTurn()) event.preventDefault();
});
stage.addEventListener("wheel", (event) => {
  if (!mayTurn()) return;
  event.preventDefault();
  resize(1.1 ** clamp(-event.deltaY / 100, -5, 5));
}, { passive: false });
stage.addEventListener("dblclick", () => {
  if (mayTurn()) change({ ...CAMERA });
});

const camera = {
  ArrowLeft: () => turn(5, 0),
  ArrowRight: () => turn(-5, 0),
  ArrowUp: () => turn(0, -5),
  ArrowDown: () => turn(0, 5),
  "+": () => resize(1.1),
  "=": () => resize(1.1),
  "-": () => resize(1 / 1.1),
  Home: () => change({ ...CAMERA }),
};
addKeys(camera, { may: mayTurn, repeats: true });
addKeys(Object.fromEntries(tabs.map((tab, i) => [String(i + 1), () => tab.click()])),
  { may: () => control && !$("tabs").hidden });
