// SPDX-License-Identifier: LGPL-2.1-or-later
// The page: talks to oct-live over a WebSocket, shows what it tells, sends what
// people set.
import { Jpeg, WebRtc } from "/media.js";
import { setScan, setTrueProportions } from "/view.js";

const $ = (id) => document.getElementById(id);
const numbers = ["min", "max", "a2", "a3"];

let socket = null;
let media = null;
let goodbye = null; // why oct-live has ended, if it has said so
let trouble = ""; // why there are no pictures, as oct-live says
let hello = null; // what the server has said first
let webrtcFailures = 0;
let retry = 1000;
let frozen = null; // { url, name } of the picture that is held
const clock = []; // of the last seconds: { roundTrip, offset }
const shown = []; // times of the frames of the last two seconds
let lastShown = 0; // 0 = nothing yet
let lastHeard = 0;
let delays = [];
let first = null; // B-scans lost before the first picture

// ------------------------------------------------------------------- messages

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function veil(text, title = "") {
  $("veil").hidden = !text;
  $("veil-title").hidden = !title;
  $("veil-title").textContent = title;
  $("veil-text").textContent = text ?? "";
}

let problemTimer = 0;
function problem(text) {
  $("problem").hidden = false;
  $("problem").textContent = text;
  clearTimeout(problemTimer);
  problemTimer = setTimeout(() => { $("problem").hidden = true; }, 12000);
}

const takers = {
  hello: takeHello,
  state: takeState,
  status: takeStatus,
  problem: (message) => problem(message.message),
  bye: (message) => { goodbye = message.message; },
};

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  lastHeard = performance.now();
  socket = new WebSocket(`${scheme}://${location.host}/socket`);
  socket.onmessage = ({ data }) => {
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
  veil(goodbye ?? "The connection is lost. Trying again …");
  for (const indicator of $("indicators").querySelectorAll("dd")) indicator.textContent = "–";
  // a session that has ended needs the link again
  const answer = await fetch("/icon.svg", { cache: "no-store", signal: AbortSignal.timeout(5000) })
    .catch(() => null);
  if (answer?.status === 401)
    veil("You are not let in any more. Open the link for this page again.");
  setTimeout(connect, retry);
  retry = Math.min(retry * 1.5, 5000);
}

// --------------------------------------------------------------------- pictures

function watch(Kind) {
  media?.close();
  first = null;
  $("video").hidden = Kind !== WebRtc;
  $("jpeg").hidden = Kind !== Jpeg;
  shown.length = 0;
  lastShown = 0;
  media = new Kind(send, onFrame, () => {
    if (socket?.readyState !== WebSocket.OPEN) return;
    if (trouble) {
      // nobody's fault: begun again when pictures come
      media?.close();
      media = null;
      return;
    }
    if (Kind === WebRtc) webrtcFailures += lastShown > 0 ? 1 : 2;
    setTimeout(() => { if (media && !trouble) choose(); }, 1200);
  });
  $("media").textContent = media.name;
}

// WebRTC; JPEG where it does not get through, or breaks off twice.  ?media=jpeg
// asks for JPEG at once.
function choose() {
  const wanted = new URLSearchParams(location.search).get("media");
  const webrtc = "RTCPeerConnection" in window && wanted !== "jpeg" && webrtcFailures < 2;
  watch(webrtc ? WebRtc : Jpeg);
}

// Nobody shall take an old picture for a live one, also where the network or the
// other computer is gone without a word.
setInterval(() => {
  const now = performance.now();
  while (shown[0] < now - 2000) shown.shift();
  if (!trouble && lastShown > 0 && now - lastShown > 2500 && socket?.readyState === WebSocket.OPEN)
    veil("No new pictures are coming …");
  if (socket?.readyState <= WebSocket.OPEN && now - lastHeard > 15000) abandon();
}, 500);

function onFrame(now, time, period) {
  // the last pictures may come later than the word that there are no more
  if (!trouble) veil(null);
  retry = 1000;
  lastShown = performance.now();
  shown.push(now);
  while (shown[0] < now - 2000) shown.shift();
  const best = clock.reduce((a, b) => (b.roundTrip < a.roundTrip ? b : a), clock[0] ?? {});
  const delay = now + best.offset - time;
  if (Number.isFinite(delay))
    delays.push(Number.isFinite(period) ? ((delay % period) + period) % period : delay);
}

// ------------------------------------------------------------- what is being told

function takeHello(message) {
  hello = message;
  goodbye = null;
  lastHeard = performance.now();
  first = null;
  clock.length = 0;
  last = null;
  webrtcFailures = 0;
  const set = message.control && message.settable;
  $("settings").hidden = !message.settable;
  for (const part of $("settings").querySelectorAll("fieldset")) part.disabled = !set;
  $("only-watching").hidden = message.control;
  $("record").disabled = !(message.control && message.recordable);
  if (!message.recordable) $("record").title = "Start oct-live with --record FOLDER to record";
  $("method").replaceChildren(...message.methods.map(({ id, label }) => new Option(label, id)));
}

let edited = -Infinity; // when this page last changed a setting
let settling = 0;
function takeState(state) {
  clearTimeout(settling);
  const quiet = 700 - (performance.now() - edited);
  // what people are just changing is not taken out of their hands
  if (quiet > 0) settling = setTimeout(() => takeState(state), quiet + 10);
  else {
    $("automatic").checked = state.automatic;
    $("method").value = state.method;
    for (const name of numbers) {
      if (document.activeElement !== $(name)) $(name).value = +state[name].toPrecision(6);
      $(`${name}-slider`).value = state[name];
    }
    showAutomatic();
  }
  $("changing").hidden = !state.changing;
  $("focus").disabled = state.focusing;
  $("focus-undo").disabled = !state.focusUndoable;
  $("focus-note").hidden = !(state.focusing || state.focusNote);
  $("focus-note").textContent = state.focusing ? "Looking for the dispersion …" : state.focusNote ?? "";
  takeTrouble(state.trouble);
  takeRecording(state.recording);
}

function takeTrouble(sentence) {
  const before = trouble;
  trouble = sentence;
  if (trouble) veil(trouble, "No pictures");
  else if (before) veil("Pictures are coming again …");
  if (trouble && lastShown === 0) {
    media?.close();
    media = null;
  }
  // those of before are no measure of those to come
  if (before && !trouble) lastShown = performance.now();
  if (!trouble && !media) choose();
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

// 2^63 where nobody can tell
const diskText = (bytes) => (bytes < 1e18 ? bytesText(bytes) : "not known");

function takeRecording(recording) {
  const on = Boolean(recording?.active);
  $("record").setAttribute("aria-pressed", on);
  $("record").firstElementChild.textContent = on ? "Stop" : "Record";
  $("recording-time").hidden = !on;
  $("recording").hidden = !recording?.name;
  if (!recording?.name) return;
  // why a recording has ended by itself stays until the next one
  $("recording").classList.toggle("bad", Boolean(recording.message));
  $("recording").setAttribute("aria-live", recording.message ? "assertive" : "off");
  $("recording-time").textContent = timeText(recording.seconds);
  $("recording").textContent = recording.message || [
    on ? "Recording" : recording.finishing ? "Finishing" : "Recorded",
    `${recording.name}: ${recording.frames} B-scans, ${bytesText(recording.bytes)},`,
    `${recording.dropped} lost, disk left ${diskText(recording.diskLeft)}`].join(" ");
}

let last = null; // status: { time, received }
async function takeStatus(status) {
  const received = performance.now();
  lastHeard = received;
  send({ type: "ack", number: status.number });
  // how long the last status and its acknowledgement took, 0 = not known
  if (last && status.roundTrip > 0)
    clock.push({ roundTrip: status.roundTrip,
      offset: last.time + status.roundTrip / 2 - last.received });
  last = { time: status.time, received };
  if (clock.length > 10) clock.shift();
  const depth = (status.zSpacing * status.depths) / hello.refractiveIndex;
  setScan({ lines: status.lines, depths: status.depths, width: hello.width, depth });
  $("proportions-row").hidden = !(hello.width > 0 && depth > 0);
  takeRecording(status.recording);
  await media?.update();
  showIndicators(status);
}

function showIndicators(status) {
  const lost = status.dropped + status.missed + (media?.lost ?? 0);
  // counted from the first picture on
  first ??= shown.length > 0 ? lost : null;
  const span = shown.at(-1) - shown[0];
  const rate = shown.length > 1 && span > 0 ? ((shown.length - 1) * 1000) / span : 0;
  $("rate").textContent = `${rate.toFixed(1)} of ${status.rate.toFixed(1)} /s`;
  $("rate").classList.toggle("bad", rate < 0.9 * Math.max(status.rate, status.nominalRate));
  delays.sort((a, b) => a - b);
  const delay = delays[Math.floor(delays.length / 2)];
  // what the clocks are known to agree to can be more than the delay itself
  $("delay").textContent = delay === undefined ? "–" : `${Math.max(0, Math.round(delay))} ms`;
  $("delay").classList.toggle("bad", delay > 250);
  delays = [];
  $("lost").textContent = first === null ? "–" : String(Math.max(0, lost - first));
  $("backend").textContent = status.backend || "–";
  $("backend").parentElement.title = `B-scans: ${status.backend || "not computed here"}, video: ${status.encoder}`;
  $("size").textContent = status.lines ? `${status.lines} × ${status.depths}` : "–";
  $("viewers").textContent = String(status.viewers);
}

// ------------------------------------------------------------------- what is set

let pending = {};
let sender = 0;
function change(name, value) {
  edited = performance.now();
  pending[name] = value;
  sender ||= setTimeout(() => {
    send({ type: "set", ...pending });
    pending = {};
    sender = 0;
  }, 60);
}

for (const name of numbers) {
  const take = (from, to) => () => {
    const value = $(from).valueAsNumber;
    if (!Number.isFinite(value)) return;
    $(to).value = value;
    // white stays above black
    if (name === "min" && value >= $("max").valueAsNumber) setNumber("max", value + 1);
    if (name === "max" && value <= $("min").valueAsNumber) setNumber("min", value - 1);
    change(name, value);
  };
  $(name).addEventListener("change", take(name, `${name}-slider`));
  $(`${name}-slider`).addEventListener("input", take(`${name}-slider`, name));
}

function setNumber(name, value) {
  $(name).value = $(`${name}-slider`).value = value;
  change(name, value);
}

$("settings").addEventListener("submit", (event) => event.preventDefault());
$("automatic").addEventListener("change", () => {
  showAutomatic();
  change("automatic", $("automatic").checked);
});
$("method").addEventListener("change", () => change("method", $("method").value));
$("proportions").addEventListener("change", () => setTrueProportions($("proportions").checked));

// ----------------------------------------------------------------------- actions

async function fetchPicture() {
  const answer = await fetch("/snapshot.png", { cache: "no-store" });
  if (!answer.ok) throw new Error(await answer.text());
  const name = /filename="([\w.-]+)"/.exec(answer.headers.get("Content-Disposition"))?.[1];
  return { url: URL.createObjectURL(await answer.blob()), name: name ?? "bscan.png" };
}

function save({ url, name }) {
  const link = document.createElement("a");
  Object.assign(link, { href: url, download: name });
  link.click();
}

// The held picture is the server's own, in full size and without the losses of
// a video; a snapshot of it saves what is seen.
const actions = {
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
    save(picture);
    if (picture !== frozen) setTimeout(() => URL.revokeObjectURL(picture.url), 10000);
  },
  async record() {
    send({ type: "record", on: $("record").getAttribute("aria-pressed") !== "true" });
  },
  async focus() {
    send({ type: "focus", undo: false });
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
  $(id).addEventListener("click", () => action().catch((error) => problem(error.message)));

const keys = { " ": "freeze", s: "snapshot", r: "record", f: "full", d: "focus", u: "focus-undo" };
document.addEventListener("keydown", (event) => {
  const typing = event.target.matches("input, select, button");
  const id = keys[event.key.toLowerCase()];
  if (!id || event.ctrlKey || event.altKey || event.metaKey || event.repeat) return;
  // a button or a field with the focus takes these keys itself
  if (typing && (event.key === " " || event.target.matches("select, [type=number]"))) return;
  event.preventDefault();
  $(id).click();
});

if (!document.documentElement.requestFullscreen) $("full").hidden = true;
connect();
