// SPDX-License-Identifier: LGPL-2.1-or-later
// Who gets a key: the control with the focus, or the page.
//
// A button, checkbox or slider that was touched with mouse or finger does not keep
// the focus: space freezes the picture after it, as always.  One that was reached
// with Tab keeps the keys that it cannot be used without.

// [controls, whether they take a key themselves]
const OWN = [
  ["select, input[type=text], textarea", () => true],
  ["input[type=number]", (key) => key !== " "], // which no number has
  ["input[type=range]", (key) => /^(Arrow|Home$|End$|Page)/.test(key)],
  ["button, a, summary, input[type=checkbox]", (key) => key === " " || key === "Enter"],
];

const takesItself = (element, key) => OWN.some(([controls, takes]) => element.matches(controls) && takes(key));

const tables = []; // { keys, may, repeats }

// `keys`: what each does, by its name in events (letters in lower case); `may`:
// whether they do it now; `repeats`: also again and again while a key is down.
export function addKeys(keys, { may = () => true, repeats = false } = {}) {
  tables.push({ keys, may, repeats });
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  // it is typed; the next keys are for the page again
  if (["Enter", "Escape"].includes(event.key) && event.target.matches("input:not([type=checkbox])")) event.target.blur();
  if (takesItself(event.target, event.key)) return;
  for (const { keys, may, repeats } of tables) {
    const action = keys[event.key] ?? keys[event.key.toLowerCase()];
    if (!action || !may()) continue;
    event.preventDefault();
    if (repeats || !event.repeat) action();
    return;
  }
});

let byPointer = false; // what happened last was done with mouse or finger
document.addEventListener("pointerdown", () => { byPointer = true; }, true);
document.addEventListener("keydown", () => { byPointer = false; }, true);

// A list keeps the focus until something is chosen in it.
const leave = (controls) => () => {
  if (byPointer && document.activeElement.matches(controls)) document.activeElement.blur();
};
document.addEventListener("click", leave("button, input[type=checkbox], input[type=range]"));
document.addEventListener("change", leave("button, input[type=checkbox], input[type=range], select"));
