// SPDX-License-Identifier: LGPL-2.1-or-later
// What moves, on the page: vessels of the virtual OCT system where they are, both
// directions of Doppler, what a recording notices of it, and sources without repeats.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { act, countFrames, openBrowser, run, Server, until, waitForVideo } from "./lib.mjs";
import { Talk } from "./wire.mjs";

let browser;

// The plan of core/phantom/oct-phantom-vessels.c, in um: vessels through the plane of
// B-scans, [place as a part of the width, depth below the surface, radius], which rise and
// fall by up to 16, and the surface's depth.
const VESSELS = [[0.25, 130, 40], [0.52, 95, 23], [0.8, 150, 30]];
const CAPILLARIES = [[0.08, 75, 5], [0.4, 170, 5], [0.62, 190, 5], [0.66, 70, 4], [0.93, 85, 5]];
const ALONG = [[60, 5], [65, 5], [215, 15]]; // [depth, radius] of those along the plane
const CELLS = [250, 8];
const [SURFACE, RISE, WIDTH] = [50, 16, 768];

const said = (talk, type = "look") => talk.messages.findLast((message) => message.type === type);
const isPressed = async (page, show) => await page.locator(`[data-show=${show}]`).getAttribute("aria-pressed") === "true";

// Pixels of the picture that was made last, without the losses of a video; null if it
// has another size than `size`.
async function picture(page, size) {
  const { width, height, text } = await page.evaluate(async () => {
    const answer = await fetch("/snapshot.png");
    if (!answer.ok) return {};
    const image = await createImageBitmap(await answer.blob());
    const { width, height } = image;
    const context = new OffscreenCanvas(width, height).getContext("2d");
    context.drawImage(image, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    let text = "";
    for (let i = 0; i < data.length; i += 4096) text += String.fromCharCode(...data.subarray(i, i + 4096));
    return { width, height, text: btoa(text) };
  });
  if (width !== size.width || height !== size.height) return null;
  const pixels = Buffer.from(text, "base64");
  return (x, y) => [...pixels.subarray(4 * (y * width + x), 4 * (y * width + x) + 3)];
}

// Places of a B-scan's panel as { x, z } in um, and its colours: `depth` is its height.
function* walk(at, panel, depth) {
  for (let row = 0; row < panel.height; row += 2)
    for (let column = 0; column < panel.width; column += 2)
      yield { x: ((column + 0.5) / panel.width) * WIDTH, z: ((row + 0.5) / panel.height) * depth,
        colour: at(panel.x + column, panel.y + row) };
}

const away = ({ x, z }, [at, depth]) => Math.hypot(x - at * WIDTH, z - SURFACE - depth);

// Well inside, however the vessel rises and the sample moves; whether there may be blood.
const inside = (place, vessel) => away(place, vessel) < vessel[2] - RISE - 6;
const nearBlood = (place) => [...VESSELS, ...CAPILLARIES].some((vessel) => away(place, vessel) < vessel[2] + RISE + 25)
  || [...ALONG, CELLS].some(([depth, radius]) => Math.abs(place.z - SURFACE - depth) < radius + RISE + 12);

const share = (list, test) => list.filter(test).length / list.length;

// Page, conversation and the depth of B-scans, in um.
async function begin(...options) {
  const server = await Server.start(...options);
  const talk = await Talk.start(server);
  const page = await browser.visit(server.url);
  await waitForVideo(page);
  const depth = await until("the depth is known", () => {
    const status = said(talk, "status");
    return status?.zSpacing > 0 && (status.depths * status.zSpacing * 1e6) / 1.38;
  });
  return { server, talk, page, depth };
}

async function shot(page, name) {
  if (process.env.OCT_SCREENSHOTS)
    await page.screenshot({ path: join(process.env.OCT_SCREENSHOTS, `${name}.png`) });
}

const tests = {
  async "flow shows the vessels of the virtual OCT system, and nothing elsewhere"() {
    const { server, talk, page, depth } = await begin("--flow");
    assert.ok(await isPressed(page, "flow"));
    assert.ok(await page.locator("#phases-lost").isHidden());
    const { panels, picture: size } = await until("there are three pictures", () => said(talk).panels.length === 3 && said(talk));
    // a place that has lost B-scans on a busy machine may be black: never bright elsewhere
    let bright = 0;
    await until("the vessels are seen", async () => {
      const at = await picture(page, size);
      if (!at) return false;
      const places = [...walk(at, panels[1], depth)];
      const still = places.filter((place) => !nearBlood(place));
      assert.ok(still.length > places.length / 4, "there is still tissue to look at");
      bright = Math.max(bright, share(still, ({ colour }) => colour[0] > 128));
      return VESSELS.filter(([, , radius]) => radius > 25).every((vessel) =>
        share(places.filter((place) => inside(place, vessel)), ({ colour }) => colour[0] > 128) > 0.9);
    });
    // what noise reaches 6 dB is less than that
    assert.ok(bright < 0.03, `${bright} of still tissue is bright`);
    // from above, after a whole volume: vessels are columns, much brighter than what is between
    await until("they are seen from above", async () => {
      const at = await picture(page, size);
      if (!at) return false;
      const { x, y, width, height } = panels[2];
      const level = (part) => {
        let sum = 0;
        for (let row = 4; row < height - 4; row++) sum += at(x + Math.round(part * width), y + row)[0];
        return sum / (height - 8);
      };
      return VESSELS.every(([part]) => level(part) > 2 * Math.max(level(0.14), level(0.345), level(0.715)) + 20);
    });
    // the B-scan beside it is grey, and not black
    const at = await until("there is a picture", () => picture(page, size));
    const structure = [...walk(at, panels[0], depth)];
    assert.ok(structure.every(({ colour: [r, g, b] }) => r === g && g === b));
    assert.ok(share(structure, ({ colour }) => colour[0] > 60) > 0.2);
    await shot(page, "flow");
    // a threshold that little reaches, for everybody
    const other = await browser.visit(server.url);
    await act(page, "the threshold is set", () => page.locator("#flowLeast").fill("12"), () => said(talk).flowLeast === 12);
    await until("the other page shows it", async () => await other.locator("#flowLeast").inputValue() === "12");
    await act(page, "a slab is chosen", () => page.locator("#flowThickness").fill("100"), () => said(talk).flowThickness === 100);
    await act(page, "it is smoothed", () => page.locator("#flowWindow").selectOption("5"), () => said(talk).flowWindow === "5");
    assert.ok(!talk.has("problem"));
    assert.doesNotMatch(server.output, /Error/);
    assert.deepEqual(page.problems.concat(other.problems), []);
    assert.equal(await server.stop(), 0);
    return `${(100 * bright).toFixed(2)} % of still tissue`;
  },

  async "Doppler shows both directions, and how fast in mm/s"() {
    const { server, talk, page, depth } = await begin("--flow");
    await act(page, "Doppler is shown", () => page.keyboard.press("6"), () => said(talk).show === "doppler");
    const { panels, picture: size, halfTurn, unit } = await until("there are two pictures", () => said(talk).panels.length === 2 && said(talk));
    // 40000 A-lines per second at the centre of the virtual spectrometer, in tissue
    assert.equal(unit, "mm/s");
    assert.ok(Math.abs(halfTurn / ((1e3 * 8.41427106885515e-7 * 40000) / (4 * 1.38)) - 1) < 1e-6, String(halfTurn));
    assert.equal(await page.locator("#look output[for=dopplerRange]").textContent(), "6.1 mm/s");
    assert.ok(await page.locator("#no-speed").isHidden());
    // red towards the beam, blue away: a vessel rises and falls along the volume
    const seen = new Set();
    await until("a vessel has been red and blue", async () => {
      const at = await picture(page, size);
      if (!at) return false;
      const places = [...walk(at, panels[1], depth)];
      const mean = (list) => [0, 2].map((part) => list.reduce((sum, { colour }) => sum + colour[part], 0) / list.length);
      for (const vessel of VESSELS) {
        const [red, blue] = mean(places.filter((place) => inside(place, vessel)));
        if (red > 60 && red > 3 * blue) seen.add("red");
        if (blue > 60 && blue > 3 * red) seen.add("blue");
      }
      // still tissue has no direction
      const [red, blue] = mean(places.filter((place) => !nearBlood(place)));
      assert.ok(Math.abs(red - blue) < 12 && red < 40 && blue < 40, `still tissue: red ${red}, blue ${blue}`);
      return seen.size === 2;
    });
    await shot(page, "doppler");
    // a smaller range is said at once
    await act(page, "the range is set", () => page.locator("#dopplerRange").evaluate((slider, range) => {
      slider.value = range;
      slider.dispatchEvent(new Event("input"));
    }, halfTurn / 2), () => Math.abs(said(talk).dopplerRange - halfTurn / 2) < halfTurn / 50);
    assert.match(await page.locator("#look output[for=dopplerRange]").textContent(), /^3\.0\d mm\/s$|^3 mm\/s$/);
    await act(page, "repeats are compared", () => page.locator("#dopplerBetween").selectOption("repeats"),
      () => said(talk).dopplerBetween === "repeats" && said(talk).halfTurn < 0.01);
    // colours of the page are not put over those
    await page.locator("#colours").selectOption("hot");
    assert.equal(await page.evaluate(() => document.querySelector("#video").style.filter), "");
    await act(page, "B-scans are shown", () => page.keyboard.press("1"), () => said(talk).show === "bscan");
    await until("they have the page's colours", () => page.evaluate(() => /colour-map/.test(document.querySelector("#video").style.filter)));
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "without a wavelength Doppler shows phases, and says so"() {
    const { server, talk, page } = await begin("--source", "octsrc is-live=true samples=256 lines=64 bscans=1 line-rate=1280 "
      + "! capssetter replace=true caps=video/x-raw,format=GRAY16_LE,width=256,height=64,framerate=20/1");
    await act(page, "Doppler is shown", () => page.locator("[data-show=doppler]").click(), () => said(talk).show === "doppler");
    await until("it is in rad", () => said(talk).unit === "rad" && Math.abs(said(talk).halfTurn - Math.PI) < 1e-9);
    await until("the page says so", () => page.locator("#no-speed").isVisible());
    assert.ok(await page.locator("#dopplerRange").isHidden());
    await until("the picture is there", () => page.locator("#waiting").isHidden());
    await act(page, "fluctuation of one place is shown", () => page.locator("[data-show=dynamic]").click(), () => said(talk).show === "dynamic");
    await until("the picture is there", async () => await page.locator("#waiting").isHidden() && picture(page, said(talk).picture));
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "a source without repeats is told so, with what to set"() {
    const { server, talk, page } = await begin();
    for (const show of ["flow", "doppler", "dynamic"]) assert.ok(await page.locator(`[data-show=${show}]`).isVisible());
    await act(page, "it is said", () => page.locator("[data-show=flow]").click(), async () =>
      /^This source has no repeats: .*--repeats N/.test(await page.locator("#problem").textContent()));
    assert.ok(await page.locator("#problem").isVisible());
    assert.ok(await isPressed(page, "bscan"));
    assert.equal(said(talk).show, "bscan");
    // neighbouring A-lines it has
    await act(page, "Doppler is shown", () => page.locator("[data-show=doppler]").click(), () => said(talk).show === "doppler");
    await act(page, "it is said", () => page.locator("#dopplerBetween").selectOption("repeats"), async () =>
      /^This source has no repeats: set Doppler to compare A-lines/.test(await page.locator("#problem").textContent()));
    assert.equal(said(talk).dopplerBetween, "lines");
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
    // from the start
    const other = await Server.start("--flow", "--source", "octsrc is-live=true samples=256 lines=64 bscans=1 line-rate=1280");
    const heard = await Talk.start(other);
    await until("it shows B-scans", () => said(heard)?.show === "bscan");
    await until("the terminal says why", () => /^Note: This source has no repeats: .*--repeats N/m.test(other.output));
    await until("there are pictures", () => said(heard, "status")?.frames > 0);
    assert.equal(await other.stop(), 0);
    // and finished images have none of it
    const images = await Server.start("--images", "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=64,height=64,framerate=20/1");
    const last = await browser.visit(images.url);
    await waitForVideo(last);
    assert.ok(await last.locator("#tabs").isHidden());
    assert.equal(await images.stop(), 0);
  },

  async "a recording has every B-scan, whatever is shown meanwhile, of a camera with repeats that only we know"() {
    const { server, talk, page } = await begin("--repeats", "4", "--bscans", "32", "--source",
      "octsrc is-live=true phantom=flow samples=256 lines=64 bscans=32 repeats=4 line-rate=100000 volume-rate=0.5 "
      + "! capssetter replace=true caps=video/x-raw,format=GRAY16_LE,width=256,height=64,framerate=16/1");
    const recorded = () => talk.messages.findLast((message) => message.recording)?.recording;
    talk.say(JSON.stringify({ type: "record", on: true }));
    await until("it records", () => recorded()?.active && recorded().frames > 10);
    for (const show of ["flow", "bscan", "doppler", "planes", "dynamic", "flow", "bscan"]) {
      await page.locator(`[data-show=${show}]`).click();
      const { frames } = recorded();
      await until(`recording goes on with ${show}`, () => recorded().frames > frames + 16 && said(talk).show === show);
    }
    assert.ok(!talk.has("problem"));
    // the background of a camera is found from its B-scans, unless somebody sets another one
    await act(page, "flow is shown", () => page.locator("[data-show=flow]").click(), () => said(talk).show === "flow");
    await until("the page warns of it", () => page.locator("#phases-lost").isVisible());
    await act(page, "another one is set", () => page.locator("#backgroundMode").selectOption("a-line"),
      () => said(talk, "state").backgroundMode === "a-line");
    await until("the page does not warn", () => page.locator("#phases-lost").isHidden());
    talk.say(JSON.stringify({ type: "record", on: false }));
    const { frames, dropped } = await until("it has ended", () => !recorded().active && !recorded().finishing && recorded());
    assert.equal(dropped, 0);
    assert.equal(await countFrames(server.recordings), frames);
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
    return `${frames} B-scans`;
  },

  async "who watches sees it, and can set nothing; nonsense is refused"() {
    const server = await Server.start("--flow", "--token-file", "tokens");
    const tokens = readFileSync(join(server.folder, "tokens"), "latin1");
    const link = (role) => `${server.url}/?token=${new RegExp(`^${role} (\\S+)`, "m").exec(tokens)[1]}`;
    const watching = await browser.visit(link("view"), { viewport: { width: 390, height: 844 } });
    await waitForVideo(watching);
    await until("it is shown", () => isPressed(watching, "flow"));
    for (const id of ["flowLeast", "flowWindow", "flowStart"]) assert.ok(await watching.locator(`#${id}`).isDisabled(), id);
    assert.ok(await watching.locator("[data-show=doppler]").isDisabled());
    assert.equal(await watching.evaluate(() => document.documentElement.scrollWidth), 390);
    await shot(watching, "flow-phone");
    const page = await browser.visit(link("control"));
    await waitForVideo(page);
    const problems = await page.evaluate((list) => new Promise((resolve) => {
      const socket = new WebSocket(`ws://${location.host}/socket`);
      const heard = [];
      socket.onmessage = ({ data }) => {
        const message = JSON.parse(data);
        if (message.type === "status" && heard.length === 0) for (const text of list) socket.send(text);
        if (message.type === "problem") heard.push(message.message);
        if (heard.length === list.length) resolve(heard);
      };
    }), ['{"type":"look","flowWindow":3}', '{"type":"look","flowWindow":"2"}', '{"type":"look","flowLeast":13}',
      '{"type":"look","dopplerBetween":true}', '{"type":"look","dopplerRange":-1}', '{"type":"look","dopplerAngle":90}',
      '{"type":"look","dynamicFrames":1}']);
    for (const problem of problems) assert.match(problem, /must not have|not allowed/);
    assert.ok(await isPressed(page, "flow"));
    assert.deepEqual(page.problems.concat(watching.problems), []);
    assert.equal(await server.stop(), 0);
  },
};

browser = await openBrowser().catch(() => null);
await run(tests);
