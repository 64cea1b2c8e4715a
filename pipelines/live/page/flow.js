// SPDX-License-Identifier: LGPL-2.1-or-later
// What moves: names, scales and colours of its pictures, and the words of its settings.
import { bar, getScan, lengthText, niceLength, write } from "/view.js";

const $ = (id) => document.getElementById(id);
const NAMES = { flow: "Flow", doppler: "Doppler", dynamic: "Dynamic" };
// docs/flow.md says which backgrounds keep phases
const KEEP_PHASES = ["background", "background-scaled", "a-line", "none"];
const SLOWEST = 0.5; // Hz, of blue

export const isFlow = (show) => show in NAMES;

const digits = (value) => String(+value.toPrecision(3));
const speed = (value, { unit }) => `${digits(value)} ${unit}`;

// The speed of the brightest colour.
const rangeOf = (look) => (look.unit === "mm/s" && look.dopplerRange > 0 ? look.dopplerRange : look.halfTurn);

export const flowTexts = {
  flowLeast: (value) => `${value.toFixed(1)} dB`,
  dopplerRange: (value, look) => speed(rangeOf(look), look),
  dopplerAngle: (value) => `${value}°`,
  dopplerLeast: (value) => (value ? `${value} dB` : "off"),
  dynamicFrames: (value) => `${value} B-scans`,
  dynamicFastest: (value) => `${value} Hz`,
};

// Rows that make sense now.
export function showFlow(look) {
  for (const part of document.querySelectorAll("#look .of-above"))
    part.hidden ||= look.panels.length < 3;
  for (const row of document.querySelectorAll("#look .of-speed")) row.hidden = look.unit !== "mm/s";
  $("no-speed").hidden = look.unit === "mm/s";
  // in steps of a hundredth, so that slow flow can have all colours
  const most = Math.min(1e4, look.halfTurn ?? 1e4); // as oct-live takes it
  Object.assign($("dopplerRange"), { max: most, step: most / 100 });
  showPhases(look.show);
}

// A word of warning about the background that is removed.
export function showPhases(show) {
  $("phases-lost").hidden = !["flow", "doppler"].includes(show) || KEEP_PHASES.includes($("backgroundMode").value);
}

// A bar of colours at the lower edge of a box, where there is least tissue, with words for
// its ends and its middle.
function drawColours(context, box, colours, words) {
  const width = Math.min(240, box.width - 16);
  if (width < 130 || box.height < 90) return;
  const [x, y, height] = [(box.width - width) / 2, box.height - 20, 10];
  for (let column = 0; column < width; column++) {
    context.fillStyle = colours(column / (width - 1));
    context.fillRect(x + column, y, 1, height);
  }
  context.strokeStyle = "rgb(255 255 255 / 75%)";
  context.lineWidth = 1;
  context.strokeRect(x - 0.5, y - 0.5, width + 1, height + 1);
  context.font = "600 12px system-ui, sans-serif";
  for (const [i, align] of ["left", "center", "right"].entries()) {
    context.textAlign = align;
    write(context, words[i], x + (i * width) / 2, y - 6);
  }
  context.textAlign = "left";
}

// Grey levels above 128 move away from the beam, which comes from above.
function paintSpeeds(context, box, look, { dopplerColours }) {
  const range = digits(rangeOf(look));
  drawColours(context, box, (part) => `#${dopplerColours.substr(6 * Math.round(255 * part), 6)}`,
    [`↑ ${range}`, look.unit, `${range} ↓`]);
}

const paintRates = (context, box, look) => drawColours(context, box, (part) => `hsl(${240 * (1 - part)} 100% 50%)`,
  [String(SLOWEST), "Hz", String(look.dynamicFastest)]);

// `box`: of the whole picture.
export function paintFlow(context, box, look, hello) {
  const scale = box.width / look.picture.width;
  const { width, depth } = getScan();
  const names = ["Structure", NAMES[look.show], "Flow from above"];
  for (const [i, panel] of look.panels.entries()) {
    const part = { width: panel.width * scale, height: panel.height * scale };
    context.save();
    context.translate(panel.x * scale, panel.y * scale);
    if (i === 1 && look.show === "doppler") paintSpeeds(context, part, look, hello);
    if (i === 1 && look.show === "dynamic") paintRates(context, part, look);
    // a phone has no room for more than names
    const size = Math.min(14, Math.max(11, part.height / 12));
    context.font = `600 ${size}px system-ui, sans-serif`;
    write(context, names[i], 8, 1.4 * size);
    context.font = "600 12px system-ui, sans-serif";
    const length = width > 0 ? niceLength(width / 4) : 0;
    if (length > 0 && i !== 1 && part.width >= 180 && part.height >= 90)
      bar(context, part, (length / width) * part.width, lengthText(length), false);
    const deep = depth > 0 ? niceLength(depth / 4) : 0;
    if (deep > 0 && i === 0 && part.width >= 180 && part.height >= 110)
      bar(context, part, (deep / depth) * part.height, lengthText(deep), true);
    context.restore();
  }
}
