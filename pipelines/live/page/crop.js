// SPDX-License-Identifier: LGPL-2.1-or-later
// The depths that are shown: two ends in micrometres of the sample, or in depths
// if their size is not known.  oct-live has the first one and how many there are.
const $ = (id) => document.getElementById(id);
const QUIET = 1500; // ms: a control that somebody is just changing is not overwritten

let send = () => {};
let bins = { first: 0, depths: 0, all: 0, size: 0 }; // size: of one in um, 0 = not known
let edited = -Infinity;

const unit = () => (bins.size > 0 ? bins.size : 1);
const shown = (bin) => Math.round(bin * unit());

function put(id, bin) {
  $(`${id}-slider`).value = bin;
  if (document.activeElement !== $(id)) $(id).value = shown(bin);
}

function show() {
  const { first, depths, all } = bins;
  for (const id of ["depth-from", "depth-to"]) {
    $(`${id}-slider`).max = all;
    $(id).max = shown(all);
  }
  for (const element of $("crop").querySelectorAll(".unit")) element.textContent = bins.size > 0 ? "µm" : "depths";
  put("depth-from", first);
  put("depth-to", first + depths);
}

// The pictures as they are now; no depths: they are of another kind.  A recording keeps
// the size of its pictures.
export function setCrop(news, recording) {
  $("crop").hidden = !(news.all > 0);
  for (const control of $("crop").querySelectorAll("input, button")) control.disabled = recording;
  $("crop").title = recording ? "A recording keeps its depths: end it first" : "";
  if (!(news.depths > 0) || performance.now() - edited < QUIET) return;
  bins = news;
  show();
}

export function setCropSender(change) {
  send = change;
}

// At least 16 depths stay: fewer are no picture.
function change(from, to) {
  edited = performance.now();
  const first = Math.max(0, Math.min(from, bins.all - 16));
  const end = Math.min(bins.all, Math.max(to, first + 16));
  bins = { ...bins, first, depths: end - first };
  show();
  send("depthStart", first);
  send("depthBins", first === 0 && end === bins.all ? 0 : end - first);
}

const ends = { "depth-from": (bin) => [bin, Math.max(bins.first + bins.depths, bin + 16)],
  "depth-to": (bin) => [Math.min(bins.first, Math.max(0, bin - 16)), bin] };
for (const [id, both] of Object.entries(ends)) {
  // each change makes pictures of another size: one for each move of the slider
  $(`${id}-slider`).addEventListener("input", () => {
    edited = performance.now();
    $(id).value = shown($(`${id}-slider`).valueAsNumber);
  });
  $(`${id}-slider`).addEventListener("change", () => change(...both($(`${id}-slider`).valueAsNumber)));
  $(id).addEventListener("change", () => {
    const value = $(id).valueAsNumber;
    if (value >= 0) change(...both(Math.min(bins.all, Math.round(value / unit()))));
  });
}
$("all-depths").addEventListener("click", () => change(0, bins.all));
