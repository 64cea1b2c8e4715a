// SPDX-License-Identifier: LGPL-2.1-or-later
// Rate, delay and losses of the pictures on this screen, and since when none come.
import { addDelay, forgetDelays, showDelays } from "/delays.js";

const $ = (id) => document.getElementById(id);

const clock = []; // of the last seconds: { roundTrip, offset }
const shown = []; // times of the frames of the last two seconds
const counted = []; // of the last ten seconds: { made, lost }
let lastShown = 0; // 0 = nothing yet
let delays = [];
let first = null; // B-scans lost before the first picture
let last = null; // status: { time, received }
let status = null; // the newest one, and when it came
let statusAt = 0;

// ------------------------------------------------------------------- this screen

// Milliseconds from one picture of the screen to the next: a busy browser leaves
// some out, none comes early.
let period = 0;
const ticks = [];
function tick(now) {
  ticks.push(now);
  if (ticks.length < 30) {
    requestAnimationFrame(tick);
    return;
  }
  const steps = ticks.slice(1).map((time, i) => time - ticks[i]).sort((a, b) => a - b);
  period = steps[Math.floor(steps.length / 4)];
  ticks.length = 0;
}
function measureScreen() {
  if (!document.hidden && ticks.length === 0) requestAnimationFrame(tick);
}
// the window may have gone to another screen
setInterval(measureScreen, 10000);
measureScreen();

// --------------------------------------------------------------------- pictures

export function forgetPictures() {
  shown.length = lastShown = 0;
  first = null;
}

export function forgetServer() {
  clock.length = counted.length = 0;
  forgetDelays();
  first = last = status = null;
}

export const seen = () => lastShown > 0;

// Earlier pictures are not a measure of those to come.
export function expectPictures() {
  if (lastShown > 0) lastShown = performance.now();
}

function keepTwoSeconds(now) {
  while (shown[0] < now - 2000) shown.shift();
}

export function takePicture(now, time, wrap) {
  lastShown = performance.now();
  shown.push(now);
  keepTwoSeconds(now);
  const best = clock.reduce((a, b) => (b.roundTrip < a.roundTrip ? b : a), clock[0] ?? {});
  const delay = now + best.offset - time;
  if (!Number.isFinite(delay)) return;
  delays.push(unwrapDelay(delay, wrap));
  addDelay(lastShown, delays.at(-1), best.roundTrip / 2);
}

// A delay whose time stamp was counted from 0 again after each `wrap`: the one nearest
// to 0, since clocks that differ a little make it negative.
export function unwrapDelay(delay, wrap) {
  return Number.isFinite(wrap) ? delay - wrap * Math.round(delay / wrap) : delay;
}

// A status says how long the one before and its acknowledgement took, 0 = not known.
export function takeClock(message, received) {
  if (last && message.roundTrip > 0)
    clock.push({ roundTrip: message.roundTrip,
      offset: last.time + message.roundTrip / 2 - last.received });
  last = { time: message.time, received };
  if (clock.length > 10) clock.shift();
  status = message;
  statusAt = received;
}

// ------------------------------------------------------------------- indicators

// The largest rate that this screen could show.
const possible = (rate) => (period > 0 ? Math.min(rate, 1000 / period) : rate);

// Whether so many were lost in the last seconds that somebody should know it.
function losesMany(lost) {
  counted.push({ made: status.frames, lost });
  if (counted.length > 10) counted.shift();
  const [before, now] = [counted[0], counted.at(-1)];
  return now.lost - before.lost > 0.02 * Math.max(1, now.made - before.made);
}

function show(id, text, bad) {
  $(id).textContent = text;
  $(id).classList.toggle("bad", bad);
  // in full screen, where there is no panel
  const chip = $(`${id}-bad`);
  if (!chip) return;
  chip.hidden = !bad;
  chip.lastElementChild.textContent = text;
}

// `volumes`: pictures come when there is something new; `lostHere`: by this browser.
export function showIndicators(volumes, lostHere) {
  const lost = status.dropped + status.missed + lostHere;
  // counted from the first picture on
  first ??= shown.length > 0 ? lost : null;
  const span = shown.at(-1) - shown[0];
  const rate = shown.length > 1 && span > 0 ? ((shown.length - 1) * 1000) / span : 0;
  const most = Math.max(status.rate, status.nominalRate);
  show("rate", volumes ? `${rate.toFixed(1)} /s` : `${rate.toFixed(1)} of ${status.rate.toFixed(1)} /s`,
    !volumes && (rate < 0.9 * possible(most) || status.rate < 0.9 * status.nominalRate));
  delays.sort((a, b) => a - b);
  const delay = delays[Math.floor(delays.length / 2)];
  // the error between the clocks can be larger than the delay itself
  show("delay", delay === undefined ? "–" : `${Math.max(0, Math.round(delay))} ms`, delay > 250);
  delays = [];
  // what the screen has no time for is not lost by anything that can be mended
  const many = losesMany(status.dropped + status.missed + (most > possible(most) ? 0 : lostHere));
  show("lost", first === null ? "–" : String(Math.max(0, lost - first)), first !== null && lost > first && many);
  $("backend").textContent = status.backend || "–";
  $("backend").parentElement.title = `B-scans: ${status.backend || "not computed here"}, video: ${status.encoder}`;
  $("size").textContent = status.lines ? `${status.lines} × ${status.depths}` : "–";
  $("viewers").textContent = String(status.viewers);
  showDelays();
}

// Nothing is known any more.
export function clearIndicators() {
  for (const indicator of document.querySelectorAll("#vital dd, #indicators dd")) {
    indicator.textContent = "–";
    indicator.classList.remove("bad");
  }
  for (const chip of document.querySelectorAll("#chips .vital")) chip.hidden = true;
}

// ------------------------------------------------------------- pictures that stop

// Since when none come, in seconds, and where that is to be mended; null: they do.
// A source that is slow all the time has not stopped.
export function findStop(sourceAdvice) {
  const now = performance.now();
  keepTwoSeconds(now);
  const usual = status?.nominalRate > 0 ? 3000 / status.nominalRate : 0;
  const limit = Math.max(2500, usual);
  if (!(lastShown > 0) || now - lastShown <= limit) return null;
  const seconds = Math.floor((now - lastShown) / 1000);
  // one comes every second
  if (now - statusAt > 2500)
    return { seconds, advice: "oct-live does not answer: its computer is busy or off, or the network is down." };
  if (status.silence * 1000 > limit) return { seconds, advice: sourceAdvice };
  return { seconds, advice: "They are made, and do not get here: the network or this browser is too slow. Close other pages, or open this one again." };
}
