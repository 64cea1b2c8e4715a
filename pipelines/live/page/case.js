// SPDX-License-Identifier: LGPL-2.1-or-later
// The case that is examined, and notes on the recording.
const $ = (id) => document.getElementById(id);

let send = () => {};
let words = ""; // of the case, as they are shown; empty: none
let controls = false;

export const getCase = () => words;

export function setCaseSender(sender) {
  send = sender;
}

export function takeCase({ label, side, labelShown }, control) {
  $("case").hidden = !control;
  controls = control;
  if (document.activeElement !== $("case-label")) $("case-label").value = label;
  $("case-side").value = side;
  $("case-told").checked = labelShown;
  words = [label, side === "none" ? "" : side].filter(Boolean).join(" · ");
  $("case-shown").hidden = !words;
  $("case-shown").textContent = words;
}

// Of the worklist.
export function takeCases({ cases }) {
  $("cases").replaceChildren(...cases.map((one) => new Option(one, one)));
}

function tell() {
  send({ type: "label", text: $("case-label").value.trim(), side: $("case-side").value, shown: $("case-told").checked });
}
for (const id of ["case-label", "case-side", "case-told"]) $(id).addEventListener("change", tell);

// A recording that goes on, or the last one.
export function takeNotes(recording) {
  const on = Boolean(recording?.active);
  const noted = recording?.notes ?? 0;
  $("notes").hidden = !controls || !(on || noted > 0);
  $("mark").disabled = !on;
  $("noted").hidden = noted === 0;
  $("noted").textContent = `${noted === 1 ? "1 note" : `${noted} notes`} in ${recording?.name}-notes.csv`;
}

$("mark").addEventListener("click", () => {
  send({ type: "note", text: $("note").value.trim() });
  $("note").value = "";
});
$("note").addEventListener("keydown", (event) => {
  if (event.key === "Enter") $("mark").click();
});
for (const id of ["case", "notes"]) $(id).addEventListener("submit", (event) => event.preventDefault());
