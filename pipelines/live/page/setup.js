// SPDX-License-Identifier: LGPL-2.1-or-later
// The page before the start: what there is, and what of it is to be shown.  It
// sends keys of the server's own list and names of instruments, nothing else.

const $ = (id) => document.getElementById(id);
const NAMES = { given: "Given", virtual: "Virtual", camera: "Camera", digitizer: "Digitizer", file: "File" };

let socket = null;
let state = null; // the server's last message
let chosen = null; // key of the source, null: nobody has chosen
let ended = ""; // why oct-live has ended
let begins = false;

function send(message) {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function problem(text) {
  $("problem").hidden = !text;
  $("problem").textContent = text ?? "";
}

// ------------------------------------------------------------------- what there is

const find = (kind) => state.found.filter((one) => one.kind === kind);
const sources = () => state.found.filter(({ kind }) => kind in NAMES);
const getSource = () => state.found.find(({ key }) => key === chosen);

function makeSource({ key, kind, label }) {
  const row = document.createElement("label");
  const radio = document.createElement("input");
  radio.type = "radio";
  radio.name = "source";
  radio.value = key;
  radio.checked = key === chosen;
  radio.addEventListener("change", () => {
    chosen = key;
    showFields();
  });
  const text = document.createElement("span");
  text.textContent = kind === "virtual" || kind === "given" ? label : `${NAMES[kind]}: ${label}`;
  row.append(radio, text);
  return row;
}

function fill(select, none, items) {
  const { value } = select;
  select.replaceChildren(new Option(none, ""), ...items.map(({ key, label }) => new Option(label, key)));
  select.value = items.some(({ key }) => key === value) ? value : "";
}

// The fields that the source has a use for.
function showFields() {
  const kind = getSource()?.kind;
  for (const row of document.querySelectorAll(".file")) row.hidden = kind !== "file";
  for (const row of document.querySelectorAll(".spectra"))
    row.hidden = kind === "virtual" || find("calibration").length === 0;
  $("start").disabled = !kind;
}

// A former choice; what is not there any more stays open.
function restore(start) {
  chosen = sources().some(({ key }) => key === start.source) ? start.source : null;
  $("microscope").value = find("microscope").some(({ key }) => key === start.microscope) ? start.microscope : "";
  $("calibration").value = find("calibration").some(({ key }) => key === start.calibration) ? start.calibration : "";
  $("instrument").value = state.instruments.some(({ name }) => name === start.instrument) ? start.instrument : "";
  $("save").value = start.save;
  $("flow").checked = start.flow;
  $("record").checked = start.record;
  for (const { name } of state.numbers) $(name).value = start[name] ?? "";
}

function showLists() {
  $("sources").replaceChildren(...sources().map(makeSource));
  fill($("microscope"), "None", find("microscope"));
  fill($("calibration"), "As the instrument or the source has it", find("calibration"));
  fill($("instrument"), "None: settings as at first", state.instruments.map(({ name }) => ({ key: name, label: name })));
  for (const { name, least, most, whole } of state.numbers)
    Object.assign($(name), { min: least, max: most, step: whole ? 1 : "any" });
  $("files").textContent = state.files;
  $("folder").textContent = state.folder;
  $("recording").hidden = !state.folder;
  $("of-microscope").hidden = !state.microscope;
  $("seeking").textContent = state.seeking ? "Searching …" : "";
}

let restored = false;
function takeSetup(message) {
  state = message;
  begins = message.begins;
  ended = "";
  $("choice").hidden = !message.control;
  $("fields").disabled = begins;
  $("note").textContent = begins ? "Starting …"
    : message.control ? "Choose what is shown." : "The source is being chosen by those who control. Please wait.";
  if (!message.control) return;
  if (message.problem) problem(message.problem);
  showLists();
  // first of all what was started last, when the search for it is over
  const former = message.last ?? message.instruments[0]?.start;
  if (!restored && !message.seeking) {
    restored = true;
    if (former) restore(former);
    else chosen ??= sources()[0].key;
    showLists();
  }
  showFields();
}

// ---------------------------------------------------------------------- the choice

function readNumbers() {
  const numbers = {};
  for (const { name } of state.numbers)
    if ($(name).value !== "" && !$(name).closest("label").hidden) numbers[name] = Number($(name).value);
  return numbers;
}

$("choice").addEventListener("submit", (event) => {
  event.preventDefault();
  if (begins || !getSource()) return;
  problem("");
  send({ type: "begin", source: chosen, microscope: $("microscope").value,
    calibration: getSource().kind === "virtual" ? "" : $("calibration").value,
    instrument: $("instrument").value, save: $("save").value.trim(), flow: $("flow").checked,
    record: $("record").checked, ...readNumbers() });
});

// An instrument brings its own choice along.
$("instrument").addEventListener("change", () => {
  const { value } = $("instrument");
  const instrument = state.instruments.find(({ name }) => name === value);
  if (instrument?.start) restore(instrument.start);
  else $("save").value = value;
  showLists();
  showFields();
});

$("seek").addEventListener("click", () => send({ type: "seek" }));
$("quit").addEventListener("click", () => send({ type: "quit" }));

// ----------------------------------------------------------------------- messages

const takers = {
  setup: takeSetup,
  // the source has begun
  hello: () => location.reload(),
  status: ({ number }) => send({ type: "ack", number }),
  problem: ({ message }) => problem(message),
  bye: ({ message }) => { ended = message; },
};

function connect() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/socket`);
  socket.onmessage = ({ data }) => {
    const message = JSON.parse(data);
    takers[message.type]?.(message);
  };
  socket.onclose = async () => {
    $("fields").disabled = true;
    if (begins) $("note").textContent = "Starting …";
    else $("note").textContent = ended || "The connection is lost. Trying again …";
    const answer = await fetch("/icon.svg", { cache: "no-store", signal: AbortSignal.timeout(5000) }).catch(() => null);
    if (answer?.status === 401) $("note").textContent = "This page has no access any more. Open its link again.";
    setTimeout(connect, 500);
  };
}

connect();
