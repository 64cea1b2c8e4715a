// SPDX-License-Identifier: LGPL-2.1-or-later
// The microscope's video and OCT on one screen, which oct-live puts together: the
// layout, and where the scan is in the field, found by clicks on its four corners.
import { addKeys } from "/keys.js";
import { addOverlay, pointInWhole, setPart, write } from "/view.js";

const $ = (id) => document.getElementById(id);
const stage = $("stage");
const CORNERS = ["the first A-line of the first B-scan", "the last A-line of the first B-scan",
  "the last A-line of the last B-scan", "the first A-line of the last B-scan"];

let send = () => {};
let changed = () => {};
let screen = null; // as the server has it; null: there is no microscope
let control = false;
let aims = false; // as soon as the field is shown
let aiming = null; // { eye, corners }: clicked so far, in parts of the field

// Whether the field is in the picture that comes, and OCT as it is put there.
export const showsField = () => Boolean(screen?.on);
export const showsOct = () => !showsField() || (screen.octs.length > 0 && screen.eyes !== "both");

export function setScreenSender(sender, onChanged) {
  send = sender;
  changed = onChanged;
}

export function forgetScreen() {
  screen = aiming = null;
  show();
}

export function takeScreen(message, hello) {
  const first = !screen;
  const other = !first && (screen.layout !== message.layout || screen.eyes !== message.eyes);
  screen = message;
  control = hello.control;
  if (other) aiming = aims && screen.fields.length > 0 ? { eye: null, corners: [] } : null;
  aims = false;
  show();
  changed({ first, other });
}

function show() {
  $("screen").hidden = !screen;
  $("field-trouble").hidden = !screen?.trouble;
  $("field-trouble").textContent = screen?.trouble ?? "";
  stage.classList.toggle("aims", Boolean(aiming));
  $("aim-hint").hidden = !aiming;
  $("aim").setAttribute("aria-pressed", Boolean(aiming));
  $("aim").firstElementChild.textContent = aiming ? "Cancel" : "Calibrate";
  if (aiming) $("aim-hint").textContent = `Corner ${aiming.corners.length + 1} of 4: click on ${CORNERS[aiming.corners.length]}`;
  setPart(place());
  if (!screen) return;
  for (const part of $("screen").querySelectorAll("select, button")) part.disabled = !control;
  $("layout").value = screen.layout;
  $("eyes").value = screen.eyes;
  $("eyes-row").hidden = !screen.stereo;
  const known = [screen.aimedLeft && "left", screen.aimedRight && "right"].filter(Boolean);
  $("forget-aim").disabled = !control || known.length === 0;
  const whose = screen.stereo ? ` of the ${known.join(" and the ")} eye` : "";
  $("aim-note").textContent = known.length === 0
    ? "Not calibrated: the place of the scan is not drawn."
    : `The scan is drawn in the picture${whose}. `
      + `${screen.keeps ? "It is kept." : "It is known until oct-live ends."} `
      + "Calibrate again after each change of zoom or place.";
}

// Where OCT is in the picture, in parts of it.
function place() {
  if (!showsField()) return null;
  const [oct] = showsOct() ? screen.octs : [];
  return { aspect: screen.width / screen.height,
    oct: oct && { x: oct.x / screen.width, y: oct.y / screen.height, width: oct.width / screen.width,
      height: oct.height / screen.height } };
}

// ---------------------------------------------------------------------- controls

const tell = () => send({ type: "screen", layout: $("layout").value, eyes: $("eyes").value });
for (const id of ["layout", "eyes"]) $(id).addEventListener("change", tell);
$("screen").addEventListener("submit", (event) => event.preventDefault());

function next() {
  const { options } = $("layout");
  $("layout").selectedIndex = ($("layout").selectedIndex + 1) % options.length;
  tell();
}
addKeys({ o: next }, { may: () => Boolean(screen) && control });

function stopAiming() {
  aiming = null;
  show();
}

$("aim").addEventListener("click", () => {
  if (aiming) return stopAiming();
  // corners are clicked where the field is
  if (screen.fields.length === 0) {
    aims = true;
    send({ type: "screen", layout: "microscope", eyes: screen.eyes });
  } else {
    aiming = { eye: null, corners: [] };
    show();
  }
  return undefined;
});
$("forget-aim").addEventListener("click", () => {
  for (const [eye, known] of [["left", screen.aimedLeft], ["right", screen.aimedRight]])
    if (known) send({ type: "aim", eye, corners: "" });
});
addKeys({ Escape: stopAiming, Backspace: () => {
  aiming.corners.pop();
  show();
} }, { may: () => Boolean(aiming) });

// -------------------------------------------------------------------------- aim

// The field that a place of the whole picture is in, its eye, and the place in it.
function findInField(at) {
  const [x, y] = [at.x * screen.width, at.y * screen.height];
  for (const [i, box] of screen.fields.entries())
    if (x >= box.x && x <= box.x + box.width && y >= box.y && y <= box.y + box.height) {
      const eye = screen.eyes === "both" ? ["left", "right"][i] : screen.eyes;
      return { eye, x: (x - box.x) / box.width, y: (y - box.y) / box.height };
    }
  return null;
}

// Before anything else that a click on the picture does.
stage.addEventListener("pointerdown", (event) => {
  if (!aiming || event.button !== 0) return;
  event.stopImmediatePropagation();
  event.preventDefault();
  const at = findInField(pointInWhole(event));
  // four corners of one eye
  if (!at || (aiming.eye && at.eye !== aiming.eye)) return;
  aiming.eye = at.eye;
  aiming.corners.push(at);
  if (aiming.corners.length < 4) return show();
  const corners = aiming.corners.map(({ x, y }) => `${x.toFixed(5)},${y.toFixed(5)}`).join(" ");
  send({ type: "aim", eye: aiming.eye, corners });
  return stopAiming();
}, true);

// The corners so far, over the whole picture.
addOverlay((context, box) => {
  if (!aiming || !showsField()) return;
  const field = screen.fields[screen.eyes === "both" && aiming.eye === "right" ? 1 : 0];
  if (!field) return;
  const scale = box.width / screen.width;
  const at = ({ x, y }) => [(field.x + x * field.width) * scale, (field.y + y * field.height) * scale];
  for (const [style, width] of [["rgb(0 0 0 / 75%)", 4], ["#ffb454", 2]]) {
    context.strokeStyle = style;
    context.lineWidth = width;
    context.beginPath();
    for (const corner of aiming.corners) context.lineTo(...at(corner));
    context.stroke();
  }
  context.font = "600 14px system-ui, sans-serif";
  context.textAlign = "left";
  for (const [i, corner] of aiming.corners.entries()) {
    const [x, y] = at(corner);
    context.fillStyle = "#ffb454";
    context.beginPath();
    context.arc(x, y, 5, 0, 2 * Math.PI);
    context.fill();
    write(context, String(i + 1), x + 8, y - 8, "#ffb454");
  }
});

