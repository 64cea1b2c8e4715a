// SPDX-License-Identifier: LGPL-2.1-or-later
// Contrast, colours, proportions, and what is measured in a B-scan.
import assert from "node:assert/strict";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { act, countFrames, download, endRecording, execute, look, mean, openBrowser, run, Server, until, waitForVideo } from "./lib.mjs";
import { get, Talk } from "./wire.mjs";

let browser;

const text = (page, id) => page.locator(id).textContent();
const value = async (page, id) => Number(await page.locator(id).inputValue());
const said = (talk, type) => talk.messages.findLast((message) => message.type === type);

// Of the virtual OCT system: 512 depths from 790 to 900 nm, in tissue.
const WIDTH = 3000;
const INDEX = 1.38;
const DEPTH = (512 * Math.PI) / (2 * Math.PI * (1 / 0.79 - 1 / 0.9)) / INDEX;

async function snapshot(page) {
  await page.evaluate(async () => {
    const image = document.querySelector("#test-picture") ?? document.createElement("img");
    image.id = "test-picture";
    image.hidden = true;
    document.body.append(image);
    image.src = URL.createObjectURL(await (await fetch("/snapshot.png")).blob());
    await image.decode();
  });
  return look(page, "#test-picture");
}

// What is seen of the page at some places, from 0 to 1 across and down the picture.
async function seenAt(page, ...places) {
  const box = await page.locator("#bars").boundingBox();
  const png = (await page.screenshot({ clip: box })).toString("base64");
  return page.evaluate(async ([data, points]) => {
    const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
    const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    return points.map(([x, y]) =>
      [...context.getImageData(Math.floor(x * image.width), Math.floor(y * image.height), 1, 1).data.slice(0, 3)]);
  }, [png, places]);
}

async function freeze(page) {
  await act(page, "the picture is held", () => page.keyboard.press(" "), async () =>
    await page.locator("#still").isVisible() && page.evaluate(() => document.querySelector("#still").naturalWidth > 0));
}

// CRC-32 of PNG (ISO 3309).
function checksum(bytes) {
  let sum = 0xffffffff;
  for (const byte of bytes) {
    sum ^= byte;
    for (let i = 0; i < 8; i++) sum = (sum >>> 1) ^ (sum & 1 ? 0xedb88320 : 0);
  }
  return ~sum >>> 0;
}

// The chunks of a PNG: [type, data].
function readChunks(png) {
  const chunks = [];
  for (let at = 8; at + 12 <= png.length;) {
    const length = png.readUInt32BE(at);
    if (at + 12 + length > png.length) break; // only the beginning is there
    const part = png.subarray(at + 4, at + 8 + length);
    assert.equal(png.readUInt32BE(at + 8 + length), checksum(part));
    chunks.push([part.toString("latin1", 0, 4), part.subarray(4)]);
    at += 12 + length;
  }
  return chunks;
}

const together = {
  async "contrast by hand goes on from the range in use"() {
    const server = await Server.start();
    const talk = await Talk.start(server);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await until("the range in use is shown", async () => await value(page, "#min") > 1 && await value(page, "#max") < 100
      && Math.abs(await value(page, "#min") - said(talk, "status").black) < 1);
    const before = mean((await snapshot(page)).levels);
    await act(page, "it is by hand", () => page.locator("#automatic").uncheck(), () => said(talk, "state").automatic === false);
    const { min, max } = said(talk, "state");
    assert.ok(max > min + 15 && min > 1, `${min} to ${max} dB`);
    assert.ok(await page.locator("#min").isEnabled());
    assert.equal(await value(page, "#min"), min);
    // phantom and noise change a little from picture to picture
    await until("the picture is as it was", async () => Math.abs(mean((await snapshot(page)).levels) - before) < 4);
    assert.deepEqual(page.problems, []);
    await server.stop();
  },

  async "the width that the source says gives true proportions"() {
    const server = await Server.start("--source", "octsrc is-live=true samples=1024 lines=300 "
      + "line-rate=9000 ! capssetter join=true caps=video/x-raw,x-spacing=(double)10e-6");
    const talk = await Talk.start(server);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    const { xSpacing, zSpacing } = await until("both scales are known", () => {
      const status = said(talk, "status");
      return status?.xSpacing > 0 && status.zSpacing > 0 && status;
    });
    assert.ok(Math.abs(xSpacing - 10e-6) < 1e-12);
    const aspect = (300 * xSpacing) / ((512 * zSpacing) / INDEX);
    await until("the picture has the shape of the sample", async () => {
      const { width, height } = await page.locator("#video").boundingBox();
      return Math.abs(width / height / aspect - 1) < 0.02;
    });
    await server.stop();
  },

  async "grey levels are shown in colours, on this page alone"() {
    const server = await Server.start("--images", "videotestsrc is-live=true pattern=solid-color foreground-color=0xff808080 ! "
      + "video/x-raw,format=GRAY8,width=64,height=64,framerate=20/1");
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    assert.deepEqual(await page.locator("#colours option").evaluateAll((all) => all.map((option) => option.value)),
      ["grey", "viridis", "hot"]);
    const grey = (await look(page, "#video")).levels[2000];
    await page.locator("#colours").selectOption("hot");
    // octcolormap's: red up to 95.6, then green up to 191.3
    const green = (255 * (grey - 95.625)) / 95.625;
    await until("it is coloured", async () => {
      const [[r, g, b]] = await seenAt(page, [0.5, 0.5]);
      return r > 245 && Math.abs(g - green) < 10 && b < 10;
    });
    await freeze(page);
    const [[r, g, b]] = await seenAt(page, [0.5, 0.5]);
    assert.ok(r > 245 && Math.abs(g - green) < 10 && b < 10, `${r}, ${g}, ${b}`);
    // the data stay as they are
    assert.ok(Math.abs((await snapshot(page)).levels[2000] - grey) < 4);
    await page.locator("#colours").selectOption("grey");
    await until("it is grey again", async () => {
      const [[red, green2, blue]] = await seenAt(page, [0.5, 0.5]);
      return red === green2 && green2 === blue && Math.abs(red - grey) < 4;
    });
    assert.deepEqual(page.problems, []);
    await server.stop();
  },

  async "average, speckle filter, depths and background are set while pictures come"() {
    const server = await Server.start("--width-um", String(WIDTH));
    const talk = await Talk.start(server);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    const set = async (id, words) => {
      if (await page.locator(id).evaluate((control) => control.tagName === "SELECT")) return page.locator(id).selectOption(words);
      await page.locator(id).fill(words);
      return page.locator(id).press("Enter");
    };
    // standard deviation of the noise below the tissue, in dB: 2 grey levels are 1 dB, and none is cut off
    const spread = async () => {
      const { width, levels } = await snapshot(page);
      const noise = levels.subarray(470 * width, 500 * width);
      const middle = mean(noise);
      return Math.sqrt(mean(Array.from(noise, (level) => (level - middle) ** 2 / 4)));
    };
    const state = () => said(talk, "state");
    await act(page, "the range is set", async () => {
      await page.locator("#automatic").uncheck();
      await set("#min", "-40");
      await set("#max", "87.5");
    }, () => state().min === -40 && state().max === 87.5);
    // the logarithm of the power of such noise has a standard deviation of 5.57 dB
    await until("the noise is that of one B-scan", async () => Math.abs(await spread() - 5.57) < 0.5);
    await act(page, "it is averaged", () => set("#average", "8"), () => state().average === 8);
    await until("8 B-scans have less noise", async () => Math.abs(await spread() - 5.57 / Math.sqrt(8)) < 0.3);
    await act(page, "it is not averaged", () => set("#average", "1"), () => state().average === 1);
    await until("the noise is back", async () => Math.abs(await spread() - 5.57) < 0.5);
    await act(page, "speckle is filtered", () => set("#speckle", "median"), () => state().speckle === "median");
    await until("a median has less noise", async () => await spread() < 2);
    await act(page, "speckle is not filtered", () => set("#speckle", "none"), () => state().speckle === "none");
    await until("the noise is back again", async () => Math.abs(await spread() - 5.57) < 0.5);
    // the spectrum of the source is at the zero delay if nothing is removed
    const top = async () => mean((await snapshot(page)).levels.subarray(0, 640));
    const removed = await top();
    await act(page, "nothing is removed", () => set("#backgroundMode", "none"), () => state().backgroundMode === "none");
    await until("the source is seen", async () => await top() > removed + 40);
    await act(page, "it is removed", () => set("#backgroundMode", "background"), () => state().backgroundMode === "background");
    await until("it is gone", async () => Math.abs(await top() - removed) < 10);
    const bins = (um) => Math.round((um * 512) / DEPTH);
    for (const [id, um] of [["#depth-from", 200], ["#depth-to", 600]])
      await act(page, id, () => set(id, String(um)),
        () => said(talk, "status")[id === "#depth-from" ? "firstDepth" : "depths"] === bins(um) - (id === "#depth-to" ? bins(200) : 0));
    assert.equal((await snapshot(page)).height, bins(600) - bins(200));
    await act(page, "all is shown", () => page.locator("#all-depths").click(),
      () => said(talk, "status").depths === 512 && said(talk, "status").firstDepth === 0);
    assert.deepEqual(page.problems, []);
    await server.stop();
    // the same from the command line
    const other = await Server.start("--depth-um", "200", "600", "--average", "4", "--background", "median", "--window", "none", "--speckle");
    const told = await Talk.start(other);
    await until("they are in force", () => said(told, "status")?.depths === bins(600) - bins(200));
    const { average, speckle, backgroundMode, window, depthStart } = said(told, "state");
    assert.deepEqual({ average, speckle, backgroundMode, window, depthStart },
      { average: 4, speckle: "bilateral", backgroundMode: "median", window: "none", depthStart: bins(200) });
    // a file need not know its background
    told.say(JSON.stringify({ type: "set", speckle: "box" }));
    await until("it is refused", () => /speckle filter does not exist/.test(said(told, "problem")?.message));
    await other.stop();
  },

  async "a caliper measures in tissue and in air, and its ends can be moved"() {
    const server = await Server.start("--width-um", String(WIDTH));
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await until("the scales are known", () => page.locator("#axis").isVisible());
    const box = await page.locator("#bars").boundingBox();
    const at = (x, y) => [box.x + x * box.width, box.y + y * box.height];
    const drag = async (from, to) => {
      await page.mouse.move(...at(...from));
      await page.mouse.down();
      await page.mouse.move(...at(...to), { steps: 4 });
      await page.mouse.up();
    };
    // what is written beside calipers
    await page.evaluate(() => {
      window.written = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (words, ...values) {
        window.written.push(words);
        return fillText.call(this, words, ...values);
      };
    });
    const lengths = async () => {
      const found = await page.evaluate(() => window.written.findLast((words) => / in air /.test(words)));
      return /^([\d.]+) µm \(n = 1.38\), in air ([\d.]+) µm$/.exec(found ?? "")?.slice(1).map(Number);
    };
    const isAbout = async (x, y) => {
      const [tissue, air] = await until("it is measured", lengths);
      const right = [Math.hypot(x * WIDTH, y * DEPTH), Math.hypot(x * WIDTH, y * DEPTH * INDEX)];
      // to a pixel of this screen
      const pixel = WIDTH / box.width + DEPTH / box.height;
      for (const [is, should] of [[tissue, right[0]], [air, right[1]]])
        assert.ok(Math.abs(is - should) < 2 * pixel, `${is} µm, not ${should}`);
    };
    await drag([0.2, 0.3], [0.6, 0.3]);
    assert.equal(await lengths(), undefined, "before it is switched on");
    await page.keyboard.press("l");
    await drag([0.2, 0.3], [0.5, 0.8]);
    await isAbout(0.3, 0.5);
    await drag([0.5, 0.8], [0.2, 0.7]);
    await isAbout(0, 0.4);
    await page.evaluate(() => { window.written = []; });
    await page.keyboard.press("Escape");
    await page.setViewportSize({ width: 1200, height: 800 });
    await until("all is drawn again", () => page.evaluate(() => window.written.length > 0));
    assert.equal(await lengths(), undefined, "Escape takes it away");
    assert.deepEqual(page.problems, []);
    await server.stop();
  },

  async "the cursor shows the place, and the value in dB"() {
    const server = await Server.start("--width-um", String(WIDTH));
    const talk = await Talk.start(server);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    // 5 grey levels are 1 dB
    await act(page, "the range is known", async () => {
      await page.locator("#automatic").uncheck();
      await page.locator("#max").fill("61");
      await page.locator("#min").fill("10");
      await page.locator("#min").press("Enter");
    }, () => said(talk, "status").black === 10 && said(talk, "status").white === 61);
    await freeze(page);
    const { width, levels } = await look(page, "#still");
    const box = await page.locator("#bars").boundingBox();
    for (const [column, row] of [[100, 150], [320, 200], [600, 400]]) {
      const [x, y] = [(column + 0.5) / 640, (row + 0.5) / 512];
      await page.mouse.move(box.x + x * box.width, box.y + y * box.height);
      // a pixel of the screen is not one of the picture
      const near = [-2, -1, 0, 1, 2].flatMap((dy) => [-1, 0, 1].map((dx) => levels[(row + dy) * width + column + dx]));
      const [across, unit, depth, low] = await until("it is written", async () =>
        /^([\d.]+) (µm|mm) · depth ([\d.]+) (?:µm|mm) · [≤≥]? ?(−?[\d.]+) dB$/.exec(await text(page, "#cursor"))?.slice(1));
      assert.ok(Math.abs(Number(across) * (unit === "mm" ? 1000 : 1) - x * WIDTH) < 15, across);
      assert.ok(Math.abs(Number(depth) - y * DEPTH) < 10 || Math.abs(Number(depth) * 1000 - y * DEPTH) < 10, depth);
      assert.ok(near.some((grey) => Math.abs(10 + grey / 5 - Number(low.replace("−", "-"))) < 0.06),
        `${low} dB is none of ${near}`);
    }
    await page.mouse.move(5, box.y + box.height + 60);
    await until("outside there is none", () => page.locator("#cursor").isHidden());
    assert.deepEqual(page.problems, []);
    await server.stop();
  },

  async "the depth axis has its marks at the depths of tissue"() {
    const server = await Server.start("--width-um", String(WIDTH));
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await until("the scales are known", () => page.locator("#axis").isVisible());
    // rows of the canvas that are white at its left edge
    const marks = () => page.evaluate(() => {
      const canvas = document.querySelector("#bars");
      const { data } = canvas.getContext("2d").getImageData(3, 0, 1, canvas.height);
      const rows = [];
      for (let row = 0; row < canvas.height; row++)
        if (data[4 * row] > 150 && data[4 * row + 3] > 150 && rows.at(-1) !== row - 1) rows.push(row);
      return { rows, height: canvas.height };
    });
    const { rows, height } = await marks();
    const step = (100 / DEPTH) * height; // of 0.1 mm
    assert.ok(rows.length >= DEPTH / 100 - 1, `${rows}`);
    for (const row of rows) assert.ok(Math.abs(row / step - Math.round(row / step)) < 3 / step, `${row}: ${step}`);
    await page.locator("#axis").uncheck();
    await until("it is gone", async () => (await marks()).rows.length === 0);
    await server.stop();
  },

  async "three planes name their directions, and have scales"() {
    const server = await Server.start("--bscans", "16", "--width-um", "640", "--length-um", "320", "--images",
      "videotestsrc is-live=true pattern=gradient ! video/x-raw,format=GRAY8,width=64,height=64,framerate=25/1");
    const page = await browser.visit(server.url);
    await page.addInitScript(() => {
      window.written = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (words, ...values) {
        window.written.push(words);
        return fillText.call(this, words, ...values);
      };
    });
    await page.reload();
    await waitForVideo(page);
    await until("volumes are known", () => page.locator("[data-show=volume]").isVisible());
    await act(page, "the planes are shown", () => page.keyboard.press("4"), async () =>
      await page.locator("[data-show=planes]").getAttribute("aria-pressed") === "true"
      && page.evaluate(() => window.written.includes("scan →")));
    const written = await page.evaluate(() => window.written);
    for (const words of ["En face", "B-scan 9 / 16", "scan →", "slow →", "slow ↓", "depth ↓", "200 µm", "100 µm"]) assert.ok(written.includes(words), words);
    // a depth that is not known has no scale: those of 640 and 320 um are a third of them at most
    assert.deepEqual([...new Set(written.filter((words) => / [µm]m$/.test(words) && !/Depth/.test(words)))].sort(), ["100 µm", "200 µm"]);
    assert.deepEqual(page.problems, []);
    await server.stop();
  },

  async "an instrument keeps the words for the ends of directions, and every view has them"() {
    const kept = mkdtempSync(join(tmpdir(), "oct-instruments-"));
    const start = (...options) => Server.startWith({ XDG_DATA_HOME: kept }, "--bscans", "16", ...options);
    const hello = async (server) => {
      const talk = await Talk.start(server);
      const { scanEnds, slowEnds } = await until("it says hello", () => said(talk, "hello"));
      return [scanEnds, slowEnds];
    };
    const first = await start("--scan-ends", "left,right", "--slow-ends", "front,back", "--save-instrument", "Bench 3");
    assert.deepEqual(await hello(first), ["left,right", "front,back"]);
    // what is set on the page is kept too, and they stay
    const page = await browser.visit(first.url);
    await waitForVideo(page);
    await act(page, "the window is set", () => page.locator("#window").selectOption("blackman"),
      () => /blackman/.test(readdirSync(kept, { recursive: true }).filter((name) => name.endsWith(".prs"))
        .map((name) => readFileSync(join(kept, name), "utf8")).join()));
    await first.stop();
    // an option counts more than the instrument, and is not kept if nobody asks for that
    const again = await start("--instrument", "Bench 3", "--slow-ends", "inferior,superior");
    assert.deepEqual(await hello(again), ["left,right", "inferior,superior"]);
    const other = await browser.visit(again.url);
    await other.addInitScript(() => {
      window.written = [];
      const { fillText } = CanvasRenderingContext2D.prototype;
      CanvasRenderingContext2D.prototype.fillText = function (words, x, y) {
        const { e, f } = this.getTransform(), ratio = window.devicePixelRatio;
        window.written.push([words, x + e / ratio, y + f / ratio]);
        return fillText.call(this, words, x, y);
      };
    });
    await other.reload();
    await waitForVideo(other);
    // the places where each word was written last: [x, y] in parts of the picture
    const places = () => other.evaluate(() => {
      const { width, height } = document.querySelector("#bars").getBoundingClientRect();
      return Object.fromEntries(window.written.map(([words, x, y]) => [words, [x / width, y / height]]));
    });
    await until("the sides of the B-scan are named", async () => "right" in await places());
    const { left, right, inferior } = await places();
    // right of the depths
    assert.ok(left[0] > 0.04 && left[0] < 0.1 && right[0] > 0.95 && Math.abs(left[1] - 0.5) < 0.05, `${left}, ${right}`);
    assert.equal(inferior, undefined, "depth has none of them");
    for (const [key, view] of [["3", "enface"], ["4", "planes"]]) {
      await act(other, `${view} is shown`, async () => {
        await other.evaluate(() => { window.written = []; });
        await other.keyboard.press(key);
      }, async () => await other.locator(`[data-show=${view}]`).getAttribute("aria-pressed") === "true"
        && "superior" in await places());
      const now = await places();
      for (const word of ["left", "right", "inferior"]) assert.ok(word in now, `${view}: ${word}`);
      assert.ok(view === "planes" || now.inferior[1] < 0.1 && now.superior[1] > 0.9, JSON.stringify(now));
    }
    assert.deepEqual([...page.problems, ...other.problems], []);
    await again.stop();
    const third = await start("--instrument", "Bench 3");
    assert.deepEqual(await hello(third), ["left,right", "front,back"]);
    await third.stop();
    // a new instrument of that name has none
    await (await start("--save-instrument", "Bench 3")).stop();
    const last = await start("--instrument", "Bench 3");
    assert.deepEqual(await hello(last), ["", ""]);
    await last.stop();
    for (const wrong of ["left", "left,", "a,b,c", "seventeen letters,b"]) {
      const { status, stderr } = await execute(process.env.OCT_LIVE, ["--scan-ends", wrong]);
      assert.equal(status, 2, wrong);
      assert.match(stderr, /--scan-ends takes two words .* as in --scan-ends left,right\./, wrong);
    }
  },

  async "with --bits 16 snapshots have 16 bit, also of images that are averaged and filtered"() {
    const server = await Server.start("--bits", "16", "--average", "2", "--speckle");
    const page = await browser.visit(server.url, { acceptDownloads: true });
    await waitForVideo(page);
    const saved = await download(page, () => page.keyboard.press("s"));
    const path = await saved.path();
    const [[type, head]] = readChunks(readFileSync(path));
    assert.deepEqual([type, head[8], head[9]], ["IHDR", 16, 0], "16 bit, grey");
    const { status, stderr } = await execute("gst-launch-1.0", ["filesrc", `location=${path}`, "!", "pngdec", "!",
      "video/x-raw,format=GRAY16_BE", "!", "filesink", `location=${path}.raw`]);
    assert.equal(status, 0, stderr);
    const levels = new Set();
    const pixels = readFileSync(`${path}.raw`);
    for (let i = 0; i < pixels.length; i += 2) levels.add(pixels.readUInt16BE(i));
    assert.equal(pixels.length, 2 * 640 * 512);
    // 8 bit made wider would have 256 of them, in steps of 256 or 257
    assert.ok(levels.size > 2000, `${levels.size} levels`);
    // the video and the recordings are as ever
    await act(page, "it records", () => page.keyboard.press("r"), async () =>
      await page.locator("#record").getAttribute("aria-pressed") === "true");
    await endRecording(page);
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stopKeeping(), 0);
    assert.ok(await countFrames(server.recordings) > 0);
    server.clear();
    const { status: refused, stderr: why } = await execute(process.env.OCT_LIVE, ["--bits", "12"]);
    assert.equal(refused, 2);
    assert.match(why, /--bits is 8 or 16/);
  },

  async "the case and notes are kept with recordings and snapshots, and are not for those who only watch"() {
    const tokens = join(mkdtempSync(join(tmpdir(), "oct-live-tokens-")), "tokens");
    const server = await Server.start("--token-file", tokens, "--width-um", String(WIDTH));
    const [control, view] = readFileSync(tokens, "utf8").match(/[\w-]{20,}/g);
    const page = await browser.visit(`${server.url}/?token=${control}`, { acceptDownloads: true });
    const watcher = await browser.visit(`${server.url}/?token=${view}`);
    await until("both are connected", async () => await page.locator("#case").isVisible() && await watcher.locator("#only-watching").isVisible());
    await until("there are pictures", () => page.locator("#veil").isHidden());
    assert.ok(await watcher.locator("#case").isHidden());
    await act(page, "the case is in the corner", async () => {
      await page.locator("#case-side").selectOption("OS");
      await page.locator("#case-label").fill("Müller 7");
      await page.locator("#case-label").press("Enter");
    }, async () => await text(page, "#case-shown") === "Müller 7 · OS");
    // keys that were typed were not for the page
    assert.ok(await page.locator("#signal").isHidden());
    const texts = async (from) => {
      const chunks = readChunks(Buffer.from(await from.evaluate(async () =>
        [...new Uint8Array(await (await fetch("/snapshot.png")).arrayBuffer()).subarray(0, 2000)])));
      return Object.fromEntries(chunks.filter(([type]) => /^[ti]T?[XE]/.test(type)).map(([type, data]) => {
        const words = data.toString(type === "iTXt" ? "utf8" : "latin1").split("\0");
        return [words[0], words.at(-1)];
      }));
    };
    const own = await texts(page);
    assert.equal(own.Case, "Müller 7");
    assert.equal(own.Laterality, "left eye (OS)");
    const others = await texts(watcher);
    assert.ok(others["Creation Time"] && !("Case" in others) && !("Laterality" in others), JSON.stringify(others));
    assert.ok(await watcher.locator("#case-shown").isHidden());
    await act(page, "it records", async () => {
      if (await page.locator("#record").getAttribute("aria-pressed") !== "true") await page.keyboard.press("r");
    }, () => page.locator("#mark").isEnabled());
    await act(page, "a mark is kept", () => page.keyboard.press("n"), async () => /^[1-9]/.test(await text(page, "#noted")));
    await act(page, "a note is kept", async () => {
      await page.locator("#note").fill('cut, "deep"');
      await page.locator("#note").press("Enter");
    }, async () => /^([2-9]|\d\d)/.test(await text(page, "#noted")));
    await act(page, "it is shown to the other one", () => page.locator("#case-told").check(),
      async () => await text(watcher, "#case-shown") === "Müller 7 · OS");
    assert.equal((await texts(watcher)).Case, "Müller 7");
    await endRecording(page);
    // scales are drawn into the snapshot, which says the same as before
    await page.locator("#burn").check();
    await freeze(page);
    const held = await look(page, "#still");
    const saved = await download(page, () => page.keyboard.press("s"));
    const chunks = readChunks(readFileSync(await saved.path()));
    assert.deepEqual(chunks.slice(0, 2).map(([type]) => type), ["IHDR", "pHYs"]);
    assert.ok(chunks.some(([type, data]) => type === "iTXt" && data.toString("utf8").endsWith("Müller 7")));
    const drawn = await page.evaluate(async (data) => {
      const bytes = Uint8Array.from(atob(data), (letter) => letter.charCodeAt(0));
      const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
      const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
      context.drawImage(image, 0, 0);
      return [...context.getImageData(0, image.height - 16, image.width, 1).data].filter((_, i) => i % 4 === 0);
    }, readFileSync(await saved.path()).toString("base64"));
    // 500 um are 106.7 of the 640 A-lines: white from column 16 to 123 in the row of the scale
    assert.ok([20, 70, 120].every((x) => drawn[x] > 240), "the lateral scale");
    assert.equal(drawn[130], held.levels[(512 - 16) * 640 + 130], "beside it nothing has changed");
    assert.deepEqual([...page.problems, ...watcher.problems], []);
    assert.equal(await server.stopKeeping(), 0);
    const [output] = readdirSync(server.recordings).map((name) => /^(.*)-notes.csv$/.exec(name)?.[1]).filter(Boolean);
    assert.equal(readFileSync(join(server.recordings, `${output}.txt`), "utf8").split("\n")[0], "Case: Müller 7; Side: left eye (OS)");
    const [head, ...lines] = readFileSync(join(server.recordings, `${output}-notes.csv`), "utf8").trim().split("\n");
    assert.equal(head, "seconds,time,note");
    for (const line of lines) assert.match(line, /^\d+\.\d{3},\d{4}-\d\d-\d\dT[\d:.+-]+Z?,".*"$/);
    assert.ok(lines.some((line) => line.endsWith(',"mark"')) && lines.some((line) => line.endsWith(',"cut, ""deep"""')), lines.join("\n"));
    assert.equal(statSync(join(server.recordings, `${output}-notes.csv`)).mode & 0o777, 0o600);
    server.clear();
  },

  async "the label of the case is chosen from the worklist, by those who control"() {
    const folder = mkdtempSync(join(tmpdir(), "oct-worklist-"));
    const list = join(folder, "today.txt");
    writeFileSync(list, "# Monday\nMüller 7\n<b>42</b>\n");
    const server = await Server.start("--token-file", join(folder, "tokens"), "--worklist", list);
    const [control, view] = readFileSync(join(folder, "tokens"), "utf8").match(/[\w-]{20,}/g);
    const seen = await get(server, `/?token=${view}`);
    const watcher = await Talk.start(server, { Cookie: seen.headers["set-cookie"][0].split(";")[0] });
    const page = await browser.visit(`${server.url}/?token=${control}`);
    const cases = () => page.locator("#cases option").evaluateAll((options) => options.map(({ value }) => value));
    await until("they are offered", async () => (await cases()).length === 2);
    assert.deepEqual(await cases(), ["Müller 7", "<b>42</b>"]);
    // as a person does who begins to type one of them
    await act(page, "the case is shown", async () => {
      await page.locator("#case-label").fill("Müller 7");
      await page.locator("#case-label").blur();
    }, async () => await text(page, "#case-shown") === "Müller 7");
    // it is read again for a page that is opened
    writeFileSync(list, "Meier\n");
    await page.reload();
    await until("there is another one", async () => (await cases()).join() === "Meier");
    // without the file they stay, and the terminal says why
    rmSync(list);
    await page.reload();
    await until("the terminal says so", () => /worklist cannot be read/.test(server.output));
    assert.deepEqual(await cases(), ["Meier"]);
    await until("it has heard something", () => said(watcher, "status"));
    assert.equal(said(watcher, "cases"), undefined);
    assert.deepEqual(page.problems, []);
    await server.stop();
  },

  async "a snapshot says how large its pixels are, and how it was made"() {
    const server = await Server.start("--width-um", String(WIDTH));
    const talk = await Talk.start(server);
    const page = await browser.visit(server.url, { acceptDownloads: true });
    await waitForVideo(page);
    await until("the range is known", () => said(talk, "status")?.white > said(talk, "status").black);
    const saved = await download(page, () => page.keyboard.press("s"));
    const chunks = readChunks(readFileSync(await saved.path()));
    assert.equal(chunks[0][0], "IHDR");
    const sizes = chunks.find(([type]) => type === "pHYs")[1];
    const perMetre = [640 / (WIDTH * 1e-6), 512 / (DEPTH * 1e-6)];
    for (const [i, right] of perMetre.entries())
      assert.ok(Math.abs(sizes.readUInt32BE(4 * i) / right - 1) < 1e-3, `${sizes.readUInt32BE(4 * i)}, not ${right}`);
    assert.equal(sizes[8], 1); // metres
    const texts = Object.fromEntries(chunks.filter(([type]) => type === "tEXt")
      .map(([, data]) => data.toString("latin1").split("\0")));
    assert.match(texts["Creation Time"], /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d/);
    assert.match(texts.Spacings, /^lateral 4.6875 um, depth 2\.\d+ um \(refractive index 1.38; in air 3\.\d+ um\)/);
    const [black, white] = /^black (\S+) dB, white (\S+) dB$/.exec(texts.Range).slice(1).map(Number);
    assert.ok(white > black + 15);
    assert.match(texts.Method, /^cubic, window hann$/);
    assert.match(texts.Calibration, /^a2=0 um\^2, a3=0 um\^3/);
    await server.stop();
    // of finished images nothing is known
    const other = await Server.start("--images", "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=64,height=64");
    const png = await until("there is a picture", async () => {
      const { status, body } = await get(other, "/snapshot.png");
      return status === 200 && Buffer.from(body, "latin1");
    });
    assert.ok(!readChunks(png).some(([type, data]) => type === "pHYs" || /^(Range|Method)/.test(data.toString("latin1"))));
    await other.stop();
  },
};

browser = process.env.OCT_LIVE ? await openBrowser().catch(() => null) : null;
await run({}, { together });
