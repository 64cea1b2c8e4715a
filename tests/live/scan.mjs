// SPDX-License-Identifier: LGPL-2.1-or-later
// The scan on the page: another pattern, size and place, seen in the picture; what
// the scanner cannot do; the path on the sample and what is lost of it.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { look, openBrowser, run, Server, sleep, until, waitForVideo } from "./lib.mjs";
import { Talk } from "./wire.mjs";

let browser;

const last = (talk, type) => talk.messages.findLast((message) => message.type === type);
const say = (talk, message) => talk.say(JSON.stringify(message));
const ASK = { type: "scan", pattern: "raster", width: 3000, height: 3000, x: 0, y: 0, angle: 0 };
const isClose = (value, right) => Math.abs(value - right) < 0.05 * right;

async function shot(page, name) {
  if (process.env.OCT_SCREENSHOTS)
    await page.screenshot({ path: join(process.env.OCT_SCREENSHOTS, `${name}.png`) });
}

// The picture that was rendered last, without the losses of a video.  A connection that
// a busy machine holds up is closed: it is asked for again.
async function picture(page) {
  await until("a picture is fetched", () => page.evaluate(async () => {
    const answer = await fetch("/snapshot.png").catch(() => null);
    if (!answer) return false;
    const image = document.querySelector("#test-picture") ?? document.createElement("img");
    image.id = "test-picture";
    image.hidden = true;
    document.body.append(image);
    image.src = URL.createObjectURL(await answer.blob());
    await image.decode();
    return true;
  }));
  return look(page, "#test-picture");
}

// Whether each of the four corners of the sample is black, as outside of a circle:
// the brightest pixel of a square beside the corner.
function corners({ width, height, levels }) {
  const side = Math.floor(Math.min(width, height) / 16);
  const [left, top] = [Math.floor((width - Math.min(width, height)) / 2), Math.floor((height - Math.min(width, height)) / 2)];
  const size = Math.min(width, height);
  return [[2, 2], [size - side - 2, 2], [2, size - side - 2], [size - side - 2, size - side - 2]].map(([x, y]) => {
    let most = 0;
    for (let i = 0; i < side * side; i++)
      most = Math.max(most, levels[(top + y + Math.floor(i / side)) * width + left + x + (i % side)]);
    return most;
  });
}

const isBlack = (seen) => corners(seen).every((most) => most < 16);
const isFull = (seen) => corners(seen).every((most) => most > 60);

// A page that shows the en face picture, and not the B-scan before it any more: the
// two have different proportions.
async function seeEnface(server, talk) {
  const page = await browser.visit(server.url);
  await waitForVideo(page);
  const { width, height } = await picture(page);
  await page.locator("[data-show=enface]").click();
  await until("the en face picture is there", async () => {
    const seen = await picture(page);
    return last(talk, "look").show === "enface" && (seen.width !== width || seen.height !== height);
  });
  return page;
}

const seeSquare = (page) => until("a square is seen", async () => {
  const seen = await picture(page);
  return isFull(seen) && seen;
});

// Correlation of two pictures, at 64 x 64 places of each: rasters of two scans may
// differ by a row.
function correlate(one, other) {
  const at = ({ width, height, levels }, i) =>
    levels[Math.floor(((i >> 6) + 0.5) * height / 64) * width + Math.floor(((i & 63) + 0.5) * width / 64)];
  const n = 64 * 64;
  let [sa, sb, aa, bb, ab] = [0, 0, 0, 0, 0];
  for (let i = 0; i < n; i++) {
    const [a, b] = [at(one, i), at(other, i)];
    sa += a;
    sb += b;
    aa += a * a;
    bb += b * b;
    ab += a * b;
  }
  return (ab - sa * sb / n) / Math.sqrt((aa - sa * sa / n) * (bb - sb * sb / n));
}

// How many pixels of the path's picture have nearly this colour.
const count = (page, colour) => page.evaluate((wanted) => {
  const canvas = document.querySelector("#scan-path");
  if (!canvas.width) return 0;
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  let n = 0;
  for (let i = 0; i < data.length; i += 4)
    n += wanted.every((level, k) => Math.abs(level - data[i + k]) < 40) && data[i + 3] > 60;
  return n;
}, colour);
const AMBER = [255, 180, 84], RED = [255, 95, 86], BLUE = [88, 166, 255];

async function fill(page, values) {
  if (values.pattern) await page.locator("#scan-pattern").selectOption(values.pattern);
  for (const [name, value] of Object.entries(values))
    if (name !== "pattern") await page.locator(`#scan-${name}`).fill(String(value));
}

// Asks for a scan until `test` says that it holds: a page that a busy machine holds up
// loses its connection, and with it the values that were typed.
const change = (page, values, what, test) => until(what, async () => {
  if (await test()) return true;
  const button = page.locator("#scan-apply");
  if (await button.isDisabled() && await page.locator("#scan-pattern").isEnabled()) await fill(page, values);
  if (await button.isEnabled()) await button.click();
  return false;
});

// oct-daq-sim after a pipe of voltages, and oct-live that drives it.
async function instrument(pattern, more, action, { scanner = "", environment = {}, options = [], killed = false } = {}) {
  const folder = mkdtempSync(join(tmpdir(), "oct-scan-"));
  const [volts, socket] = [join(folder, "volts"), join(folder, "daq")];
  execFileSync("mkfifo", [volts]);
  const daq = spawn(process.env.OCT_DAQ_SIM, ["--lines", "64", "--bscans", "64", "--samples", "512", "--phantom", "surgery",
    "--noise", "0", "--still", "--line-rate", "0", "--block-lines", "32", "--volts", volts, "--volts-rate", "20000",
    ...more, socket], { stdio: "ignore" });
  const ended = new Promise((resolve) => { daq.on("close", resolve); });
  try {
    await until("the socket is there", () => existsSync(socket));
    const server = await Server.startWith(environment, "--daq", socket, "--scan", pattern, "--size-um", "3000", "--scan-rate", "20000",
      "--scanner", `gate=true ${scanner}`, ...options, "--scan-sink", `audio/x-raw,format=F64LE ! filesink buffer-mode=unbuffered location=${volts}`);
    const talk = await Talk.start(server);
    await until("the raster is known", () => last(talk, "look")?.bscans > 8 && last(talk, "status")?.frames > 0);
    await action(server, talk, daq);
    assert.equal(await server.stop(), 0);
    assert.equal(await ended, killed ? null : 0);
  } finally {
    daq.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
}

const tests = {
  async "messages: every page hears of another scan, a limit refuses it, and a recording keeps it"() {
    const server = await Server.start("--scan", "spiral", "--size-um", "4000", "--lines", "40", "--bscans", "40",
      "--scanner", "limit-velocity-x=1000", "--audit", "audit");
    const [talk, other] = [await Talk.start(server), await Talk.start(server)];
    await until("pictures come", () => last(talk, "status")?.frames > 0 && last(other, "path"));
    assert.equal(last(other, "path").pattern, "spiral");
    say(talk, { ...ASK, x: 500, angle: 30 });
    await until("the other page hears of it", () => last(other, "state").scan.pattern === "raster");
    const path = await until("and of the path", () => last(other, "path").pattern === "raster" && last(other, "path"));
    // the middle of the path, and its first step, turned from x to y
    const mean = (values) => values.reduce((a, b) => a + b) / values.length;
    assert.ok(Math.abs(mean(path.x) - 500) < 2 && Math.abs(mean(path.y)) < 2, `${mean(path.x)}, ${mean(path.y)}`);
    assert.ok(Math.abs(Math.atan2(path.y[39] - path.y[0], path.x[39] - path.x[0]) * 180 / Math.PI - 30) < 0.1);
    await until("the raster has its size", () => {
      // a square of 3 mm that is turned by 30 degrees
      const across = 3e-3 * (Math.cos(Math.PI / 6) + Math.sin(Math.PI / 6));
      return isClose(last(other, "look").sizeX, across) && isClose(last(other, "look").sizeY, across);
    });
    const heard = talk.messages.filter(({ type }) => type === "problem").length;
    // 12 mm in 40 A-lines are 11.7 mm from the first to the last, and 10 mm is the limit
    say(talk, { ...ASK, width: 12000 });
    await until("a limit is named", () => talk.messages.filter(({ type }) => type === "problem").length > heard);
    assert.match(last(talk, "problem").message, /takes 1\.17 times limit-amplitude-x at a line rate of 10240 Hz/);
    // 4.5 mm in 40 A-lines of 10240 a second are 1152 mm/s
    say(talk, { ...ASK, width: 4500 });
    await until("so is the rate at which it works", () =>
      /takes 1\.15 times limit-velocity-x .* set --scan-rate to at most 8888 Hz/.test(last(talk, "problem").message));
    say(talk, { ...ASK, pattern: "circle" });
    await until("a pattern is refused", () => /pattern does not exist/.test(last(talk, "problem").message));
    assert.equal(last(other, "state").scan.width, 3000);
    assert.equal(last(other, "state").scan.x, 500);
    say(talk, { type: "record", on: true });
    await until("it records", () => last(talk, "state").recording.active);
    say(talk, { ...ASK, pattern: "radial" });
    await until("a recording keeps its scan", () => /A recording keeps its scan/.test(last(talk, "problem").message));
    say(talk, { type: "record", on: false });
    await until("it has ended", () => !last(talk, "state").recording.active);
    assert.equal(await server.stopKeeping(), 0);
    const events = readFileSync(join(server.folder, "audit"), "utf8").trim().split("\n").map((line) => JSON.parse(line))
      .filter(({ event }) => event === "scan");
    assert.equal(events.length, 5);
    assert.equal(events[0].scan, "raster, 3000x3000 um at 500,0 um, 30 degrees");
    assert.equal(events[0].refused, undefined);
    assert.match(events[1].refused, /limit-amplitude-x/);
    server.clear();
  },

  async "a recording begins when the scan that was asked for has come"() {
    // volumes of 1.6 s: a recording is asked for before their end
    const server = await Server.start("--scan", "raster", "--size-um", "4000");
    const talk = await Talk.start(server);
    await until("pictures come", () => last(talk, "status")?.frames > 0 && last(talk, "path"));
    const refused = () => /The scan changes at the end of this volume/.test(last(talk, "problem")?.message);
    // again if the volume has ended before that
    for (let width = 3000; width < 3800 && !refused(); width += 100) {
      const paths = talk.messages.filter(({ type }) => type === "path").length;
      say(talk, { ...ASK, width });
      say(talk, { type: "record", on: true });
      await until("another path comes", () => talk.messages.filter(({ type }) => type === "path").length > paths);
      say(talk, { type: "record", on: true });
      await until("it records", () => last(talk, "state").recording.active);
      const { frames } = last(talk, "status");
      await until("pictures go on", () => last(talk, "status").frames > frames + 300);
      assert.ok(!last(talk, "state").recording.message, last(talk, "state").recording.message);
      say(talk, { type: "record", on: false });
      await until("it has ended", () => !last(talk, "state").recording.active);
    }
    assert.ok(refused());
    assert.equal(await server.stop(), 0);
  },

  async "a scanner whose sink has failed is not asked for another scan"() {
    const server = await Server.start("--scan", "raster", "--lines", "40", "--bscans", "40",
      "--scan-sink", "identity error-after=5 ! fakesink");
    const talk = await Talk.start(server);
    await until("pictures come", () => last(talk, "status")?.frames > 0);
    await until("it has failed", () => /the scanner is not driven any more/.test(server.output));
    say(talk, ASK);
    await until("it is refused", () => /The scanner is not driven any more/.test(last(talk, "problem")?.message));
    assert.match(last(talk, "state").scan.fixed, /not driven any more/);
    assert.equal(last(talk, "state").scan.width, 5000);
    assert.equal(await server.stop(), 0);
  },

  async "an instrument keeps size, centre and angle; those of the command line count more"() {
    const kept = mkdtempSync(join(tmpdir(), "oct-scan-kept-"));
    const begin = async (...more) => {
      const server = await Server.startWith({ XDG_DATA_HOME: kept }, "--lines", "40", "--bscans", "40", ...more);
      const talk = await Talk.start(server);
      return { server, talk, scan: (await until("the scan is known", () => last(talk, "state"))).scan };
    };
    const numbers = ({ width, height, x, y, angle }) => [width, height, x, y, angle];
    const first = await begin("--scan", "raster", "--save-instrument", "Bench 3");
    assert.deepEqual(numbers(first.scan), [5000, 5000, 0, 0, 0]);
    await until("pictures come", () => last(first.talk, "status")?.frames > 0);
    say(first.talk, { ...ASK, width: 4000.5, height: 2000, x: -250, y: 100, angle: 15 });
    await until("it is taken", () => last(first.talk, "state").scan.width === 4000.5);
    assert.equal(await first.server.stop(), 0);
    for (const [more, expected] of [[[], [4000.5, 2000, -250, 100, 15]],
      [["--size-um", "3000", "--angle", "7"], [3000, 3000, -250, 100, 7]],
      [["--angle", "0"], [4000.5, 2000, -250, 100, 0]]]) {
      const again = await begin("--scan", "lissajous", "--instrument", "Bench 3", ...more);
      assert.equal(again.scan.pattern, "lissajous");
      assert.deepEqual(numbers(again.scan), expected);
      assert.equal(await again.server.stop(), 0);
    }
    rmSync(kept, { recursive: true, force: true });
  },

  async "tune: a pattern that goes one way, and what is not late are refused in a sentence"() {
    const virtual = await Server.start("--scan", "raster", "--lines", "40", "--bscans", "40", "--scanner", "bidirectional=true",
      "--audit", "audit");
    const talk = await Talk.start(virtual);
    await until("pictures come", () => last(talk, "status")?.frames > 0);
    say(talk, { type: "tune" });
    await until("nothing is late", () => /virtual OCT system are not late/.test(last(talk, "problem")?.message));
    say(talk, { type: "tune", bscans: 3 });
    await until("no other members", () => /must not have/.test(last(talk, "problem")?.message));
    assert.equal(await virtual.stopKeeping(), 0);
    const events = readFileSync(join(virtual.folder, "audit"), "utf8").trim().split("\n").map((line) => JSON.parse(line))
      .filter(({ event }) => event === "tune");
    assert.equal(events.length, 1);
    assert.match(events[0].refused, /are not late/);
    virtual.clear();
    await instrument("raster", [], async (server, one) => {
      say(one, { type: "tune" });
      await until("it goes one way", () => /does not go forth and back/.test(last(one, "problem")?.message));
      assert.deepEqual([last(one, "state").scan.tuning, last(one, "state").scan.tuned, last(one, "state").scan.delayX], [false, "", 0]);
      say(one, { type: "record", on: true });
      await until("it records", () => last(one, "state").recording.active);
      say(one, { type: "tune" });
      await until("a recording keeps its scan", () => /A recording keeps its scan/.test(last(one, "problem").message));
      say(one, { type: "record", on: false });
      await until("it has ended", () => !last(one, "state").recording.active);
    });
  },

  async "a source that is gone ends the search for the delay with a sentence"() {
    await instrument("raster", [], async (server, talk, daq) => {
      // no B-scans come, and then no more ever
      daq.kill("SIGSTOP");
      await until("nothing comes any more", async () => {
        const { frames } = last(talk, "status");
        await sleep(1500);
        return last(talk, "status").frames === frames;
      });
      say(talk, { type: "tune" });
      await until("it waits for B-scans", () => last(talk, "state").scan.tuning);
      say(talk, { type: "record", on: true });
      await until("a recording waits for it", () => /delay of the mirrors is being found/.test(last(talk, "problem")?.message));
      const heard = talk.messages.length;
      daq.kill("SIGKILL");
      await until("it has ended", () => talk.messages.slice(heard).some(({ type, message }) =>
        type === "problem" && /search has ended without a result/.test(message)));
      await until("all pages know", () => !last(talk, "state").scan.tuning);
      // what the scanner plays is read by nobody any more
      await until("the scanner has failed", () => /not driven any more/.test(last(talk, "state").scan.fixed));
      say(talk, { type: "tune" });
      await until("it is refused", () => /not driven any more/.test(last(talk, "problem").message));
    }, { scanner: "bidirectional=true", killed: true });
  },

  async "without a scanner, or one that is driven from elsewhere, nothing is changed"() {
    const server = await Server.start();
    const talk = await Talk.start(server);
    await until("pictures come", () => last(talk, "status")?.frames > 0);
    assert.equal(last(talk, "state").scan, undefined);
    assert.ok(!talk.has("path"));
    say(talk, ASK);
    await until("it is refused", () => /start oct-live with --scan/.test(last(talk, "problem")?.message));
    const heard = talk.messages.length;
    say(talk, { type: "tune" });
    await until("so is tuning", () => talk.messages.slice(heard).some(({ type, message }) =>
      type === "problem" && /start oct-live with --scan/.test(message)));
    assert.equal(await server.stop(), 0);
    const folder = mkdtempSync(join(tmpdir(), "oct-scan-"));
    const daq = spawn(process.env.OCT_DAQ_SIM, ["--lines", "64", "--bscans", "8", "--samples", "512", "--line-rate", "1280",
      join(folder, "daq")], { stdio: "ignore" });
    await until("the socket is there", () => existsSync(join(folder, "daq")));
    const told = await Server.start("--daq", join(folder, "daq"), "--scan", "raster", "--size-um", "3000");
    const listener = await Talk.start(told);
    await until("pictures come", () => last(listener, "status")?.frames > 0);
    assert.match(last(listener, "state").scan.fixed, /--scan-sink/);
    say(listener, ASK);
    await until("it is refused", () => /--scan-sink/.test(last(listener, "problem")?.message));
    const before = listener.messages.length;
    say(listener, { type: "tune" });
    await until("so is tuning", () => listener.messages.slice(before).some(({ type, message }) =>
      type === "problem" && /--scan-sink/.test(message)));
    assert.equal(await told.stop(), 0);
    daq.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  },
};

const pages = {
  async "another pattern is seen in the picture; a limit is told beside the form; who watches changes nothing"() {
    const server = await Server.start("--scan", "spiral", "--size-um", "4000", "--lines", "40", "--bscans", "40",
      "--token-file", "tokens");
    const [control, view] = readFileSync(join(server.folder, "tokens"), "utf8").match(/[\w-]{20,}/g);
    const page = await browser.visit(`${server.url}/?token=${control}`);
    await waitForVideo(page);
    await page.locator("[data-show=enface]").click();
    await until("a circle is seen", async () => {
      const seen = await picture(page);
      return seen.width > 100 && isBlack(seen) && Math.max(...new Set(seen.levels)) > 100;
    });
    const watcher = await browser.visit(`${server.url}/?token=${view}`);
    await until("who watches sees the path", async () => (await count(watcher, BLUE)) > 100);
    assert.ok(await watcher.locator("#scan-apply").isDisabled());
    assert.ok(await watcher.locator("#scan-pattern").isDisabled());
    assert.ok(await watcher.locator("#scan-tune").isDisabled());
    assert.ok(await page.locator("#scan-apply").isDisabled(), "nothing to apply yet");
    assert.ok(await page.locator("#scan-height").isHidden(), "a round pattern has one size");
    await fill(page, { pattern: "raster", width: 3500, height: 3500 });
    await page.locator("#scan").scrollIntoViewIfNeeded();
    await shot(page, "scan-wish");
    await page.locator("#scan-apply").click();
    await until("a square is seen", async () => isFull(await picture(page)));
    assert.equal(await page.locator("#problem").isVisible(), false);
    await until("who watches sees what holds", async () =>
      (await watcher.locator("#scan-pattern").inputValue()) === "raster" && (await watcher.locator("#scan-width").inputValue()) === "3500");
    // too much for the scanner: nothing changes, and what was typed stays
    await fill(page, { width: 15000 });
    await page.locator("#scan-apply").click();
    await until("a sentence", () => page.locator("#scan-refused").isVisible());
    assert.match(await page.locator("#scan-refused").textContent(), /1\.46 times limit-amplitude-x at a line rate of 10240 Hz/);
    assert.equal(await page.locator("#scan-width").inputValue(), "15000");
    await page.locator("#scan-refused").scrollIntoViewIfNeeded();
    await shot(page, "scan-refused");
    await page.locator("#scan-back").click();
    assert.equal(await page.locator("#scan-width").inputValue(), "3500");
    assert.ok(await page.locator("#scan-refused").isHidden());
    assert.ok(isFull(await picture(page)));
    assert.equal(await watcher.locator("#scan-width").inputValue(), "3500");
    assert.deepEqual([page.problems, watcher.problems], [[], []]);
    assert.equal(await server.stop(), 0);
  },

  async "a scanner and a digitizer: the picture after a change is that of a scan that began so"() {
    let right;
    // rasters of 3 mm: their picture has the same size whatever was before
    await instrument("raster", [], async (server, talk) => {
      right = await seeSquare(await seeEnface(server, talk));
    });
    await instrument("spiral", ["--lose", "0.02"], async (server, talk) => {
      const page = await seeEnface(server, talk);
      await until("a circle is seen", async () => {
        const seen = await picture(page);
        return seen.width > 100 && isBlack(seen) && Math.max(...new Set(seen.levels)) > 100;
      });
      // lost A-lines are counted, and marked on the path
      await until("the last volume has lost A-lines", async () =>
        /^[1-9]\d* of 4096 A-lines$/.test(await page.locator("#scan-lost").textContent())
          && (await count(page, RED)) > 0 && (await count(page, AMBER)) > 0);
      await page.locator("#scan").scrollIntoViewIfNeeded();
      await shot(page, "scan-lost");
      await change(page, { pattern: "raster", width: 3000, height: 3000 }, "the path is told",
        () => last(talk, "path").pattern === "raster");
      await until("it is the picture of that scan", async () => correlate(await picture(page), right) > 0.9);
      say(talk, { type: "record", on: true });
      await until("it is recorded", () => last(talk, "state").recording.active);
      say(talk, { type: "record", on: false });
      assert.deepEqual(page.problems, []);
    });
  },

  async "late mirrors: a button finds their delay, and the picture is that of mirrors that are not"() {
    const kept = mkdtempSync(join(tmpdir(), "oct-scan-tuned-"));
    const environment = { XDG_DATA_HOME: kept };
    const both = "bidirectional=true";
    // B-scans a quarter of a spot apart: the next one shows what this one does
    const dense = ["--bscans", "256"];
    let right;
    await instrument("raster", dense, async (server, talk) => {
      right = await seeSquare(await seeEnface(server, talk));
    }, { scanner: both });
    await instrument("raster", [...dense, "--galvo-frequency", "2000"], async (server, talk) => {
      const page = await seeEnface(server, talk);
      const before = correlate(await seeSquare(page), right);
      await shot(page, "tune-before");
      await page.locator("#scan-tune").click();
      await until("the delay is told", async () => /The mirrors were/.test(await page.locator("#scan-delay").textContent()));
      // 2 z / w of 2 kHz and 0.8 are 127.3 us, 2.55 A-lines at 20 kHz
      const { delayX, delayY, tuned } = last(talk, "state").scan;
      assert.match(tuned, /^The mirrors were 2\.[56]\d A-lines or 1\d\d us late \(correlation 0\.\d\d\); from the next volume on/);
      assert.ok(Math.abs(delayX - 127.3) < 3 && delayY === 0, `${delayX}, ${delayY}`);
      await until("the picture is right", async () => correlate(await picture(page), right) > (1 + before) / 2);
      await page.locator("#scan-tune").scrollIntoViewIfNeeded();
      await shot(page, "tune-after");
      await page.setViewportSize({ width: 390, height: 844 });
      const box = await page.locator("#scan-tune").boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.height >= 24, JSON.stringify(box));
      await page.locator("#scan-tune").scrollIntoViewIfNeeded();
      await shot(page, "tune-phone");
      // nothing is left
      await until("the mirrors are right", async () => {
        if (await page.locator("#scan-tune").isEnabled()) await page.locator("#scan-tune").click();
        return /^The mirrors were 0\.0\d A-lines/.test(last(talk, "state").scan.tuned);
      });
      assert.ok(Math.abs(last(talk, "state").scan.delayX - 127.3) < 3);
      assert.deepEqual(page.problems, []);
    }, { scanner: both, environment, options: ["--save-instrument", "Bench 3"] });
    await instrument("raster", dense, async (server, talk) => {
      assert.ok(Math.abs(last(talk, "state").scan.delayX - 127.3) < 3, "the instrument keeps it");
    }, { scanner: both, environment, options: ["--instrument", "Bench 3"] });
    await instrument("raster", dense, async (server, talk) => {
      assert.ok(Math.abs(last(talk, "state").scan.delayX - 50) < 1e-6, "the command line counts more");
    }, { scanner: `${both} delay-x=5e-5`, environment, options: ["--instrument", "Bench 3"] });
    rmSync(kept, { recursive: true, force: true });
  },

  async "on a phone the path and its form fit"() {
    const server = await Server.start("--scan", "raster", "--size-um", "4000x3000", "--angle", "20", "--centre-um", "300,0",
      "--lines", "40", "--bscans", "40");
    const page = await browser.visit(server.url, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    await until("the path is drawn", async () => (await count(page, BLUE)) > 100);
    assert.ok(await page.locator("#scan-tune").isHidden(), "the virtual system has no mirrors");
    await page.locator("#scan-apply").scrollIntoViewIfNeeded();
    await shot(page, "scan-phone");
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), "nothing is wider than the phone");
    for (const id of ["scan-path", "scan-pattern", "scan-width", "scan-height", "scan-x", "scan-y", "scan-angle", "scan-apply"]) {
      const box = await page.locator(`#${id}`).boundingBox();
      assert.ok(box.x >= 0 && box.x + box.width <= 390 && box.height >= 24, `${id}: ${JSON.stringify(box)}`);
    }
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },
};

browser = await openBrowser().catch(() => null);
await run(pages, { together: tests });
