// SPDX-License-Identifier: LGPL-2.1-or-later
// What a page finds of wavenumbers and dispersion: used, taken back by one key,
// saved as a file that makes the same images.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { act, decoded, download, openBrowser, run, Server, until, waitForVideo } from "./lib.mjs";
import { get, Talk } from "./wire.mjs";

let browser;
const text = (page, id) => page.locator(id).textContent();
const SAMPLES = 1024, LINES = 120;
const WAVELENGTHS = Array.from({ length: SAMPLES }, (_, p) => 795 + (100 * p) / (SAMPLES - 1));

// Random numbers, always the same.
function* randoms(state = 12345) {
  for (;;) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

// A file of layers that reach deep, each line with speckle of its own, through a
// spectrometer whose wavelengths are bent by 4 nm; and a calibration that does
// not know that.  Gives { data, calibration, nm }.
let sceneCount = 0;
function makeScene(bend) {
  const random = randoms();
  const next = () => random.next().value;
  const normal = () => Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next());
  const nm = WAVELENGTHS.map((linear, p) => {
    const x = (2 * p) / (SAMPLES - 1) - 1;
    return linear + bend * (x * x - 1 / 3);
  });
  const k = nm.map((value) => (2e3 * Math.PI) / value);
  const middle = (k[0] + k.at(-1)) / 2, half = (k[0] - k.at(-1)) / 2;
  const phase = k.map((value) => 12 * ((value - middle) / half) ** 2);
  const light = nm.map((value) => Math.exp(-4 * Math.LN2 * ((value - 845) / 50) ** 2));
  const surfaces = [150, 400, 650, 920], bright = [1, 0.45, 0.8], decay = [0.0012, 0.0006, 0.0018];
  const counts = new Uint16Array(LINES * SAMPLES);
  for (let line = 0; line < LINES; line++) {
    const real = new Float64Array(SAMPLES), imaginary = new Float64Array(SAMPLES);
    const reflect = (z, amplitude) => {
      for (let p = 0; p < SAMPLES; p++) {
        const angle = 2 * k[p] * z + phase[p];
        real[p] += amplitude * Math.cos(angle);
        imaginary[p] += amplitude * Math.sin(angle);
      }
    };
    for (let i = 0; i < 60; i++) {
      const layer = Math.floor(3 * next());
      const z = surfaces[layer] + next() * (surfaces[layer + 1] - surfaces[layer]);
      reflect(z, 0.015 * normal() * bright[layer] * Math.exp((-decay[layer] * (z - 150)) / 2));
    }
    for (const [i, z] of surfaces.entries()) reflect(z + 30 * next() - 15, i > 0 ? 0.012 : 0.03);
    for (let p = 0; p < SAMPLES; p++) {
      const power = (1 + real[p]) ** 2 + imaginary[p] ** 2;
      const electrons = 14000 * light[p] * power;
      counts[line * SAMPLES + p] = Math.max(0, Math.min(4095,
        Math.round(((electrons + Math.sqrt(electrons) * normal() + 30 * normal()) / 20000) * 4095)));
    }
  }
  const name = join(tmpdir(), `oct-live-layers-${process.pid}-${++sceneCount}`);
  const data = `${name}.raw`, calibration = `${name}.csv`;
  writeFileSync(data, Buffer.from(counts.buffer));
  writeFileSync(calibration, `wavelength_nm\n${WAVELENGTHS.join("\n")}\n`);
  return { data, calibration, nm, clear: () => [data, calibration].forEach((file) => rmSync(file)) };
}

const options = ({ data }, calibration) => ["--data", data, "--samples", String(SAMPLES), "--lines", String(LINES),
  "--calibration", calibration];

// A column of a saved calibration.
function columnOf(csv, name) {
  const rows = csv.split("\n").filter((line) => line && !line.startsWith("#"));
  const column = rows[0].split(",").indexOf(name);
  return rows.slice(1).map((row) => Number(row.split(",")[column]));
}
const positionsOf = (csv) => columnOf(csv, "k_index");

// Width at half of the magnitude, in bins, of what is `at(j)` = [real, imaginary] at
// the uniform wavenumbers, near bin `about`; with a Hann window.
function widthOf(at, about) {
  const STEP = 1 / 16, REACH = 12;
  const values = Array.from({ length: SAMPLES }, (_, j) => {
    const window = 1 - Math.cos((2 * Math.PI * (j + 0.5)) / SAMPLES);
    return at(j).map((value) => value * window);
  });
  const magnitudes = Array.from({ length: (2 * REACH) / STEP + 1 }, (_, i) => {
    const turn = (2 * Math.PI * (about - REACH + i * STEP)) / SAMPLES;
    let real = 0, imaginary = 0;
    for (let j = 0; j < SAMPLES; j++) {
      const [c, s] = [Math.cos(turn * j), Math.sin(turn * j)];
      real += values[j][0] * c + values[j][1] * s;
      imaginary += values[j][1] * c - values[j][0] * s;
    }
    return Math.hypot(real, imaginary);
  });
  const peak = magnitudes.indexOf(Math.max(...magnitudes)), half = magnitudes[peak] / 2;
  const edge = (step) => {
    let i = peak;
    while (magnitudes[i] > half) i += step;
    if (!(i in magnitudes)) return Math.abs(i - peak); // wider than what is looked at
    return Math.abs(i - peak) - (half - magnitudes[i]) / (magnitudes[i - step] - magnitudes[i]);
  };
  return (edge(-1) + edge(1)) * STEP;
}

// How many times wider than possible mirrors at all depths are behind a
// calibration, of a spectrometer that is bent like makeScene()'s: by the formulas,
// in double precision, without anything of the plugin.
function excessOf(csv, bend) {
  const positions = positionsOf(csv), phases = columnOf(csv, "dispersion_rad");
  const wavelength = (p) => 795 + (100 * p) / (SAMPLES - 1) + bend * (((2 * p) / (SAMPLES - 1) - 1) ** 2 - 1 / 3);
  const wave = (p) => (2e3 * Math.PI) / wavelength(p);
  const ends = [wave(0), wave(SAMPLES - 1)];
  const middle = (ends[0] + ends[1]) / 2, half = (ends[0] - ends[1]) / 2;
  const light = (k) => Math.exp(-4 * Math.LN2 * (((2e3 * Math.PI) / k - 845) / 50) ** 2);
  const low = wave(positions[0]), span = wave(positions.at(-1)) - low;
  return [60, 120, 200, 300, 450, 600, 750, 900, 1100, 1300, 1500].map((z) => {
    const about = (z * span * SAMPLES) / Math.PI / (SAMPLES - 1);
    const seen = (j) => {
      const k = wave(positions[j]);
      const phase = 2 * k * z + 12 * ((k - middle) / half) ** 2 + (Number.isFinite(phases[j]) ? phases[j] : 0);
      return [light(k) * Math.cos(phase), light(k) * Math.sin(phase)];
    };
    const perfect = (j) => {
      const k = low + (span * j) / (SAMPLES - 1);
      return [light(k) * Math.cos(2 * k * z), light(k) * Math.sin(2 * k * z)];
    };
    return widthOf(seen, about) / widthOf(perfect, about);
  });
}
const round = (list) => list.map((value) => value.toFixed(3)).join(" ");

// rad per 100 bins that the axis of a saved calibration is bent by, rms under
// the light.
function findBend(csv, nm) {
  const positions = positionsOf(csv);
  const k = nm.map((value) => (2e3 * Math.PI) / value);
  const middle = (k[0] + k.at(-1)) / 2, half = (k[0] - k.at(-1)) / 2;
  const points = positions.map((position, j) => {
    const at = Math.max(0, Math.min(SAMPLES - 1, position)), base = Math.min(SAMPLES - 2, Math.floor(at));
    const wave = k[base] + (at - base) * (k[base + 1] - k[base]);
    const x = (2 * j) / (SAMPLES - 1) - 1;
    const source = Math.exp(-4 * Math.LN2 * (((2e3 * Math.PI) / wave - 845) / 50) ** 2);
    return { x, y: (wave - middle) / half, weight: (source * (1 + Math.cos(Math.PI * x))) ** 2 };
  });
  const sum = (value) => points.reduce((total, point) => total + point.weight * value(point), 0);
  const [w, wx, wxx, wy, wxy] = [sum(() => 1), sum((p) => p.x), sum((p) => p.x * p.x), sum((p) => p.y),
    sum((p) => p.x * p.y)];
  const slope = (wxy * w - wy * wx) / (wxx * w - wx * wx), offset = (wy - slope * wx) / w;
  return Math.sqrt(sum((p) => ((p.y - offset) / slope - p.x) ** 2) / w) * Math.PI * 100;
}

const together = {
  async "wavenumbers are found in a scene, taken back by a key, and saved"() {
    const scene = makeScene(4);
    const server = await Server.start(...options(scene, scene.calibration));
    const page = await browser.visit(server.url, { acceptDownloads: true });
    const other = await browser.visit(server.url);
    await waitForVideo(page);
    const given = positionsOf((await get(server, "/calibration.csv")).body);
    const before = findBend((await get(server, "/calibration.csv")).body, scene.nm);
    assert.ok(before > 1.2, `${before} rad`);
    const { frames } = await decoded(page);
    await page.locator("h1").click();
    // a busy computer may find it before anybody looks: the pages keep what they showed
    await Promise.all([page, other].map((one) => one.evaluate(() => {
      const note = document.querySelector("#focus-note"), button = document.querySelector("#refine");
      Object.assign(window, { notes: [], wasDisabled: false });
      new MutationObserver(() => window.notes.push(note.textContent))
        .observe(note, { childList: true, characterData: true, subtree: true });
      new MutationObserver(() => { window.wasDisabled ||= button.disabled; })
        .observe(button, { attributes: true });
    })));
    // each page hears of it by itself
    await act(page, "it is looked for", () => page.keyboard.press("k"),
      () => other.evaluate(() => window.notes.some((note) => note.includes("Looking"))));
    await until("nothing else can be looked for", () => page.evaluate(() => window.wasDisabled));
    await until("it is found", async () => /Wavenumbers found/.test(await text(other, "#focus-note")));
    // a fast computer may find it between two pictures
    await until("pictures go on", async () => (await decoded(page)).frames > frames);
    await until("it can be taken back", () => other.locator("#focus-undo").isEnabled());
    const a2 = Number(await page.locator("#a2").inputValue());
    let saved;
    const after = await until("it is in force", async () => {
      const file = await download(page, () => page.keyboard.press("c"));
      assert.match(file.suggestedFilename(), /^calibration-\d{8}-\d{6}\.csv$/);
      saved = readFileSync(await file.path(), "latin1");
      const bend = findBend(saved, scene.nm);
      return bend < 0.25 && { bend };
    });
    // mirrors at all depths would be as narrow as their light allows, to 5 %
    const excess = excessOf(saved, 4);
    assert.ok(Math.max(...excess) <= 1.05, round(excess));
    assert.ok(Math.max(...excessOf((await get(server, "/calibration.csv")).body, 4)) <= 1.05);
    assert.ok(excessOf(`k_index,dispersion_rad\n${given.map((p) => `${p},0`).join("\n")}`, 4).at(-1) > 3);
    // the page says what is in force of the wavenumbers, too
    const shown = await until("the k map is shown", async () =>
      Number.parseFloat((await text(other, "#k-warp dd")).replace("corrected by ", "")));
    const wave = (position) => 1 / (795 + (100 * position) / (SAMPLES - 1));
    const moved = positionsOf(saved).map((position, j) => Math.abs(wave(position) - wave(given[j])));
    const most = (100 * Math.max(...moved)) / (wave(0) - wave(SAMPLES - 1));
    assert.ok(Math.abs(shown - most) < 0.05 * most, `${shown} % in place of ${most}`);
    if (process.env.OCT_SCREENSHOTS)
      await page.screenshot({ path: join(process.env.OCT_SCREENSHOTS, "refined.png") });
    // another dispersion is set, found again, and that alone is taken back
    await page.locator("#a2").fill("900");
    await page.locator("#a2").press("Tab");
    await until("it is set", async () => Number(await other.locator("#a2").inputValue()) === 900);
    await page.locator("h1").click();
    await page.keyboard.press("d");
    await until("it is found again", async () => /Dispersion found/.test(await text(other, "#focus-note")));
    // the page that changed it shows it too, once it was not touched for 0.7 s
    await until("it is shown where it was set", async () =>
      Math.abs(Number(await page.locator("#a2").inputValue()) - a2) < 30);
    assert.match(await page.locator("#focus-undo").getAttribute("title"), /dispersion/);
    await page.keyboard.press("u");
    await until("that is taken back", async () => Number(await other.locator("#a2").inputValue()) === 900);
    assert.ok(await other.locator("#k-warp").isVisible(), "the wavenumbers went with it");
    const kept = await get(server, "/calibration.csv");
    assert.ok(findBend(kept.body, scene.nm) < 0.25, "the wavenumbers went with it");
    await page.keyboard.press("u");
    await until("it is taken back", async () => Number(await other.locator("#a2").inputValue()) === 0
      && await other.locator("#focus-undo").isDisabled());
    assert.ok(await other.locator("#k-warp").isHidden());
    await until("for the spectra, too", async () => {
      const { body } = await get(server, "/calibration.csv");
      return Math.abs(findBend(body, scene.nm) - before) < 1e-6;
    });
    assert.deepEqual(page.problems.concat(other.problems), []);
    assert.equal(await server.stop(), 0);
    // a program that begins with the saved one has nothing to find any more
    writeFileSync(scene.calibration, saved);
    const again = await Server.start(...options(scene, scene.calibration));
    const talk = await Talk.start(again);
    await until("oct-live talks", () => talk.has("status"));
    await until("there are pictures", async () => (await get(again, "/snapshot.png")).status === 200);
    talk.say('{"type":"refine"}');
    const state = await until("it is right already", () => talk.messages.findLast((message) =>
      message.type === "state" && message.focusNote));
    assert.match(state.focusNote, /are right within/);
    assert.equal(state.a2, 0);
    await again.stop();
    scene.clear();
    return `${before.toFixed(2)} to ${after.bend.toFixed(2)} rad per 100 bins, a2 = ${a2}, times the possible width: ${
      round(excess)}`;
  },

  async "dispersion alone is found to 5 % of the possible width, also without wavelengths"() {
    const scene = makeScene(0);
    const low = 1 / 895, step = (1 / 795 - 1 / 895) / (SAMPLES - 1);
    const kMap = Array.from({ length: SAMPLES }, (_, j) => ((1 / (low + step * j) - 795) / 100) * (SAMPLES - 1));
    const results = [];
    for (const scaled of [true, false]) {
      if (!scaled) writeFileSync(scene.calibration, `k_index\n${kMap.join("\n")}\n`);
      const server = await Server.start(...options(scene, scene.calibration));
      const page = await browser.visit(server.url);
      await waitForVideo(page);
      await until("the page knows the units", () => page.locator(scaled ? "#a2" : "#phase2").isVisible());
      assert.ok(await page.locator(scaled ? "#phase2" : "#a2").isHidden());
      const body = async () => (await get(server, "/calibration.csv")).body;
      await page.locator("h1").click();
      await page.keyboard.press("d");
      await until("it is found", async () => /Dispersion found/.test(await text(page, "#focus-note")));
      const saved = await until("it is in force", async () => {
        const csv = await body();
        return columnOf(csv, "dispersion_rad").some((phase) => Math.abs(phase) > 1) && csv;
      });
      const excess = excessOf(saved, 0);
      results.push(round(excess));
      assert.ok(Math.max(...excess) <= 1.05, round(excess));
      if (!scaled) {
        const phase2 = Number(await page.locator("#phase2").inputValue());
        assert.ok(Math.abs(phase2 - 12) < 1.5, `${phase2} rad`);
        if (process.env.OCT_SCREENSHOTS)
          await page.screenshot({ path: join(process.env.OCT_SCREENSHOTS, "no-wavelengths.png") });
        // by hand, too
        await page.locator("#phase2").fill("3");
        await page.locator("#phase2").press("Tab");
        await until("it is set", async () => Math.abs(columnOf(await body(), "dispersion_rad")[0] + 3
          - Number(await page.locator("#phase3").inputValue())) < 1e-3);
      }
      assert.deepEqual(page.problems, []);
      assert.equal(await server.stop(), 0);
    }
    scene.clear();
    return results.join("; ");
  },

  async "an instrument is kept under a name, and found by it"() {
    const scene = makeScene(0);
    const kept = mkdtempSync(join(tmpdir(), "oct-live-kept-"));
    const environment = { XDG_DATA_HOME: kept };
    const start = (...more) => Server.startWith(environment, "--data", scene.data, "--samples", String(SAMPLES),
      "--lines", String(LINES), ...more);
    const first = await start("--calibration", scene.calibration, "--save-instrument", "Bench 3");
    const picture = async (server) => {
      await until("there are pictures", async () => (await get(server, "/snapshot.png")).status === 200);
      return (await get(server, "/calibration.csv")).body.replace(/^#.*\n/, "");
    };
    const before = await picture(first);
    await first.stop();
    const again = await start("--instrument", "Bench 3");
    assert.equal(await picture(again), before);
    const page = await browser.visit(again.url);
    await page.locator("#meters").click();
    await until("its wavelengths are known", async () => /84\d.* nm/.test(await text(page, "#spectra dl")));
    await again.stop();
    const problem = await start("--instrument", "Bench 4").catch((error) => error);
    assert.match(String(problem), /one of: Bench 3/);
    rmSync(kept, { recursive: true });
    scene.clear();
  },

  async "what is set while it runs is kept with the instrument, contrast included"() {
    const scene = makeScene(0);
    const kept = mkdtempSync(join(tmpdir(), "oct-live-kept-"));
    const environment = { XDG_DATA_HOME: kept };
    const start = (...more) => Server.startWith(environment, ...options(scene, scene.calibration), ...more);
    const state = (talk) => talk.messages.findLast((message) => message.type === "state");
    const begin = async (server) => {
      const talk = await Talk.start(server);
      await until("there are pictures", async () => (await get(server, "/snapshot.png")).status === 200);
      await until("it talks", () => state(talk));
      return talk;
    };
    const first = await start("--save-instrument", "Bench 3");
    let talk = await begin(first);
    const method = talk.messages.find((message) => message.type === "hello").methods[1].id;
    talk.say(JSON.stringify({ type: "set", automatic: false, min: 12.5, max: 47, a2: 33, method }));
    await until("it is set", () => state(talk).a2 === 33 && !state(talk).changing);
    talk.say('{"type":"background"}');
    await until("a background is taken", () => state(talk).hasBackground);
    await talk.statuses(2); // some B-scans
    const taken = (await get(first, "/calibration.csv")).body.replace(/^#.*\n/, "");
    assert.equal(await first.stop(), 0);
    const again = await Server.startWith(environment, "--data", scene.data, "--samples", String(SAMPLES),
      "--lines", String(LINES), "--instrument", "Bench 3");
    talk = await begin(again);
    const { automatic, min, max, a2, hasBackground } = state(talk);
    assert.deepEqual({ automatic, min, max, a2, hasBackground },
      { automatic: false, min: 12.5, max: 47, a2: 33, hasBackground: true });
    assert.equal(state(talk).method, method);
    await until("the same calibration is in force", async () =>
      (await get(again, "/calibration.csv")).body.replace(/^#.*\n/, "") === taken);
    // a file that is given takes the place of what the instrument knows
    await again.stop();
    const new_ = await start("--instrument", "Bench 3");
    talk = await begin(new_);
    assert.equal(state(talk).a2, 0);
    assert.equal(state(talk).min, 12.5);
    await new_.stop();
    rmSync(kept, { recursive: true });
    scene.clear();
  },

  async "what is saved right after a change has it"() {
    const server = await Server.start();
    const talk = await Talk.start(server);
    await until("there are pictures", async () => (await get(server, "/snapshot.png")).status === 200);
    let last = null;
    for (let i = 1; i <= 6; i++) {
      assert.equal((await get(server, "/calibration.csv")).status, 200);
      talk.say(JSON.stringify({ type: "set", a2: 10 * i }));
      await until("it is set", () => talk.messages.findLast((message) => message.type === "state")?.a2 === 10 * i);
      await talk.statuses(2); // some B-scans
      const { headers, body } = await get(server, "/calibration.csv");
      assert.equal(headers["cache-control"], "no-store");
      const phases = body.replace(/^#.*\n/, "");
      assert.notEqual(phases, last, "the calibration of before");
      last = phases;
    }
    await server.stop();
  },

  async "a scene that cannot tell is refused with a sentence, and nothing changes"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    const before = (await get(server, "/calibration.csv")).body.replace(/^#.*\n/, "");
    await page.locator("#refine").click();
    await until("it is refused", async () => /depths close together/.test(await text(page, "#problem")));
    assert.ok(await page.locator("#focus-undo").isDisabled());
    await until("another can be looked for", () => page.locator("#refine").isEnabled());
    assert.equal((await get(server, "/calibration.csv")).body.replace(/^#.*\n/, ""), before);
    await server.stop();
  },

  async "finished pictures have no calibration, and who floods gets the same one"() {
    const images = await Server.start("--images",
      "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=160,height=128,framerate=30/1");
    await until("there are pictures", async () => (await get(images, "/snapshot.png")).status === 200);
    const nothing = await get(images, "/calibration.csv");
    assert.equal(nothing.status, 503);
    assert.match(nothing.body, /no calibration/);
    await images.stop();
    const server = await Server.start();
    await until("there are pictures", async () => (await get(server, "/snapshot.png")).status === 200);
    const answers = await Promise.all(Array.from({ length: 100 }, () => get(server, "/calibration.csv").catch(() => null)));
    assert.ok(answers.some((answer) => answer?.status === 200));
    const talk = await Talk.start(server);
    await until("it talks", () => talk.has("status"));
    assert.equal(await server.stop(), 0);
  },

  async "a background is taken by a key, saved, and taken back"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    const column = async () => {
      const rows = (await get(server, "/calibration.csv")).body.split("\n").filter((row) => row && !row.startsWith("#"));
      const at = rows[0].split(",").indexOf("background");
      return rows.slice(1).map((row) => Number(row.split(",")[at]));
    };
    const given = await column();
    await page.locator("h1").click();
    await page.keyboard.press("b");
    await until("it is taken", async () => /Background taken: the mean of \d+ A-lines/.test(await text(page, "#focus-note")));
    await until("the page shows it", () => page.locator("#background-taken").isVisible());
    // the virtual system's light is what it says itself, and the sample's mean
    const found = await until("it is in force", async () => {
      const values = await column();
      return values.some((value, i) => value !== given[i]) && values;
    });
    const largest = Math.max(...given);
    assert.equal(found.length, given.length);
    found.forEach((value, i) => assert.ok(Math.abs(value - given[i]) < 0.1 * largest, `${i}: ${value}, ${given[i]}`));
    if (process.env.OCT_SCREENSHOTS)
      await page.screenshot({ path: join(process.env.OCT_SCREENSHOTS, "background.png") });
    await page.keyboard.press("u");
    await until("it is taken back", () => page.locator("#background-taken").isHidden());
    await until("for the spectra, too", async () => (await column()).every((value, i) => value === given[i]));
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },
};

browser = process.env.OCT_LIVE ? await openBrowser().catch(() => null) : null;
await run({}, { together });
