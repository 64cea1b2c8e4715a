// SPDX-License-Identifier: LGPL-2.1-or-later
// Volumes on the page: tabs, hands on the picture, sliders, stereo; who may turn
// it; what recordings and the processor notice of it.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { countFrames, look, mean, openBrowser, run, Server, until, waitForVideo } from "./lib.mjs";
import { Talk } from "./wire.mjs";

let browser;

// A volume that stays as it is: dark above (16), bright below (232), in each of
// its sixteen B-scans.
const STILL = ["--bscans", "16", "--width-um", "640", "--length-um", "640", "--images",
  "videotestsrc is-live=true pattern=gradient ! video/x-raw,format=GRAY8,width=64,height=64,framerate=25/1"];

const say = (talk, members) => talk.say(JSON.stringify({ type: "look", ...members }));
const said = (talk) => talk.messages.findLast((message) => message.type === "look");
const near = (a, b, difference) => Math.abs(a - b) <= difference;

const sizeOf = (page) => page.evaluate(() => {
  const video = document.querySelector("#video");
  return `${video.videoWidth}x${video.videoHeight}`;
});

async function choose(page, show, size) {
  await page.locator(`[data-show=${show}]`).click();
  await until(`${show} is shown`, async () => (await sizeOf(page)) === size
    && await page.locator(`[data-show=${show}]`).getAttribute("aria-pressed") === "true");
}

// The picture that was rendered last, without the losses of a video.
async function picture(page) {
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

// The mean difference of grey levels; much where sizes differ.
function difference(a, b) {
  if (a.levels.length !== b.levels.length) return 255;
  let sum = 0;
  for (const [i, level] of a.levels.entries()) sum += Math.abs(level - b.levels[i]);
  return sum / a.levels.length;
}

// Pictures are coarser while a machine has no time for more: that is less than 2.
const differs = (page, from, what) =>
  until(`${what} changes the picture`, async () => difference(await picture(page), from) > 4);
const isBack = (page, to, what) =>
  until(`${what} brings the picture back`, async () => difference(await picture(page), to) < 2.5);

async function drag(page, dx, dy, options = {}) {
  const box = await page.locator("#bars").boundingBox();
  const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  if (options.shift) await page.keyboard.down("Shift");
  await page.mouse.move(x, y);
  await page.mouse.down();
  for (let i = 1; i <= 5; i++) await page.mouse.move(x + (dx * box.width * i) / 5, y + (dy * box.height * i) / 5);
  await page.mouse.up();
  if (options.shift) await page.keyboard.up("Shift");
}

// Threads that draw pictures of volumes.
function countDrawing(server) {
  const folder = `/proc/${server.process.pid}/task`;
  return readdirSync(folder).filter((id) => {
    try {
      return /^octpictures/.test(readFileSync(join(folder, id, "comm"), "latin1"));
    } catch {
      return false; // it has just ended
    }
  }).length;
}

async function shot(page, name) {
  if (process.env.OCT_SCREENSHOTS)
    await page.screenshot({ path: join(process.env.OCT_SCREENSHOTS, `${name}.png`) });
}

const tests = {
  async "without volumes there are no tabs of them, and none can be asked for"() {
    const server = await Server.start();
    const talk = await Talk.start(server);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await until("it is known", () => said(talk)?.bscans === 1);
    for (const show of ["volume", "enface", "planes"]) {
      assert.ok(await page.locator(`[data-show=${show}]`).isHidden(), show);
      // its key does nothing
      await page.keyboard.press({ volume: "2", enface: "3", planes: "4" }[show]);
    }
    assert.ok(!talk.has("problem"));
    say(talk, { show: "volume" });
    await until("it is refused", () => talk.messages.some(({ type, message }) =>
      type === "problem" && /not of a volume.*--bscans/.test(message)));
    assert.equal(said(talk).show, "bscan");
    assert.equal(countDrawing(server), 0);
    assert.equal(await server.stop(), 0);
  },

  async "mouse, wheel and keys turn the volume, and bring it back"() {
    const server = await Server.start(...STILL);
    const talk = await Talk.start(server);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await choose(page, "volume", "640x480");
    assert.ok(countDrawing(server) > 0);
    const first = await until("tissue is seen", async () => {
      const seen = await picture(page);
      return Math.max(...new Set(seen.levels)) > 100 && seen;
    });
    const camera = () => ["yaw", "pitch", "zoom", "panX", "panY"].map((name) => said(talk)[name]);
    const isAt = (what, ...values) => until(`${what}: ${values}`, () =>
      camera().every((value, i) => near(value, values[i], 0.02 * Math.max(1, Math.abs(values[i])))));
    // half a turn for the width or height of the picture, as in other windows of volumes
    await drag(page, 0.25, 0.1);
    await isAt("dragged", -80, 52, 0.9, 0, 0);
    await differs(page, first, "a drag");
    await drag(page, -0.25, -0.1);
    await isBack(page, first, "a drag back");
    await drag(page, 0.1, 0.1, { shift: true });
    await isAt("moved", -35, 34, 0.9, 0.1 * (640 / 480), -0.1);
    await differs(page, first, "moving");
    await page.keyboard.press("Home");
    await isBack(page, first, "Home");
    await page.mouse.wheel(0, -200);
    await isAt("wheel", -35, 34, 1.089, 0, 0);
    await page.keyboard.press("-");
    await page.keyboard.press("-");
    await isAt("smaller", -35, 34, 0.9, 0, 0);
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowUp");
    await isAt("arrows", -30, 29, 0.9, 0, 0);
    await differs(page, first, "arrow keys");
    await page.locator("#reset-view").click();
    await isBack(page, first, "the button");
    await shot(page, "volume-still");
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "one finger turns, two fingers change the size"() {
    const server = await Server.start(...STILL);
    const talk = await Talk.start(server);
    const page = await browser.visit(server.url, { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    await waitForVideo(page);
    await choose(page, "volume", "640x480");
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    const box = await page.locator("#bars").boundingBox();
    const client = await page.context().newCDPSession(page);
    const at = (...points) => points.map(([x, y], id) => ({ x: box.x + x * box.width, y: box.y + y * box.height, id }));
    const touch = (type, ...points) => client.send("Input.dispatchTouchEvent", { type, touchPoints: at(...points) });
    await touch("touchStart", [0.4, 0.5]);
    await touch("touchMove", [0.5, 0.5]);
    await touch("touchMove", [0.6, 0.5]);
    await touch("touchEnd");
    await until("it has turned", () => near(said(talk).yaw, -35 - 36, 1));
    assert.ok(near(said(talk).pitch, 34, 0.5));
    await touch("touchStart", [0.4, 0.5], [0.6, 0.5]);
    await touch("touchMove", [0.35, 0.5], [0.65, 0.5]);
    await touch("touchMove", [0.3, 0.5], [0.7, 0.5]);
    await touch("touchEnd");
    await until("it is larger", () => near(said(talk).zoom, 1.8, 0.1));
    assert.ok(near(said(talk).yaw, -35 - 36, 1), "two fingers do not turn");
    await shot(page, "volume-phone");
    assert.deepEqual(page.problems, []);
    await server.stop();
  },

  async "sliders cut, stereo has two eyes, and it is so for everybody"() {
    const server = await Server.start(...STILL);
    const page = await browser.visit(server.url);
    const other = await browser.visit(server.url);
    await waitForVideo(page);
    await choose(page, "volume", "640x480");
    const first = await until("tissue is seen", async () => {
      const seen = await picture(page);
      return Math.max(...new Set(seen.levels)) > 100 && seen;
    });
    for (const [id, value] of [["cutX", 0.5], ["cropBottom", 0.7], ["threshold", 200]]) {
      await page.locator(`#${id}`).fill(String(value));
      await differs(page, first, id);
      if (id === "threshold") await page.locator("#threshold").fill("-1");
      else await page.locator("#reset-cut").click();
      await isBack(page, first, id);
    }
    await page.locator("#rendering").selectOption("mip");
    await differs(page, first, "another rendering");
    await until("the other page knows", async () => await other.locator("#rendering").inputValue() === "mip");
    await page.locator("#rendering").selectOption("auto");
    // an edge that is pushed over the other takes it along
    await page.locator("#cropLeft").fill("0.9");
    await page.locator("#cropRight").fill("0.3");
    await until("both have moved", async () => near(Number(await other.locator("#cropRight").inputValue()), 0.3, 0.001)
      && near(Number(await other.locator("#cropLeft").inputValue()), 0.28, 0.001));
    await page.locator("#reset-cut").click();
    await page.locator("#stereo").check();
    await until("two eyes", async () => await sizeOf(page) === "960x270" && await sizeOf(other) === "960x270");
    const { levels } = await picture(page);
    let apart = 0, brightness = [0, 0];
    for (let y = 0; y < 270; y++)
      for (let x = 0; x < 480; x++) {
        const [left, right] = [levels[y * 960 + x], levels[y * 960 + 480 + x]];
        apart += Math.abs(left - right) / (270 * 480);
        brightness[0] += left;
        brightness[1] += right;
      }
    assert.ok(apart > 0.2, `the eyes see the same (${apart})`);
    assert.ok(near(brightness[0] / brightness[1], 1, 0.1), `${brightness}`);
    await shot(page, "volume-stereo");
    assert.deepEqual(page.problems.concat(other.problems), []);
    await server.stop();
  },

  async "en face and three planes show the volume, a click moves two planes"() {
    const server = await Server.start(...STILL);
    const talk = await Talk.start(server);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    // as long as wide, by what was said of it
    await choose(page, "enface", "720x720");
    await until("no rate is missed", async () => !/bad/.test(await page.locator("#rate").getAttribute("class") ?? ""));
    await page.locator("[data-show=planes]").click();
    await until("planes are told", () => said(talk).panels.length === 4);
    const { picture: all, panels } = said(talk);
    await until("they are shown", async () => await sizeOf(page) === `${all.width}x${all.height}`);
    // the plane of one depth begins at the brightest one
    await until("the brightest depth", () => said(talk).atZ > 0.97);
    say(talk, { atZ: 0.5 });
    // black above and white below in both upright planes; a depth is even
    let seen = null;
    const level = (panel, x, y) => seen.levels[Math.round(panel.y + y * panel.height) * all.width
      + Math.round(panel.x + x * panel.width)];
    // it grows while it is scanned, to the last B-scan
    await until("the volume is there", async () => {
      seen = await picture(page);
      return level(panels[0], 0.5, 0.95) > 200 && level(panels[1], 0.95, 0.95) > 200
        && near(level(panels[2], 0.9, 0.95), 124, 10);
    });
    for (const panel of panels.slice(0, 2)) {
      assert.ok(level(panel, 0.5, 0.1) < 45 && level(panel, 0.5, 0.9) > 205);
      assert.ok(near(level(panel, 0.5, 0.5), 124, 10));
    }
    for (const [x, y] of [[0.1, 0.1], [0.9, 0.1], [0.5, 0.5], [0.9, 0.9]])
      assert.ok(near(level(panels[2], x, y), 124, 10), `${level(panels[2], x, y)}`);
    const box = await page.locator("#bars").boundingBox();
    const click = (panel, x, y) => page.mouse.click(
      box.x + ((panel.x + x * panel.width) * box.width) / all.width,
      box.y + ((panel.y + y * panel.height) * box.height) / all.height);
    await click(panels[0], 0.25, 0.8);
    await until("across and depth", () => near(said(talk).atX, 0.25, 0.02) && near(said(talk).atZ, 0.8, 0.02)
      && said(talk).atY === 0.5);
    await click(panels[1], 0.75, 0.2);
    await until("B-scan and depth", () => near(said(talk).atY, 0.75, 0.02) && near(said(talk).atZ, 0.2, 0.02)
      && near(said(talk).atX, 0.25, 0.02));
    await click(panels[3], 0.6, 0.3);
    await until("across and B-scan, in the projection", () => near(said(talk).atX, 0.6, 0.02)
      && near(said(talk).atY, 0.3, 0.02) && near(said(talk).atZ, 0.2, 0.02));
    await until("the depth is another one", async () => {
      const { levels } = await picture(page);
      return near(levels[(panels[2].y + 50) * all.width + panels[2].x + 50], 59, 10);
    });
    await shot(page, "planes-still");
    assert.deepEqual(page.problems, []);
    await server.stop();
  },

  async "names of planes cover none of them, on a phone neither"() {
    const server = await Server.start(...STILL);
    const talk = await Talk.start(server);
    const page = await browser.visit(server.url, { viewport: { width: 390, height: 844 } });
    await waitForVideo(page);
    await page.locator("[data-show=planes]").click();
    await until("planes are told", () => said(talk).panels.length === 4);
    await until("the brightest depth", () => said(talk).atZ > 0.97);
    const { picture: all, panels } = said(talk);
    const count = () => page.evaluate(([{ width }, parts, look]) => {
      const bars = document.querySelector("#bars");
      const scale = bars.width / width;
      const ratio = window.devicePixelRatio;
      const { data } = bars.getContext("2d").getImageData(0, 0, bars.width, bars.height);
      let covered = 0;
      const rows = new Set(); // of the projection, that have its name
      for (let y = 0; y < bars.height; y++)
        for (let x = 0; x < bars.width; x++) {
          if (data[4 * (y * bars.width + x) + 3] === 0) continue;
          // lines and frames are there
          const at = parts.findIndex((p) => x >= p.x * scale - 2 && x < (p.x + p.width) * scale + 2
            && y >= p.y * scale - 2 && y < (p.y + p.height) * scale + 2);
          if (at >= 0) {
            const [across, down] = [["atX", "atZ"], ["atY", "atZ"], ["atX", "atY"], ["atX", "atY"]][at].map((name) => look[name]);
            const [dx, dy] = [x / scale - parts[at].x, y / scale - parts[at].y];
            const near = (a) => Math.abs(a) * scale < 4 * ratio;
            if (!near(dx - across * parts[at].width) && !near(dy - down * parts[at].height)
              && !near(dx) && !near(dx - parts[at].width) && !near(dy) && !near(dy - parts[at].height)) {
              // the projection is not a plane
              if (at === 3) rows.add(y);
              else covered++;
            }
          }
        }
      return { covered, named: rows.size / (parts[3].height * scale) };
    }, [all, panels, said(talk)]);
    await until("the projection has its name, and the planes have nothing on them", async () => {
      const { covered, named } = await count();
      return covered === 0 && named > 0.05 && named < 0.3;
    });
    await shot(page, "planes-phone");
    await server.stop();
  },

  async "a recording has every B-scan, whatever is shown meanwhile"() {
    // few enough that a busy machine draws and encodes them all
    const server = await Server.start(...STILL.slice(0, -1), STILL.at(-1).replace("25/1", "5/1"));
    const talk = await Talk.start(server);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    const recorded = () => talk.messages.findLast((message) => message.recording)?.recording;
    talk.say(JSON.stringify({ type: "record", on: true }));
    await until("it records", () => recorded()?.active && recorded().frames > 10);
    for (const show of ["volume", "planes", "enface", "volume", "bscan"]) {
      await page.locator(`[data-show=${show}]`).click();
      const { frames } = recorded();
      await until(`recording goes on with ${show}`, () => recorded().frames > frames + 16 && said(talk).show === show);
    }
    talk.say(JSON.stringify({ type: "record", on: false }));
    const { frames, dropped } = await until("it has ended", () => !recorded().active && !recorded().finishing && recorded());
    assert.equal(dropped, 0);
    assert.equal(await countFrames(server.recordings), frames);
    // B-scans again, of their own size, and nobody draws
    await until("B-scans are shown", async () => await sizeOf(page) === "64x64");
    const { levels } = await picture(page);
    assert.ok(mean(levels.subarray(0, 64 * 8)) < 45 && mean(levels.subarray(64 * 56)) > 200);
    assert.equal(countDrawing(server), 0);
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
    return `${frames} B-scans`;
  },

  async "a volume comes again after its source has failed, as JPEG pictures too"() {
    const [images] = STILL.slice(-1);
    const server = await Server.start(...STILL.slice(0, -1), `${images} ! identity error-after=60`);
    const talk = await Talk.start(server);
    const page = await browser.visit(`${server.url}/?media=jpeg`);
    await until("it can be chosen", () => page.locator("[data-show=volume]").isVisible());
    await page.locator("[data-show=volume]").click();
    const isSeen = () => page.evaluate(() => {
      const canvas = document.querySelector("#jpeg");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width || 1, canvas.height || 1);
      return canvas.width === 640 && document.querySelector("#veil").hidden
        && data.some((value, i) => i % 4 === 0 && value > 100);
    });
    await until("the volume is seen", isSeen);
    await until("the page says that it has failed", async () =>
      /has failed/.test(await page.locator("#veil").textContent()) && await page.locator("#veil").isVisible());
    await until("the volume is back", isSeen);
    assert.equal(said(talk).show, "volume");
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "A-lines that a scan leaves out are filled in as people choose"() {
    const scan = "octsrc is-live=true phantom=surgery samples=256 lines=64 bscans=16 line-rate=1500 ";
    const masked = await Server.start("--source", `${scan} scan-mask=scattered scan-rate=0.5`);
    const page = await browser.visit(masked.url);
    const other = await browser.visit(masked.url);
    const width = (pixels) => until(`images are ${pixels} A-lines wide`,
      async () => (await picture(page)).width === pixels);
    await waitForVideo(page);
    await until("there is a choice", async () => await page.locator("#filling").isVisible()
      && await other.locator("#filling").isVisible());
    assert.equal(await page.locator("#fill").inputValue(), "linear");
    await width(64);
    await page.locator("#fill").selectOption("off");
    await width(32);
    await page.locator("#fill").selectOption("joint");
    await width(64);
    assert.equal(await other.locator("#fill").inputValue(), "joint");
    await page.locator("#fill").selectOption("auto");
    await until("what was chosen is said", async () =>
      /It is (linear|joint), since /.test(await other.locator("#fill-note").textContent()));
    await width(64);
    // filled in, it is a volume like others
    await choose(page, "volume", "640x480");
    assert.deepEqual(page.problems.concat(other.problems), []);
    assert.equal(await masked.stop(), 0);

    const whole = await Server.start("--source", scan);
    const third = await browser.visit(whole.url);
    await waitForVideo(third);
    assert.ok(await third.locator("#filling").isHidden());
    assert.equal(await whole.stop(), 0);
  },

  async "who watches sees what was chosen and can turn nothing; nonsense is refused"() {
    const server = await Server.start(...STILL, "--token-file", "tokens");
    const tokens = readFileSync(join(server.folder, "tokens"), "latin1");
    const link = (role) => `${server.url}/?token=${new RegExp(`^${role} (\\S+)`, "m").exec(tokens)[1]}`;
    const page = await browser.visit(link("control"));
    const watching = await browser.visit(link("view"));
    await waitForVideo(page);
    await waitForVideo(watching);
    await choose(page, "volume", "640x480");
    await until("the other page shows it", async () => await sizeOf(watching) === "640x480"
      && await watching.locator("[data-show=volume]").getAttribute("aria-pressed") === "true");
    assert.ok(await watching.locator("[data-show=bscan]").isDisabled());
    assert.ok(await watching.locator("#cutX").isDisabled());
    const before = await until("tissue is seen", async () => {
      const seen = await picture(page);
      return Math.max(...new Set(seen.levels)) > 100 && seen;
    });
    await drag(watching, 0.3, 0);
    await watching.keyboard.press("ArrowLeft");
    await watching.keyboard.press("1");
    // and by hand: a page's own socket, with what it is not asked to say
    const answers = (who, texts) => who.evaluate((list) => new Promise((resolve) => {
      const socket = new WebSocket(`ws://${location.host}/socket`);
      const heard = [];
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(data);
        if (message.type === "status" && heard.length === 0) for (const text of list) socket.send(text);
        if (message.type === "problem") heard.push(message.message);
        if (heard.length === list.length) resolve(heard);
      };
    }), texts);
    const [refused] = await answers(watching, ['{"type":"look","yaw":90}']);
    assert.match(refused, /This link is for watching/);
    const problems = await answers(page, ['{"type":"look","yaw":"90"}', '{"type":"look","zoom":0}',
      '{"type":"look","show":"body"}', '{"type":"look","mode":"full"}', '{"type":"look","stereo":1}',
      '{"type":"look","cropLeft":0.5,"cropRight":0.4}']);
    for (const problem of problems.slice(0, 5)) assert.match(problem, /must not have|not allowed/);
    assert.match(problems[5], /Nothing would be left/);
    await isBack(page, before, "nothing");
    assert.deepEqual(page.problems.concat(watching.problems), []);
    assert.equal(await server.stop(), 0);
  },
};

browser = await openBrowser().catch(() => null);
await run(tests);
