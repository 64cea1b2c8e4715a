// SPDX-License-Identifier: LGPL-2.1-or-later
// The page: talks to oct-live over a WebSocket, shows its messages, sends the
// settings.
import { clearIndicators, expectPictures, findStop, forgetPictures, forgetServer, seen, showIndicators, takeClock,
  takePicture } from "/indicators.js";
import { getCase, setCaseSender, takeCase, takeCases, takeNotes } from "/case.js";
import { setCrop, setCropSender } from "/crop.js";
import { isFlow, showPhases } from "/flow.js";
import { addKeys } from "/keys.js";
import { Jpeg, WebCodecs, WebRtc } from "/media.js";
import { setMeasured } from "/measure.js";
import { forgetScan, offerPatterns, setScanSender, takePath, takeRefusal, takeScan, takeTrack } from "/scan.js";
import { forgetScreen, setScreenSender, showsField, showsOct, takeScreen } from "/microscope.js";
import { forgetMeters, setLateral, takeMeters } from "/signal.js";
import { drawScales } from "/snapshot.js";
import { setDepthAxis, setEnds, setScan, setTrueProportions } from "/view.js";
import { forgetLook, getShow, setSender, takeLook } from "/volume.js";

const $ = (id) => document.getElementById(id);
// The controls of settings have their names as ids: oct-live-settings.h.
const find = (kind) => [...$("settings").querySelectorAll(kind)].map(({ id }) => id);
const numbers = find("[type=number]:not(.own)");
const choices = find("select");
const switches = find("[type=checkbox]");
const unit = (name) => Number($(name).dataset.unit ?? 1); // the number shown for 1

let socket = null;
let media = null;
let goodbye = null; // why oct-live has ended, if it sent a reason
let trouble = ""; // why there are no pictures, from oct-live
let hello = null; // the server's first message
let webrtcFailures = 0;
let codecsFailures = 0;
let retry = 1000;
let frozen = null; // { blob, url, name } of the picture that is held
let shownRange = null; // { black, white } of the picture that is seen, in dB
let lastHeard = 0;

// ------------------------------------------------------------------- messages

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function veil(text, title = "", stalled = false) {
  $("veil").hidden = !text;
  $("veil").classList.toggle("stalled", stalled);
  $("veil-title").hidden = !title;
  $("veil-title").textContent = title;
  $("veil-text").textContent = text ?? "";
}

let problemTimer = 0;
function problem(text) {
  $("problem").hidden = !text;
  $("problem").textContent = text;
  clearTimeout(problemTimer);
  problemTimer = setTimeout(() => { $("problem").hidden = true; }, 12000);
}

// A new action hides the message on an earlier failure.
function act(message) {
  problem("");
  send(message);
}

const takers = {
  hello: takeHello,
  state: takeState,
  look: (message) => {
    takeLook(message, hello);
    showColours();
  },
  screen: (message) => takeScreen(message, hello),
  status: takeStatus,
  meters: takeMeters,
  path: takePath,
  freeze: () => $("freeze").click(),
  cases: takeCases,
  problem: (message) => {
    awaited = 0;
    problem(message.message);
    takeRefusal(message.message);
  },
  bye: (message) => { goodbye = message.message; },
  // a source is being chosen
  setup: () => location.reload(),
};

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  lastHeard = performance.now();
  socket = new WebSocket(`${scheme}://${location.host}/socket`);
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => {
    if (data instanceof ArrayBuffer) return media?.takeUnit?.(data);
    const message = JSON.parse(data);
    (takers[message.type] ?? ((m) => media?.take(m)))(message);
  };
  socket.onclose = onClose;
}

// A socket whose other end is gone would close only after minutes.
function abandon() {
  socket.onclose = socket.onmessage = null;
  socket.close();
  onClose();
}

async function onClose() {
  clearTimeout(settling);
  media?.close();
  media = null;
  trouble = "";
  forgetMeters();
  // their changes would not arrive
  for (const part of $("settings").querySelectorAll("fieldset")) part.disabled = true;
  $("record").disabled = $("mirror").disabled = $("scan-controls").disabled = true;
  showRecording(false);
  veil(goodbye ?? "The connection is lost. Trying again …");
  clearIndicators();
  // a session that has ended needs the link again
  const answer = await fetch("/icon.svg", { cache: "no-store", signal: AbortSignal.timeout(5000) })
    .catch(() => null);
  if (answer?.status === 401)
    veil("This page has no access any more. Open its link again.");
  setTimeout(connect, retry);
  retry = Math.min(retry * 1.5, 5000);
}

// --------------------------------------------------------------------- pictures

// Begun again when pictures come.
function leave() {
  media?.close();
  media = null;
}

function watch(Kind) {
  media?.close();
  $("video").hidden = Kind !== WebRtc;
  $("jpeg").hidden = Kind !== Jpeg;
  forgetPictures();
  media = new Kind(send, onFrame, () => {
    if (socket?.readyState !== WebSocket.OPEN) return;
    if (isBlind()) return leave(); // nobody's fault
    if (Kind === WebRtc) webrtcFailures += seen() ? 1 : 2;
    if (Kind === WebCodecs) codecsFailures++;
    setTimeout(() => {
      if (media !== mine) return;
      if (!isBlind()) choose();
      else leave();
    }, 1200);
  }, wanted === "webrtc");
  const mine = media;
  $("media").textContent = media.name;
}

// ?media=jpeg, webrtc or webcodecs asks for one way alone.
const wanted = new URLSearchParams(location.search).get("media");

// WebRTC; JPEG if it does not get through, or breaks off twice.
function choose() {
  const webrtc = "RTCPeerConnection" in window && wanted !== "jpeg" && wanted !== "webcodecs"
    && (webrtcFailures < 2 || wanted === "webrtc");
  const codecs = wanted === "webcodecs" && "VideoDecoder" in window && codecsFailures < 2;
  if (webrtc) watch(WebRtc);
  else watch(codecs ? WebCodecs : Jpeg);
}

// Nothing comes; a microscope's video goes on without OCT.
const isBlind = () => Boolean(trouble) && !showsField();

// An old picture must not be taken for a live one, also if the network or the
// other computer disappears without a message.
setInterval(() => {
  const stop = socket?.readyState === WebSocket.OPEN && !isBlind() ? findStop(hello?.stallAdvice) : null;
  if (stop) veil(stop.advice, `No new pictures for ${stop.seconds} s`, true);
  if (socket?.readyState <= WebSocket.OPEN && performance.now() - lastHeard > 15000) abandon();
}, 500);

function onFrame(now, time, wrap) {
  // the last pictures may come later than the word that there are no more
  if (!isBlind()) veil(null);
  retry = 1000;
  takePicture(now, time, wrap);
}

// ------------------------------------------------------------- messages received

function takeHello(message) {
  hello = message;
  goodbye = null;
  lastHeard = performance.now();
  forgetServer();
  webrtcFailures = codecsFailures = sets = awaited = 0;
  const set = message.control && message.settable;
  forgetLook();
  forgetScan();
  offerPatterns(message.patterns);
  forgetScreen();
  $("settings").hidden = !message.settable;
  for (const part of $("settings").querySelectorAll("fieldset")) part.disabled = !set;
  $("only-watching").hidden = message.control;
  $("leave").hidden = !(message.control && message.leavable);
  $("meters").hidden = !message.measurable;
  if (!message.measurable) $("signal").hidden = true;
  $("mirror").disabled = !set;
  askForMeters();
  $("record").disabled = !(message.control && message.recordable);
  $("record-hint").hidden = !message.control || message.recordable;
  $("keep").hidden = !(message.control && message.keepSeconds);
  $("keep").title = `Keep the last ${message.keepSeconds} s of the video as a file (P)`;
  $("method").replaceChildren(...message.methods.map(({ id, label }) => new Option(label, id)));
  $("fill").replaceChildren(...message.ways.map(({ id, label }) => new Option(label, id)));
  fillColours(message.colours);
  setEnds({ scan: message.scanEnds, slow: message.slowEnds });
  $("solver").replaceChildren(...message.solvers.map(({ id }) => new Option(id, id)));
}

let edited = -Infinity; // when this page last changed a setting
let sets = 0; // messages with settings on this connection
let awaited = 0; // the last of them that is not known to have been refused
let settling = 0;
function takeState(state) {
  takeSettings(state);
  showPhases(getShow());
  $("changing").hidden = !state.changing;
  $("filling").hidden = !state.masked;
  $("fill-note").textContent = state.fillNote ?? "";
  takeCase(state, hello.control);
  takeScan(state.scan, hello.control, Boolean(state.recording?.active));
  takeFound(state);
  takeTrouble(state.trouble);
  takeRecording(state.recording);
}

// The last seconds as a file: being written, there, or why not.
function takeKept(kept) {
  if (!kept?.sentence) return;
  $("kept").hidden = false;
  $("kept").classList.toggle("bad", kept.failed);
  $("kept").textContent = kept.sentence;
}

function takeSettings(state) {
  clearTimeout(settling);
  // one that was sent before they were known there is followed by another one
  if (sender || state.number < awaited) return;
  const quiet = 700 - (performance.now() - edited);
  // a setting that somebody is just changing is not overwritten
  if (quiet > 0) {
    settling = setTimeout(() => takeSettings(state), quiet + 10);
    return;
  }
  for (const name of switches) $(name).checked = state[name];
  for (const name of choices) $(name).value = state[name];
  if (document.activeElement !== $("density")) $("density").value = state.density;
  $("roll-off").checked = state.rollOff;
  $("still-mirror").checked = state.still;
  for (const name of numbers) {
    // which is shown as it is found
    if (state.automatic && name in found && found.max > found.min) continue;
    const value = +(state[name] * unit(name)).toPrecision(6);
    if (document.activeElement !== $(name)) $(name).value = value;
    $(`${name}-slider`).value = value;
  }
  showSensing();
  showAutomatic();
}

// Part of the spectrum by which it is read elsewhere at most: c0 + c1 x + c2 x² + …,
// x from -1 to 1.
function shiftOf(warp) {
  const coefficients = warp.split(",").map(Number);
  const shifts = Array.from({ length: 201 }, (_, i) => i / 100 - 1)
    .map((x) => Math.abs(coefficients.reduceRight((sum, c) => sum * x + c, 0)));
  return Math.max(...shifts) / 2;
}

// Results of searches, and the search that is going on.
function takeFound(state) {
  $("focus").disabled = $("refine").disabled = $("background").disabled = state.focusing;
  $("focus-undo").disabled = !state.focusUndoable;
  $("focus-undo").title = state.undoWhat ? `Take back: ${state.undoWhat} (U)` : "Undo the last change (U)";
  const searching = state.focusing && !state.scan?.tuning;
  const looking = state.taking ? "Taking the background …" : "Looking for the sharpest image …";
  $("focus-note").hidden = !(searching || state.focusNote);
  $("focus-note").textContent = searching ? looking
    : (state.focusNote ?? "").replaceAll("um^2", "µm²").replaceAll("um^3", "µm³").replaceAll("+-", "±");
  $("background-taken").hidden = !state.hasBackground;
  $("k-warp").hidden = !state.kWarp;
  if (!state.kWarp) return;
  $("k-warp").title = `Correction of the wavenumbers, in parts of the spectrum: k-warp="${state.kWarp}"`;
  $("k-warp").lastElementChild.textContent = `corrected by ${(100 * shiftOf(state.kWarp)).toPrecision(2)} %`;
}

// Without wavelengths, which depths in metres come from too, phases are those at
// the ends of the spectrum.
function showUnits(scaled) {
  for (const row of document.querySelectorAll(".of-um")) row.hidden = !scaled;
  for (const row of document.querySelectorAll(".of-ends")) row.hidden = scaled;
}

function takeTrouble(sentence) {
  const before = trouble;
  trouble = sentence;
  if (trouble) forgetMeters();
  $("oct-trouble").hidden = !trouble || isBlind();
  $("oct-trouble").textContent = trouble ?? "";
  if (isBlind()) veil(trouble, "No pictures");
  else if (before) veil("Pictures are coming again …");
  if (isBlind() && !seen()) leave();
  if (before && !isBlind()) expectPictures();
  if (!isBlind() && !media) choose();
}

// Black and white as they are in use now; the same: not known.
let found = { min: 0, max: 0 };
function takeRange({ black, white }) {
  found = { min: +black.toFixed(1), max: +white.toFixed(1) };
  if (!$("automatic").checked || !(found.max > found.min)) return;
  for (const [name, value] of Object.entries(found)) $(name).value = $(`${name}-slider`).value = value;
}

function showAutomatic() {
  for (const name of ["min", "max"])
    $(name).disabled = $(`${name}-slider`).disabled = $("automatic").checked;
}

const twoDigits = (number) => String(Math.floor(number)).padStart(2, "0");
function timeText(seconds) {
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(twoDigits).join(":");
}

function bytesText(bytes) {
  return bytes >= 1e9 ? `${(bytes / 1e9).toFixed(1)} GB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

// 2^63: not known
const diskText = (bytes) => (bytes < 1e18 ? bytesText(bytes) : "not known");

// Nobody ends a recording by one touch: the first press asks, and a second one within
// some seconds ends it.  The state of its button: "", "asks" or "ends", on its way.
let asking = 0;
function setRecordState(state) {
  clearTimeout(asking);
  asking = state ? setTimeout(() => setRecordState(""), 5000) : 0;
  $("record").dataset.state = state;
  const on = $("record").getAttribute("aria-pressed") === "true";
  $("record").firstElementChild.textContent = { asks: "Stop?", ends: "Stopping …" }[state] ?? (on ? "Stop" : "Record");
  $("confirm").hidden = state !== "asks";
}

function showRecording(on) {
  const was = $("record").getAttribute("aria-pressed") === "true";
  $("record").setAttribute("aria-pressed", on);
  $("recording-time").hidden = !on;
  if (on !== was) setRecordState("");
}

function takeRecording(recording) {
  const on = Boolean(recording?.active);
  takeNotes(recording);
  showRecording(on);
  $("recording").hidden = !recording?.name;
  if (!recording?.name) return;
  // why a recording has ended by itself stays until the next one
  $("recording").classList.toggle("bad", Boolean(recording.message));
  $("recording").setAttribute("aria-live", recording.message ? "assertive" : "off");
  $("recording-time").textContent = timeText(recording.seconds);
  $("recording").textContent = recording.message || [
    on ? "Recording" : recording.finishing ? "Finishing" : "Recorded",
    `${recording.name}: ${recording.frames} ${recording.name.startsWith("screen") ? "pictures" : "B-scans"},`,
    recording.second ? `${recording.second} pictures of the microscope,` : "",
    `${bytesText(recording.bytes)},`,
    `${recording.dropped} lost, disk left ${diskText(recording.diskLeft)}`].filter(Boolean).join(" ");
}

async function takeStatus(status) {
  const received = performance.now();
  lastHeard = received;
  send({ type: "ack", number: status.number });
  takeClock(status, received);
  const depth = (status.zSpacing * status.depths) / hello.refractiveIndex;
  // an option counts more than what the source says
  const width = hello.width || status.xSpacing * status.lines;
  const isBscan = getShow() === "bscan";
  // put together, it has its proportions
  const isAlone = isBscan && !showsField();
  setLateral(status.lines > 0 ? (width * 1e6) / status.lines : 0);
  setScan({ lines: status.lines, depths: status.depths, width, depth,
    top: (status.firstDepth * status.zSpacing) / hello.refractiveIndex });
  setCrop({ first: status.firstDepth, depths: isBscan ? status.depths : 0, all: status.allDepths,
    size: (status.zSpacing * 1e6) / hello.refractiveIndex }, Boolean(status.recording?.active));
  $("proportions-row").hidden = !(width > 0 && depth > 0 && isAlone);
  $("axis-row").hidden = !(depth > 0 && isBscan);
  if (!frozen) shownRange = { black: status.black, white: status.white };
  setMeasured({ usable: isBscan && showsOct(), index: hello.refractiveIndex, range: shownRange });
  takeRange(status);
  if (status.backend) showUnits(status.zSpacing > 0);
  $("lost-lines-row").hidden = !status.lostLines;
  $("lost-lines").textContent = status.lostLines;
  takeTrack(status.track);
  takeRecording(status.recording);
  takeKept(status.kept);
  await media?.update();
  showIndicators(!isAlone, media?.lost ?? 0);
}

// ----------------------------------------------------------------------- settings

let pending = {};
let sender = 0;
function change(name, value) {
  edited = performance.now();
  pending[name] = value;
  sender ||= setTimeout(() => {
    act({ type: "set", number: awaited = ++sets, ...pending });
    pending = {};
    sender = 0;
  }, 60);
}

for (const name of numbers) {
  const take = (from, to) => () => {
    const value = $(from).valueAsNumber;
    const { rangeUnderflow, rangeOverflow } = $(from).validity;
    if (!Number.isFinite(value) || rangeUnderflow || rangeOverflow) return;
    $(to).value = value;
    // white stays above black
    if (name === "min" && value >= $("max").valueAsNumber) setNumber("max", value + 1);
    if (name === "max" && value <= $("min").valueAsNumber) setNumber("min", value - 1);
    change(name, value / unit(name));
  };
  $(name).addEventListener("change", take(name, `${name}-slider`));
  $(`${name}-slider`).addEventListener("input", take(`${name}-slider`, name));
}

setCropSender(change);
setCaseSender(act);
setScanSender(act);

function setNumber(name, value) {
  $(name).value = $(`${name}-slider`).value = value;
  change(name, value);
}

$("settings").addEventListener("submit", (event) => event.preventDefault());
for (const name of switches)
  $(name).addEventListener("change", () => {
    showAutomatic();
    // by hand it goes on from the range in use
    if (name === "automatic" && !$(name).checked && found.max > found.min)
      for (const end of ["min", "max"]) setNumber(end, found[end]);
    change(name, $(name).checked);
  });
for (const name of choices)
  $(name).addEventListener("change", () => {
    showSensing();
    change(name, $(name).value);
  });

// settings of one method are shown with it alone
function showSensing() {
  $("sensing").hidden = $("method").value !== hello?.sensing;
  const label = hello?.solvers.find(({ id }) => id === $("solver").value)?.label;
  $("solver-note").textContent = label ? `${$("solver").value}: ${label}.` : "";
}
$("density").addEventListener("change", () => {
  const value = $("density").valueAsNumber;
  if (value >= 0 && value <= 10) change("density", value);
});
$("still-mirror").addEventListener("change", () => {
  change("still", $("still-mirror").checked);
  // the measurement for which it was collected is over
  if (!$("still-mirror").checked && $("roll-off").checked) change("rollOff", false);
});
$("roll-off").addEventListener("change", () => change("rollOff", $("roll-off").checked));
$("axis").addEventListener("change", () => setDepthAxis($("axis").checked));

// Colours of the grey levels: of this page alone, over whatever shows the picture.
let colours = {};
function fillColours(tables) {
  const chosen = $("colours").value;
  colours = tables;
  const names = ["grey", ...Object.keys(tables).filter((name) => name !== "grey")];
  $("colours").replaceChildren(...names.map((name) => new Option(name[0].toUpperCase() + name.slice(1), name)));
  if (names.includes(chosen)) $("colours").value = chosen;
}
$("colours").addEventListener("change", () => {
  const name = $("colours").value;
  const values = colours[name].match(/../g).map((pair) => (parseInt(pair, 16) / 255).toFixed(4));
  for (const [i, part] of ["R", "G", "B"].entries())
    document.querySelector(`#colour-map feFunc${part}`).setAttribute("tableValues",
      values.filter((_, k) => k % 3 === i).join(" "));
  showColours();
});

// Pictures of what moves, and those of a microscope, have colours of their own.
function showColours() {
  const grey = $("colours").value === "grey" || isFlow(getShow()) || showsField();
  for (const id of ["video", "jpeg", "still"]) $(id).style.filter = grey ? "" : "url(#colour-map)";
}
$("proportions").addEventListener("change", () => setTrueProportions($("proportions").checked));

// ----------------------------------------------------------------------- actions

async function fetchFile(path, otherwise) {
  const answer = await fetch(path, { cache: "no-store" });
  if (!answer.ok) throw new Error(await answer.text());
  const name = /filename="([\w.-]+)"/.exec(answer.headers.get("Content-Disposition"))?.[1];
  const blob = await answer.blob();
  return { blob, url: URL.createObjectURL(blob), name: name ?? otherwise };
}

const fetchPicture = () => fetchFile("/snapshot.png", "bscan.png");

function save({ url, name }) {
  const link = document.createElement("a");
  Object.assign(link, { href: url, download: name });
  link.click();
}

// Nothing is measured for a page that nobody sees.
function askForMeters() {
  send({ type: "meters", on: !$("signal").hidden && !document.hidden && Boolean(hello?.measurable) });
}
document.addEventListener("visibilitychange", askForMeters);

// The held picture is the server's own, in full size and without the losses of
// a video; a snapshot saves the held picture.
const actions = {
  async meters() {
    $("signal").hidden = !$("signal").hidden;
    $("meters").setAttribute("aria-pressed", !$("signal").hidden);
    forgetMeters();
    askForMeters();
  },
  async freeze() {
    if (frozen) {
      URL.revokeObjectURL(frozen.url);
      frozen = null;
    } else {
      frozen = await fetchPicture();
      $("still").src = frozen.url;
      $("badge").textContent = `Frozen ${new Date().toLocaleTimeString()}`;
    }
    $("still").hidden = $("badge").hidden = !frozen;
    $("freeze").setAttribute("aria-pressed", Boolean(frozen));
  },
  async snapshot() {
    const picture = frozen ?? await fetchPicture();
    const drawn = $("burn").checked ? { ...picture, url: await drawScales(picture.blob, getCase()) } : picture;
    save(drawn);
    for (const { url } of new Set([picture, drawn]))
      if (url !== frozen?.url) setTimeout(() => URL.revokeObjectURL(url), 10000);
  },
  async record() {
    const on = $("record").getAttribute("aria-pressed") === "true";
    const { state } = $("record").dataset;
    if (!on) send({ type: "record", on: true });
    else if (!state) setRecordState("asks");
    else if (state === "asks") {
      setRecordState("ends");
      send({ type: "record", on: false });
    }
  },
  async keep() {
    send({ type: "keep" });
  },
  async focus() {
    send({ type: "focus", undo: false });
  },
  async refine() {
    send({ type: "refine" });
  },
  async background() {
    send({ type: "background" });
  },
  async calibration() {
    const file = await fetchFile("/calibration.csv", "calibration.csv");
    save(file);
    setTimeout(() => URL.revokeObjectURL(file.url), 10000);
  },
  async "focus-undo"() {
    send({ type: "focus", undo: true });
  },
  async full() {
    if (document.fullscreenElement) await document.exitFullscreen();
    else await $("stage").requestFullscreen();
  },
};

for (const [id, action] of Object.entries(actions))
  $(id).addEventListener("click", () => {
    problem("");
    action().catch((error) => problem(error.message));
  });

const keys = { " ": "freeze", s: "snapshot", r: "record", p: "keep", f: "full", d: "focus", u: "focus-undo", m: "meters",
  k: "refine", b: "background", c: "calibration", n: "mark" };
addKeys(Object.fromEntries(Object.entries(keys).map(([key, id]) => [key, () => $(id).click()])));

// A held picture must not stay when another tab or layout is chosen.
function letGo() {
  if (frozen) $("freeze").click();
}
setSender(act, letGo);
setScreenSender(act, ({ first, other }) => {
  if (other) letGo();
  if (first || other) takeTrouble(trouble);
  showColours();
});

if (!document.documentElement.requestFullscreen) $("full").hidden = true;
$("leave").addEventListener("click", () => act({ type: "leave" }));
connect();
