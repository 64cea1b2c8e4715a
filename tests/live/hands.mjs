// SPDX-License-Identifier: LGPL-2.1-or-later
// Which keys go where, and what no single touch does.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { act, ASKING, endRecording, hold, holdTimers, letTimerRun, openBrowser, run, Server, sleep, until,
  waitForVideo } from "./lib.mjs";
import { Talk } from "./wire.mjs";

let browser;

const isPressed = async (page, id) => await page.locator(id).getAttribute("aria-pressed") === "true";
const look = (talk) => talk.messages.findLast(({ type }) => type === "look");
const text = (page, id) => page.locator(id).textContent();
// B-scans of the recording that is going on, as the page says.
const recorded = async (page) => Number(/^Recording .* (\d+) B-scans/.exec(await text(page, "#recording"))?.[1] ?? NaN);
const show = (page, key, tab) => act(page, `${key} shows ${tab}`, () => page.keyboard.press(key),
  () => isPressed(page, `[data-show=${tab}]`));
const has = (page, selector) => page.evaluate((wanted) => document.activeElement.matches(wanted), selector);

// Volumes of pictures that stand still.
const STILL = ["--bscans", "16", "--images", "videotestsrc is-live=true pattern=smpte ! "
  + "video/x-raw,format=GRAY8,width=64,height=64,framerate=30/1"];

// A pedal: a pipe through which the events of a keyboard come, as the kernel's
// struct input_event has them.
class Pedal {
  static CODES = { a: 30, b: 48 };

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "oct-live-pedal-"));
    this.path = join(this.folder, "pedal");
    execFileSync("mkfifo", [this.path]);
    this.plug();
  }

  plug() {
    this.file = openSync(this.path, "r+");
  }

  unplug() {
    closeSync(this.file);
  }

  // [type, code, value] ...
  send(...events) {
    writeSync(this.file, Buffer.concat(events.map(([type, code, value]) => {
      const event = Buffer.alloc(24), now = process.hrtime.bigint() / 1000n;
      event.writeBigInt64LE(now / 1000000n, 0);
      event.writeBigInt64LE(now % 1000000n, 8);
      event.writeUInt16LE(type, 16);
      event.writeUInt16LE(code, 18);
      event.writeInt32LE(value, 20);
      return event;
    })));
  }

  down(key) {
    this.send([1, Pedal.CODES[key], 1], [0, 0, 0]);
  }

  up(key) {
    this.send([1, Pedal.CODES[key], 0], [0, 0, 0]);
  }

  press(key) {
    this.down(key);
    this.up(key);
  }

  clear() {
    this.unplug();
    rmSync(this.folder, { recursive: true });
  }
}

const together = {
  async "two pedals freeze, keep and record, and one that is unplugged comes back"() {
    const pedals = [new Pedal(), new Pedal()];
    const server = await Server.start("--keep-seconds", "3", "--pedal", pedals[0].path, "--pedal", pedals[1].path,
      "--pedal-keys", "KEY_A=keep, long:KEY_A=record, any=freeze");
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await hold(page, () => pedals[0].press("b"), true);
    pedals[1].press("b");
    await until("it goes on", async () => !await isPressed(page, "#freeze"));
    pedals[1].press("a");
    await until("it is kept", async () => /^Kept the last \d+ s: kept-/.test(await text(page, "#kept")));
    for (const on of [true, false]) {
      pedals[0].down("a");
      await until(on ? "it records" : "the recording ends", async () => (await recorded(page) > 0) === on);
      pedals[0].up("a");
      await sleep(100); // a contact that bounces is faster
    }
    pedals[0].unplug();
    await until("it is told", async () => /pedal .* is gone/.test(await text(page, "#problem")));
    pedals[0].plug();
    await until("it is found", () => /pedal .* is there again/.test(server.output));
    await hold(page, () => pedals[0].press("b"), true);
    assert.equal(await server.stop(), 0);
    for (const pedal of pedals) pedal.clear();
  },

  async "a press is as long as it was, however late it is read"() {
    const pedal = new Pedal();
    const server = await Server.start("--keep-seconds", "3", "--pedal", pedal.path,
      "--pedal-keys", "KEY_A=keep, long:KEY_A=record");
    const talk = await Talk.start(server);
    await until("pictures come", () => talk.messages.some(({ type, frames }) => type === "status" && frames > 0));
    server.process.kill("SIGSTOP");
    pedal.down("a");
    await sleep(700);
    pedal.up("a");
    server.process.kill("SIGCONT");
    const { recording } = await until("one of both is done", () =>
      talk.messages.find((message) => message.recording?.active || message.kept?.sentence));
    assert.ok(recording?.active, "it was taken for a short one");
    assert.equal(await server.stop(), 0);
    pedal.clear();
  },

  async "what is not a pedal, or not a map of its keys, is refused with a sentence"() {
    const pedal = new Pedal();
    const refused = async (...options) => String(await Server.start(...options).catch((error) => error));
    assert.match(await refused("--pedal", join(pedal.folder, "none")), /cannot be opened \(No such file/);
    assert.match(await refused("--pedal", "/dev/null"), /'\/dev\/null' is not an input device/);
    assert.match(await refused("--pedal", pedal.path, "--pedal-keys", "KEY_NONE=keep"), /'KEY_NONE' .* is not a key/);
    assert.match(await refused("--pedal-keys", "any=keep"), /belongs to --pedal/);
    pedal.clear();
  },

  async "the last seconds are kept by one key, where that is offered"() {
    const server = await Server.start("--keep-seconds", "3");
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await page.keyboard.press("p");
    await until("the page names the file", async () => /^Kept the last \d+ s: kept-/.test(await text(page, "#kept")));
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
    const other = await Server.start();
    await page.goto(other.video);
    await waitForVideo(page);
    assert.ok(await page.locator("#keep").isHidden());
    assert.equal(await other.stop(), 0);
  },

  async "space freezes after any button, and never ends a recording"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await act(page, "it records", () => page.locator("#record").click(), () => isPressed(page, "#record"));
    for (const id of ["#record", "#snapshot", "#meters", "#automatic"]) {
      // the button of the recording has been clicked already
      if (id !== "#record") await page.locator(id).click();
      await hold(page, () => page.keyboard.press(" "));
      await page.keyboard.press(" ");
      await until("and lets it go on", () => page.locator("#still").isHidden());
    }
    // the click may have been lost with a connection
    await act(page, "levels are set by hand", () => page.locator("#automatic").uncheck(),
      () => page.locator("#max").isEnabled());
    await page.locator("#max").fill("77");
    await hold(page, () => page.keyboard.press(" ")); // also in a number field
    assert.equal(await page.locator("#max").inputValue(), "77");
    const before = await recorded(page);
    await until("it has gone on", async () => await recorded(page) > before);
    // the keyboard alone: Tab leads to a button, and space is its key there
    await page.locator("#snapshot").focus();
    for (let i = 0; i < 40 && !(await has(page, "#meters")); i++) await page.keyboard.press("Tab");
    const was = await isPressed(page, "#meters");
    await page.keyboard.press(" ");
    await until("space presses the button", async () => await isPressed(page, "#meters") !== was);
    assert.ok(await page.locator("#still").isVisible());
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "a recording ends by two presses, and by no single one"() {
    const server = await Server.start();
    const page = await browser.visit("about:blank");
    await holdTimers(page, ASKING);
    await page.goto(server.video);
    await waitForVideo(page);
    for (const how of [() => page.locator("#record").click(), () => page.keyboard.press("r")]) {
      await act(page, "it records", how, () => isPressed(page, "#record"));
      await how();
      // on the picture too, which may fill the screen
      await until("the page asks", () => page.evaluate(() =>
        document.querySelector("#record b").textContent === "Stop?"
        && /again/i.test(document.querySelector("#confirm").innerText)
        && document.querySelector("#confirm").checkVisibility()));
      const before = await recorded(page);
      await letTimerRun(page);
      await until("without an answer nothing is asked any more", () => page.locator("#confirm").isHidden());
      await until("it has gone on", async () => await recorded(page) > before);
      await endRecording(page, how);
      await until("it is complete", async () => /^Recorded /.test(await text(page, "#recording")));
    }
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "keys of the view work after checkboxes and sliders, numbers are typed in their fields"() {
    const server = await Server.start(...STILL);
    const talk = await Talk.start(server);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await until("volumes are known", () => page.locator("[data-show=volume]").isVisible());
    for (const id of ["#stereo", "#threshold", "#reset-view"]) {
      await show(page, "2", "volume");
      await page.locator(id).click();
      await act(page, `an arrow turns after ${id}`, () => page.keyboard.press("ArrowLeft"), () => look(talk).yaw > -34);
      await act(page, "Home brings it back", () => page.keyboard.press("Home"), () => look(talk).yaw === -35);
      await page.locator(id).click();
      await show(page, "1", "bscan");
    }
    // a slider that was reached by Tab has its arrow keys, and no others
    await show(page, "2", "volume");
    await page.locator("#rendering").focus();
    await page.keyboard.press("Tab");
    assert.ok(await has(page, "#threshold"));
    const { threshold } = look(talk);
    await act(page, "the slider moves", () => page.keyboard.press("ArrowLeft"), () => look(talk).threshold < threshold);
    assert.equal(look(talk).yaw, -35);
    await show(page, "1", "bscan");
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "number fields and lists take their keys"() {
    const server = await Server.start("--bscans", "16");
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await until("volumes are known", () => page.locator("[data-show=volume]").isVisible());
    await page.locator("#a2").click();
    await page.keyboard.press("End");
    await page.keyboard.press("2");
    assert.match(await page.locator("#a2").inputValue(), /2$/);
    assert.ok(await isPressed(page, "[data-show=bscan]"));
    // what was typed is taken, and keys are for the page again
    await page.keyboard.press("Enter");
    await show(page, "2", "volume");
    await show(page, "1", "bscan");
    await page.locator("#window").focus();
    await page.keyboard.press("2");
    await page.keyboard.press("ArrowDown");
    await until("the list has moved", async () => await page.locator("#window").inputValue() === "none");
    assert.ok(await isPressed(page, "[data-show=bscan]"));
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },
};

browser = process.env.OCT_LIVE ? await openBrowser().catch(() => null) : null;
await run({}, { together });
