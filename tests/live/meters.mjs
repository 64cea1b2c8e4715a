// SPDX-License-Identifier: LGPL-2.1-or-later
// The signal meters of the page: what they show, who pays for them, and what is
// kept of them beside a recording.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { openBrowser, run, Server, tick, until, waitForVideo } from "./lib.mjs";
import { get, Talk } from "./wire.mjs";

let browser;
const MIRROR = "octsrc is-live=true phantom=mirror depth=500e-6 samples=1024 lines=256 line-rate=3840 bscans=1";

const text = (page, id) => page.locator(id).textContent();

// The value beside a name.
const value = (page, kind, name) => page.locator(`#${kind} dl div`, { has: page.getByText(name, { exact: true }) })
  .locator("dd").textContent();
const number = async (page, kind, name) => Number.parseFloat((await value(page, kind, name)).replace("−", "-"));

async function near(page, kind, name, expected, tolerance) {
  let found;
  await until(`${name} near ${expected}`, async () => {
    found = await number(page, kind, name);
    return Math.abs(found - expected) <= tolerance;
  });
  return found;
}

// Pixels of a plot that have about this colour.
const pixels = (page, kind, colour) => page.evaluate(([which, [red, green, blue]]) => {
  const canvas = document.querySelector(`#${which} canvas`);
  const { data, width } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  const list = [];
  for (let i = 0; i < data.length; i += 4)
    if (Math.abs(data[i] - red) + Math.abs(data[i + 1] - green) + Math.abs(data[i + 2] - blue) < 30 && data[i + 3] > 200)
      list.push((i / 4) % width);
  return list;
}, [kind, colour]);
const BLUE = [88, 166, 255], GREEN = [126, 231, 135], RED = [255, 95, 86];

const ask = (talk, on) => talk.say(JSON.stringify({ type: "meters", on }));
const told = (talk, of) => talk.messages.filter((message) => message.type === "meters" && (!of || message.of === of));

// At most four a second, by the clock of the server, and a few that were on the way.
async function assertFew(talk, of) {
  const time = () => talk.messages.findLast((message) => message.type === "status").time / 1000;
  await talk.statuses(1);
  const begin = time(), before = told(talk, of).length;
  await talk.statuses(4);
  const seconds = time() - begin, count = told(talk, of).length - before;
  assert.ok(count > 0 && count <= 4 * seconds + 4, `${count} in ${seconds} s`);
  return count / seconds;
}

// Seconds of processor time that the threads which measure have had.
function measuringTime(server) {
  const folder = `/proc/${server.process.pid}/task`;
  let ticks = 0;
  for (const id of readdirSync(folder)) {
    const stat = readFileSync(join(folder, id, "stat"), "latin1");
    if (!stat.includes("(octmeter)")) continue;
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks / 100;
}

const readCsv = (path) => {
  const [head, ...lines] = readFileSync(path, "latin1").trim().split("\n").map((line) => line.split(","));
  return lines.map((cells) => Object.fromEntries(head.map((name, i) => [name, cells[i]])));
};

const together = {
  async "a key opens them, and they say what the virtual system is"() {
    const server = await Server.start("--width-um", "3200");
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    assert.ok(await page.locator("#signal").isHidden());
    await page.locator("h1").click();
    await page.keyboard.press("m");
    await until("they are shown", () => page.locator("#signal").isVisible());
    await near(page, "spectra", "Centre", 845, 0.5);
    await near(page, "spectra", "Width", 50, 0.5);
    assert.match(await value(page, "spectra", "Centre"), / nm$/);
    assert.match(await value(page, "spectra", "Resolution"), /^8\.[5-7]\d µm$/);
    const largest = await number(page, "spectra", "Largest");
    assert.ok(largest > 2500 && largest < 4095, `${largest} counts`);
    assert.equal(await value(page, "spectra", "Saturated"), "none");
    await until("lateral distances are known", async () => await value(page, "ascans", "Lateral") === "5.00 µm");
    const snr = await until("there is an A-scan", () => number(page, "ascans", "SNR"));
    assert.ok(snr > 20 && snr < 60, `${snr} dB`);
    assert.ok((await pixels(page, "spectra", BLUE)).length > 300, "no spectrum");
    assert.ok((await pixels(page, "ascans", BLUE)).length > 300, "no A-scan");
    await until("the peak is marked", async () => (await pixels(page, "ascans", GREEN)).length > 20);
    assert.equal((await pixels(page, "spectra", RED)).length, 0, "saturation where there is none");
    // the picture is still there, and whole
    const video = await page.locator("#video").boundingBox();
    const signal = await page.locator("#signal").boundingBox();
    assert.ok(video.height > 300 && video.y + video.height <= signal.y + 1, JSON.stringify([video, signal]));
    if (process.env.OCT_SCREENSHOTS)
      await page.screenshot({ path: join(process.env.OCT_SCREENSHOTS, "meters.png") });
    await page.locator("#meters").click();
    assert.ok(await page.locator("#signal").isHidden());
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "of a mirror they say depth, width against what is possible, sensitivity"() {
    const server = await Server.start("--source", MIRROR);
    const page = await browser.visit(server.url);
    const other = await browser.visit(server.url);
    await waitForVideo(page);
    await page.locator("#meters").click();
    // it stands still, and goes with the background
    await until("it is not seen", async () => await number(page, "ascans", "SNR") < 5);
    await tick(page, "#still-mirror");
    await near(page, "ascans", "Peak", 500, 2);
    const possible = await number(page, "ascans", "Possible");
    const width = await near(page, "ascans", "Width −6 dB", possible, 0.03 * possible);
    const snr = await number(page, "ascans", "SNR");
    assert.ok(snr > 40 && snr < 80, `${snr} dB`);
    assert.ok(await page.locator("#ascans dl div", { hasText: "Sensitivity" }).isHidden());
    await page.locator("#density").fill("2");
    await page.locator("#density").press("Tab");
    await until("sensitivity", async () =>
      Math.abs(await number(page, "ascans", "Sensitivity") - 40 - await number(page, "ascans", "SNR")) < 0.3);
    await page.locator("#roll-off").check();
    await until("one depth is collected", async () => await value(page, "ascans", "Depths") === "1");
    await until("the other page knows", async () => await other.locator("#density").inputValue() === "2"
      && await other.locator("#roll-off").isChecked());
    // where the peak is, within the plot's margins of 40 and 10 pixels
    const { width: plot } = await page.locator("#ascans canvas").boundingBox();
    const at = await pixels(page, "ascans", GREEN);
    assert.ok(at.length > 20 && at.every((x) => x > 40 && x < plot), "the peak lies outside");
    assert.deepEqual(page.problems, []);
    await server.stop();
    return `${width} of ${possible} µm`;
  },

  async "an instrument's window and depths are those of the meters"() {
    const kept = mkdtempSync(join(tmpdir(), "oct-live-kept-"));
    const start = (...options) => Server.startWith({ XDG_DATA_HOME: kept }, "--source", MIRROR, ...options);
    try {
      await (await start("--save-instrument", "Bench 3")).stop();
      const presets = join(kept, "gstreamer-1.0", "presets");
      const [file] = readdirSync(presets).map((name) => join(presets, name));
      const kind = (key) => new RegExp(`^${key}=.*$`, "m");
      writeFileSync(file, readFileSync(file, "utf8").replace(kind("window"), "window=blackman")
        .replace(kind("depth-start"), "depth-start=80"));
      const server = await start("--instrument", "Bench 3");
      const page = await browser.visit(server.url);
      await waitForVideo(page);
      await page.locator("#meters").click();
      await tick(page, "#still-mirror");
      await near(page, "ascans", "Peak", 500, 2);
      const possible = await number(page, "ascans", "Possible");
      await until("both know the window", async () =>
        await value(page, "spectra", "Resolution") === await value(page, "ascans", "Possible"));
      // with a Hann window 8.6
      assert.ok(possible > 9.3, `${possible} µm`);
      const width = await near(page, "ascans", "Width −6 dB", possible, 0.03 * possible);
      // the peak's mark lies on the curve's highest point
      const high = await page.evaluate(() => {
        const canvas = document.querySelector("#ascans canvas");
        const { data, width: columns } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        const first = (wanted) => {
          for (let i = 0; i < data.length; i += 4)
            if (wanted.every((part, k) => Math.abs(data[i + k] - part) < 12)) return (i / 4) % columns;
          return NaN;
        };
        return { curve: first([88, 166, 255]), scale: canvas.width / canvas.clientWidth };
      });
      const at = (await pixels(page, "ascans", GREEN)).sort((a, b) => a - b);
      assert.ok(Math.abs(at[at.length >> 1] - high.curve) < 12 * high.scale, `${high.curve} and ${at[at.length >> 1]}`);
      assert.deepEqual(page.problems, []);
      await server.stop();
      return `${width} of ${possible} µm`;
    } finally {
      rmSync(kept, { recursive: true });
    }
  },

  async "saturated samples are marked where they are"() {
    const file = join(tmpdir(), `oct-live-saturated-${process.pid}.raw`);
    const lines = 64, samples = 256;
    const counts = new Uint16Array(lines * samples);
    // cut off between a quarter and a half
    for (let i = 0; i < counts.length; i++)
      counts[i] = i % samples >= 64 && i % samples < 128 ? 4095 : 1000 + (i * 7919) % 50;
    writeFileSync(file, Buffer.from(counts.buffer));
    writeFileSync(`${file}.csv`, `k_index\n${[...Array(samples).keys()].join("\n")}\n`);
    const server = await Server.start("--data", file, "--samples", String(samples), "--lines", String(lines),
      "--calibration", `${file}.csv`);
    const page = await browser.visit(server.url);
    await page.locator("#meters").click();
    await near(page, "spectra", "Saturated", 25, 0.01);
    assert.ok(await page.locator("#spectra dd.bad").isVisible());
    // without wavelengths there are samples and bins
    assert.match(await value(page, "spectra", "Centre"), / samples$/);
    await until("there is a peak", async () => / bins$/.test(await value(page, "ascans", "Peak")));
    if (process.env.OCT_SCREENSHOTS)
      await page.screenshot({ path: join(process.env.OCT_SCREENSHOTS, "saturated.png") });
    const { width } = await page.locator("#spectra canvas").boundingBox();
    const red = await page.evaluate(() => {
      const canvas = document.querySelector("#spectra canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 11, canvas.width, 1);
      return [...Array(canvas.width).keys()].filter((x) => data[4 * x] > 1.5 * data[4 * x + 2]);
    });
    const place = (sample) => 40 + (sample / (samples - 1)) * (width - 50);
    assert.ok(Math.abs(red[0] - place(63.5)) < 3 && Math.abs(red.at(-1) - place(127.5)) < 3,
      `${red[0]} to ${red.at(-1)}, not ${place(63.5)} to ${place(127.5)}`);
    rmSync(file);
    rmSync(`${file}.csv`);
    await server.stop();
  },

  async "finished pictures have none"() {
    const server = await Server.start("--images",
      "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=160,height=128,framerate=30/1");
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    assert.ok(await page.locator("#meters").isHidden());
    const talk = await Talk.start(server);
    ask(talk, true);
    await talk.statuses(2);
    assert.equal(told(talk).length, 0);
    assert.ok(!talk.has("problem"));
    await server.stop();
  },

  async "who does not read is not told more and more, and holds up nobody"() {
    const server = await Server.start();
    const talk = await Talk.start(server), silent = await Talk.start(server);
    await until("oct-live talks", () => silent.has("status"));
    ask(talk, true);
    ask(silent, true);
    await until("it is told", () => told(silent).length > 1);
    silent.answering = false;
    const before = told(talk).length, late = told(silent).length;
    await until("it is let go", () => silent.socket.destroyed);
    // UNREAD_METERS of oct-live-client.c; in that time there are some 80
    assert.ok(told(silent).length <= late + 16, `told ${told(silent).length - late} more without an answer`);
    await until("the other one is told more", () => told(talk).length > before);
    assert.equal(await server.stop(), 0);
  },

  async "what pages send is checked, and a flood of it changes nothing"() {
    const server = await Server.start("--source", MIRROR);
    const talk = await Talk.start(server);
    await until("oct-live talks", () => talk.has("status"));
    for (const bad of ['{"type":"meters"}', '{"type":"meters","on":1}', '{"type":"meters","on":true,"interval":0}',
      '{"type":"set","density":-1}', '{"type":"set","density":11}', '{"type":"set","density":NaN}',
      '{"type":"set","density":1e400}', '{"type":"set","rollOff":"yes"}', '{"type":"set","still":0}']) {
      const problems = talk.messages.filter((message) => message.type === "problem").length;
      talk.say(bad);
      await until(`${bad} is refused`, () => talk.messages.filter((message) => message.type === "problem").length > problems);
    }
    for (let i = 0; i < 100; i++) ask(talk, i % 2 === 0);
    ask(talk, true);
    await until("they come", () => told(talk, "ascans").length > 3);
    await assertFew(talk, "ascans");
    for (const message of told(talk)) {
      assert.ok(message.curve.length > 0 && message.curve.length <= 512);
      assert.ok(message.curve.every((point) => point === null || Number.isInteger(point)));
      assert.ok(Object.values(message.values).every((point) => Number.isFinite(point)));
    }
    await until("it is thrown out", () => {
      for (let i = 0; i < 1000 && !talk.socket.destroyed; i++) ask(talk, true);
      return talk.socket.destroyed;
    });
    assert.equal((await get(server, "/")).status, 200);
    assert.equal(await server.stop(), 0);
  },

  async "who watches only sees them, and changes nothing for them"() {
    const tokens = join(tmpdir(), `oct-live-meters-tokens-${process.pid}`);
    const server = await Server.start("--token-file", tokens);
    const view = /^view (\S+)/m.exec(readFileSync(tokens, "latin1"))[1];
    const page = await browser.visit(`${server.url}/?token=${view}`);
    await waitForVideo(page);
    await page.locator("#meters").click();
    await near(page, "spectra", "Centre", 845, 0.5);
    assert.ok(await page.locator("#still-mirror").isDisabled());
    assert.ok(await page.locator("#density").isDisabled());
    assert.equal((await get(server, "/signal.js")).status, 401);
    await page.evaluate(() => new Promise((resolve) => {
      const socket = new WebSocket(`ws://${location.host}/socket`);
      socket.onopen = () => socket.send('{"type":"set","still":true,"density":3}');
      socket.onmessage = ({ data }) => {
        if (JSON.parse(data).type === "problem") resolve();
      };
    }));
    assert.equal(await page.locator("#still-mirror").isChecked(), false);
    rmSync(tokens);
    assert.equal(await server.stop(), 0);
  },

  async "they come back with the source and with oct-live"() {
    // an address where nobody else takes the port meanwhile
    const own = ["--address", "127.0.0.9"];
    const server = await Server.start(...own, "--source",
      "octsrc is-live=true samples=1024 lines=256 bscans=1 line-rate=3840 ! identity error-after=60");
    const page = await browser.visit(server.links[0]);
    await page.locator("#meters").click();
    await near(page, "spectra", "Centre", 845, 0.5);
    await until("it fails", () => page.locator("#veil").isVisible());
    await until("they are gone", async () => await value(page, "spectra", "Centre") === "–");
    await near(page, "spectra", "Centre", 845, 0.5);
    await until("there is an A-scan", async () => Number.isFinite(await number(page, "ascans", "SNR")));
    server.process.kill("SIGSTOP");
    await until("they are known to be old", () => page.locator("#spectra.stale").isVisible());
    await until("both are old", () => page.locator("#ascans.stale").isVisible());
    // one of them alone is new
    const stale = await page.evaluate(async () => {
      const { takeMeters } = await import("/signal.js");
      takeMeters({ of: "spectra", values: { maximum: 4 }, problem: "", samples: 4, step: 1, curve: [1, 2, 3, 4], full: [] });
      for (let i = 0; i < 2; i++) await new Promise(requestAnimationFrame);
      return ["spectra", "ascans"].map((id) => document.getElementById(id).classList.contains("stale"));
    });
    assert.deepEqual(stale, [false, true]);
    server.process.kill("SIGCONT");
    await until("they are new again", async () => await page.locator("#spectra.stale").count() === 0);
    await server.stop();
    await until("the page says so", () => page.locator("#veil").isVisible());
    assert.equal(await value(page, "spectra", "Centre"), "–");
    const again = await Server.start("--port", String(server.port), ...own);
    await near(page, "spectra", "Centre", 845, 0.5);
    assert.ok((await text(page, "#spectra figcaption")).includes("Spectrum"));
    await again.stop();
  },

  async "nothing is measured for nobody"() {
    const server = await Server.start();
    const talk = await Talk.start(server), other = await Talk.start(server);
    await until("oct-live talks", () => talk.has("status") && other.has("status"));
    await talk.statuses(2);
    assert.ok(measuringTime(server) <= 0.02, `${measuringTime(server)} s`);
    ask(talk, true);
    await until("both are told", () => told(talk, "spectra").length > 4 && told(talk, "ascans").length > 4);
    // some a second, and not more
    const rate = await assertFew(talk, "spectra");
    assert.equal(told(other).length, 0);
    ask(talk, false);
    await until("nothing is measured any more", async () => {
      const time = measuringTime(server), count = told(talk).length;
      await talk.statuses(2);
      return told(talk).length === count && measuringTime(server) - time <= 0.02;
    });
    // who is gone does not look any more
    ask(other, true);
    await until("the other one is told", () => told(other).length > 2);
    other.socket.destroy();
    await talk.statuses(3);
    const then = measuringTime(server);
    await talk.statuses(2);
    assert.ok(measuringTime(server) - then <= 0.02);
    assert.equal(await server.stop(), 0);
    return `${rate.toFixed(1)} of each per second`;
  },

  async "a recording has them beside it, whoever looks"() {
    const server = await Server.start();
    const talk = await Talk.start(server);
    const record = (on) => talk.say(JSON.stringify({ type: "record", on }));
    await until("there are pictures to record", () =>
      talk.messages.some(({ type, frames }) => type === "status" && frames > 0));
    const said = () => talk.messages.findLast((message) => message.recording)?.recording;
    record(true);
    await until("it records", () => said()?.active && said().seconds > 3);
    ask(talk, true);
    await until("it records on", () => said().seconds > 7);
    record(false);
    await until("it has ended", () => said().name && !said().active && !said().finishing);
    const files = readdirSync(server.recordings).sort();
    assert.deepEqual(files.map((name) => name.replace(said().name, "")),
      ["-00000.mkv", "-ascans.csv", "-meters.csv", "-spectra.csv"]);
    const spectra = readCsv(join(server.recordings, files[3]));
    assert.ok(spectra.length >= 2 && spectra.length <= said().seconds + 2, `${spectra.length} in ${said().seconds} s`);
    for (const row of spectra) assert.ok(Math.abs(Number(row["centre-nm"]) - 845) < 0.5, row["centre-nm"]);
    const summary = readCsv(join(server.recordings, files[2])).find((row) => row.field === "centre-nm");
    assert.equal(Number(summary.measurements), spectra.length);
    assert.ok(Math.abs(Number(summary.mean) - 845) < 0.5);
    ask(talk, false);
    await talk.statuses(2);
    const time = measuringTime(server);
    await talk.statuses(2);
    assert.ok(measuringTime(server) - time <= 0.02, "it measures on");
    assert.equal(await server.stop(), 0);
  },
};

browser = process.env.OCT_LIVE ? await openBrowser().catch(() => null) : null;
await run({}, { together });
