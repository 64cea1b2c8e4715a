// SPDX-License-Identifier: LGPL-2.1-or-later
// The delays of the pictures of the last minute: a histogram, figures, and both as text to
// be saved.  A picture is known by the time stamp that comes with it, so nothing is drawn
// into it.
import { beginPlot, colour } from "/signal.js";

const details = document.getElementById("delays");
const MINUTE = 60000; // ms
const BIN = 5; // ms
const MOST = 500; // ms: longer ones are in the last bin

const kept = []; // { at, delay } in ms, the oldest first
let clocks = NaN; // ms: how well the two clocks are known to agree

export function forgetDelays() {
  kept.length = 0;
}

export function addDelay(at, delay, uncertainty) {
  kept.push({ at, delay });
  clocks = uncertainty;
  while (kept[0].at < at - MINUTE) kept.shift();
}

// Of delays in ms, at least one: median, the one that 95 % are below, the largest, and the
// numbers in bins of BIN from 0 on, up to the last that has any.
export function summarise(delays) {
  const sorted = [...delays].sort((a, b) => a - b);
  const place = (part) => sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))];
  const bins = [];
  for (const delay of sorted) {
    const bin = Math.floor(Math.min(MOST, Math.max(0, delay)) / BIN);
    while (bins.length <= bin) bins.push(0);
    bins[bin]++;
  }
  return { median: place(0.5), most: place(0.95), largest: sorted.at(-1), count: sorted.length, bins };
}

const ms = (value) => `${Math.max(0, Math.round(value))} ms`;

function describe({ median, most, largest, count }) {
  const seconds = Math.round((kept.at(-1).at - kept[0].at) / 1000);
  return `Median ${ms(median)}, 95 % below ${ms(most)}, largest ${ms(largest)}: ${count} pictures in `
    + `${seconds} s. The clocks agree to ${ms(Math.ceil(clocks))}.`;
}

function draw(bins) {
  const plot = beginPlot(details.querySelector("canvas"), { low: 0, high: bins.length * BIN },
    { low: 0, high: Math.max(...bins) });
  plot.context.fillStyle = colour("accent");
  bins.forEach((number, i) => {
    const left = plot.x(i * BIN), top = plot.y(number);
    plot.context.fillRect(left, top, Math.max(1, plot.x((i + 1) * BIN) - left - 1), plot.bottom - top);
  });
}

// Once a second, if it is open.
export function showDelays() {
  const none = kept.length === 0;
  document.getElementById("save-delays").disabled = none;
  if (!details.open) return;
  const summary = none ? null : summarise(kept.map(({ delay }) => delay));
  document.getElementById("delay-figures").textContent = none ? "No pictures yet." : describe(summary);
  if (!none) draw(summary.bins);
}

function asText() {
  const summary = summarise(kept.map(({ delay }) => delay));
  const said = (id) => document.getElementById(id).textContent;
  const rows = summary.bins.map((number, i) => `${i * BIN}\t${number}`);
  return [`# Delay of pictures, from the time stamp of the B-scan to the screen, ${new Date().toISOString()}`,
    `# ${describe(summary)}`,
    `# B-scans: ${said("size")}, ${said("backend")}; pictures: ${said("media")}, ${said("rate")}, lost ${said("lost")}`,
    `# ${navigator.userAgent}`,
    `# from (ms; bins of ${BIN} ms, the last with all longer ones)\tpictures`, ...rows, ""].join("\n");
}

details.addEventListener("toggle", showDelays);
document.getElementById("save-delays").addEventListener("click", () => {
  if (kept.length === 0) return;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([asText()], { type: "text/plain" }));
  link.download = "delays.txt";
  link.click();
  URL.revokeObjectURL(link.href);
});
