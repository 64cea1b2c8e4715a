// SPDX-License-Identifier: LGPL-2.1-or-later
// The microscope's video and OCT on one screen: layouts, the place of the scan in the
// field, sources that vanish, two eyes.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { connect, createServer } from "node:net";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { act, endRecording, execute, openBrowser, run, Server, until } from "./lib.mjs";

let browser;

const [WIDTH, HEIGHT] = [640, 360];
const SCREEN = ["--screen", `${WIDTH}x${HEIGHT}@15`];
// 0xAARRGGBB
const plain = (colour, width = 320, height = 240) =>
  `videotestsrc is-live=true pattern=solid-color foreground-color=${colour} `
  + `! video/x-raw,format=I420,width=${width},height=${height},framerate=15/1`;
const GREEN = plain("0xff00c000");
const GREY = "videotestsrc is-live=true pattern=solid-color foreground-color=0xffb4b4b4 "
  + "! video/x-raw,format=GRAY8,width=128,height=96,framerate=15/1";

// Mean colour of a few pixels of the picture that is seen, at parts of its size.
const colourAt = (page, x, y) => page.evaluate(([px, py]) => {
  const picture = ["jpeg", "video"].map((id) => document.getElementById(id)).find((element) => !element.hidden);
  const width = picture.videoWidth || picture.width, height = picture.videoHeight || picture.height;
  if (!(width > 0)) return null;
  const context = new OffscreenCanvas(3, 3).getContext("2d");
  context.drawImage(picture, Math.round(px * width) - 1, Math.round(py * height) - 1, 3, 3, 0, 0, 3, 3);
  const { data } = context.getImageData(0, 0, 3, 3);
  return [0, 1, 2].map((channel) => Math.round([...data].filter((_, i) => i % 4 === channel)
    .reduce((sum, value) => sum + value, 0) / 9));
}, [x, y]);

// What is meant by a colour after it was encoded; edges of thin lines are mixed with
// what is beside them.
const is = {
  green: ([r, g, b]) => r < 60 && g > 130 && b < 60,
  grey: ([r, g, b]) => Math.abs(r - 180) < 30 && Math.abs(g - 180) < 30 && Math.abs(b - 180) < 30,
  black: ([r, g, b]) => r < 40 && g < 40 && b < 40,
  red: ([r, g, b]) => r > 150 && g < 70 && b < 70,
  blue: ([r, g, b]) => r < 90 && g < 90 && b > 150,
  amber: ([r, g, b]) => r > 130 && g > 90 && b < 130 && r > g,
  line: ([r, g, b]) => b > 100 && b > r + 20,
};

// Waits until each place, [x, y, colour], has its colour.
async function see(page, what, places) {
  let seen = [];
  await until(what, async () => {
    seen = [];
    for (const [x, y, colour] of places) {
      const found = await colourAt(page, x, y);
      seen.push([x, y, colour, found]);
      if (!found || !is[colour](found)) return false;
    }
    return true;
  }).catch((error) => {
    throw new Error(`${error.message}; ${JSON.stringify(seen)}`);
  });
}

// A page that gets pictures as JPEG, unless it is to be another way.
const visit = (server, media = "jpeg", options = {}) => browser.visit(`${server.url}/?media=${media}`, options);

const choose = (page, id, value) => act(page, `${id} is ${value}`, () => page.locator(id).selectOption(value),
  async () => await page.locator(id).inputValue() === value && page.locator("#screen").isVisible());

// In the middle of an inset, which is in the lower right corner.
const INSET = [1 - 0.02 - 0.18, 1 - 0.02 * (WIDTH / HEIGHT) - 0.18];
const LAYOUTS = {
  beside: [[0.25, 0.5, "green"], [0.75, 0.5, "grey"], [0.25, 0.05, "black"]],
  inset: [[0.3, 0.5, "green"], [...INSET, "grey"], [0.05, 0.5, "black"]],
  field: [[0.3, 0.3, "grey"], [0.05, 0.5, "grey"], [0.87, INSET[1], "green"]],
  microscope: [[0.3, 0.5, "green"], [0.8, INSET[1], "green"], [0.05, 0.5, "black"]],
  oct: [[0.05, 0.05, "grey"], [0.5, 0.5, "grey"], [0.95, 0.95, "grey"]],
};

// Clicks on places of the field, in parts of it; the layout is "Microscope only".
async function click(page, corners, field = 240 / 320) {
  const box = await page.locator("#bars").boundingBox();
  const part = HEIGHT / field / WIDTH; // of the width
  for (const [x, y] of corners)
    await page.mouse.click(box.x + (0.5 + (x - 0.5) * part) * box.width, box.y + y * box.height);
}
// The place in the picture.
const inField = (x, y) => [0.5 + (x - 0.5) * (HEIGHT / (240 / 320) / WIDTH), y];

async function calibrate(page, corners, done) {
  await choose(page, "#layout", "microscope");
  await act(page, "the corners are taken", async () => {
    if (await page.locator("#aim").getAttribute("aria-pressed") !== "true") await page.locator("#aim").click();
    await click(page, corners);
  }, done);
}
const isKnown = async (page) => /is drawn in the picture/.test(await page.locator("#aim-note").textContent());

// A free port of this computer.
const findPort = () => new Promise((resolve) => {
  const probe = createServer().listen(0, "127.0.0.1", () => {
    const { port } = probe.address();
    probe.close(() => resolve(port));
  });
});

// A source on a port that can be ended and begun again; it listens.
async function serve(port, line) {
  const child = spawn("gst-launch-1.0", ["-q", ...line.split(" "), "!", "tcpserversink", "host=127.0.0.1",
    `port=${port}`], { stdio: "ignore" });
  const ended = new Promise((resolve) => { child.on("close", resolve); });
  await until("the source listens", () => new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.on("error", () => resolve(false));
    socket.on("connect", () => {
      socket.destroy();
      resolve(true);
    });
  }));
  return async () => {
    child.kill("SIGKILL");
    await ended;
  };
}
const receive = (port, format, width, height) =>
  `tcpclientsrc host=127.0.0.1 port=${port} ! rawvideoparse format=${format} width=${width} height=${height} framerate=15/1`;

// Whether the picture goes on at a place where it is never the same twice.
const goesOn = async (page, x, y) => {
  const before = JSON.stringify(await colourAt(page, x, y));
  await until("the picture goes on", async () => JSON.stringify(await colourAt(page, x, y)) !== before);
};

// Frames of a track of a recording's file, by a decoder.
async function decodeTrack(folder, track) {
  const [name] = readdirSync(folder).filter((file) => file.endsWith(".mkv"));
  const { status, stdout, stderr } = await execute("gst-launch-1.0", ["-v", "filesrc", `location=${join(folder, name)}`,
    "!", "matroskademux", "name=demux", `demux.video_${track}`, "!", "h264parse", "!", "avdec_h264", "!",
    "identity", "drop-allocation=true", "!", "fakesink", "silent=false"]);
  assert.equal(status, 0, stderr);
  const size = /avdec_h264.*src: caps.*width=\(int\)(\d+), height=\(int\)(\d+)/.exec(stdout);
  return { frames: stdout.split("\n").filter((line) => /last-message = chain/.test(line)).length,
    size: size.slice(1).map(Number) };
}

// Records until that many pictures of each are in it; gives the numbers that the page
// says: of the first track, and of the second.
async function record(page, least, text) {
  const numbers = async () => text.exec(await page.locator("#recording").textContent())?.slice(1).map(Number);
  await act(page, "it records", () => page.locator("#record").click(), () => page.locator("#recording-time").isVisible());
  await until("pictures are recorded", async () => {
    const counts = await numbers();
    return counts?.every((count) => count >= least);
  });
  await endRecording(page);
  await until("the files are complete", async () => /^Recorded/.test(await page.locator("#recording").textContent()));
  return numbers();
}

const together = {
  async "each layout shows the field and OCT at their places"() {
    const server = await Server.start("--images", GREY, "--microscope", GREEN, ...SCREEN);
    for (const media of ["webrtc", "jpeg"]) {
      const page = await visit(server, media);
      for (const [layout, places] of Object.entries(LAYOUTS)) {
        await choose(page, "#layout", layout);
        await see(page, `${layout}, ${media}`, places);
      }
      // the same for all pages
      await choose(page, "#layout", "beside");
      assert.deepEqual(page.problems, []);
      await page.context().close();
    }
    assert.equal(await server.stop(), 0);
  },

  async "four clicks draw the scan where they are, and the file keeps it"() {
    const file = (server) => join(server.folder, "aim.txt");
    const options = ["--images", GREY, "--microscope", GREEN, "--microscope-calibration", "aim.txt", ...SCREEN];
    const server = await Server.start(...options);
    const page = await visit(server);
    await choose(page, "#layout", "microscope");
    await see(page, "nothing is drawn", [[...inField(0.5, 0.25), "green"], [...inField(0.5, 0.5), "green"]]);
    // corners are clicked where the field is
    await choose(page, "#layout", "oct");
    await act(page, "it asks for corners", () => page.locator("#aim").click(), () => page.locator("#aim-hint").isVisible());
    assert.equal(await page.locator("#layout").inputValue(), "microscope");
    await page.keyboard.press("Escape");
    // three on a line are refused by a sentence
    await calibrate(page, [[0.2, 0.2], [0.5, 0.2], [0.8, 0.2], [0.2, 0.8]], async () =>
      /on one line/.test(await page.locator("#problem").textContent()));
    assert.equal(await isKnown(page), false);
    // Escape gives up, Backspace takes a corner back
    await page.locator("#aim").click();
    await click(page, [[0.2, 0.2]]);
    await page.keyboard.press("Escape");
    assert.equal(await page.locator("#aim-hint").isVisible(), false);
    await page.locator("#aim").click();
    await click(page, [[0.1, 0.9]]);
    await page.keyboard.press("Backspace");
    assert.match(await page.locator("#aim-hint").textContent(), /^Corner 1 of 4/);
    await page.keyboard.press("Escape");
    await calibrate(page, [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]], () => isKnown(page));
    const marked = [[...inField(0.5, 0.25), "amber"], [...inField(0.75, 0.4), "amber"], [...inField(0.5, 0.5), "line"],
      [...inField(0.5, 0.35), "green"], [...inField(0.1, 0.5), "green"]];
    await see(page, "the scan is drawn", marked);
    assert.equal(await page.locator("#problem").isVisible(), false);
    assert.deepEqual(page.problems, []);
    const status = await server.stopKeeping();
    assert.equal(status, 0, server.output);

    const again = await Server.start(...options.map((one) => (one === "aim.txt" ? file(server) : one)));
    const other = await visit(again);
    await choose(other, "#layout", "microscope");
    await see(other, "the scan is drawn again", marked);
    await act(other, "it is forgotten", () => other.locator("#forget-aim").click(), async () => !await isKnown(other));
    await see(other, "nothing is drawn", [[...inField(0.5, 0.25), "green"], [...inField(0.5, 0.5), "green"]]);
    await again.stop();
    server.clear();
  },

  async "the mark follows the path of the scan"() {
    const scan = ["--scan", "raster", "--size-um", "2000", "--lines", "32", "--bscans", "32", "--microscope", GREEN,
      "--microscope-calibration"];
    const server = await Server.start(...scan, "aim.txt", ...SCREEN);
    const page = await visit(server);
    await calibrate(page, [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]], () => isKnown(page));
    await see(page, "the scan is drawn", [[...inField(0.25, 0.4), "amber"], [...inField(0.75, 0.4), "amber"]]);
    await server.stopKeeping();
    // half of its width to the right: 500 um of 2000, an eighth of the field
    const moved = await Server.start(...scan, join(server.folder, "aim.txt"), ...SCREEN, "--centre-um", "500,0");
    const other = await visit(moved);
    await choose(other, "#layout", "microscope");
    await see(other, "the scan has moved", [[...inField(0.375, 0.4), "amber"], [...inField(0.875, 0.4), "amber"],
      [...inField(0.25, 0.4), "green"]]);
    await moved.stop();
    server.clear();
  },

  async "a microscope that vanishes leaves OCT, and comes back by itself"() {
    const port = await findPort();
    const line = "videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420,width=64,height=48,framerate=15/1";
    const end = await serve(port, line);
    const oct = "videotestsrc is-live=true pattern=snow ! video/x-raw,format=GRAY8,width=64,height=48,framerate=15/1";
    const server = await Server.start("--images", oct, "--microscope", receive(port, "i420", 64, 48), ...SCREEN);
    const page = await visit(server);
    await until("there is a microscope", () => page.locator("#screen").isVisible());
    await goesOn(page, 0.25, 0.4);
    await goesOn(page, 0.75, 0.5);
    await end();
    await until("the page says so", () => page.locator("#field-trouble").isVisible());
    assert.match(await page.locator("#field-trouble").textContent(), /^The microscope's picture .*being tried again\.$/);
    await goesOn(page, 0.75, 0.5);
    assert.equal(await page.locator("#veil").isVisible(), false);
    // the last picture is dark: snow has bright pixels
    await until("the field is dark", async () => {
      const colours = await Promise.all([0.3, 0.35, 0.4].map((y) => colourAt(page, 0.1, y)));
      return colours.every(([r]) => r < 130);
    });
    const endAgain = await serve(port, line);
    await until("it is back", () => page.locator("#field-trouble").isHidden());
    await goesOn(page, 0.25, 0.4);
    await endAgain();
    assert.equal(await server.stop(), 0);
  },

  async "OCT that vanishes leaves the microscope, and comes back by itself"() {
    const port = await findPort();
    const line = "videotestsrc is-live=true pattern=snow ! video/x-raw,format=GRAY8,width=64,height=48,framerate=15/1";
    const end = await serve(port, line);
    const field = "videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420,width=64,height=48,framerate=15/1";
    const server = await Server.start("--images", receive(port, "gray8", 64, 48), "--microscope", field, ...SCREEN);
    const page = await visit(server);
    await goesOn(page, 0.25, 0.4);
    await goesOn(page, 0.75, 0.5);
    await end();
    await until("the page says so", () => page.locator("#oct-trouble").isVisible());
    await goesOn(page, 0.25, 0.4);
    assert.equal(await page.locator("#veil").isVisible(), false);
    // OCT alone would be an old picture
    await choose(page, "#layout", "oct");
    await until("no old picture is shown", () => page.locator("#veil").isVisible());
    await choose(page, "#layout", "beside");
    await until("the microscope is", () => page.locator("#veil").isHidden());
    await goesOn(page, 0.25, 0.4);
    const endAgain = await serve(port, line);
    await until("it is back", () => page.locator("#oct-trouble").isHidden());
    await goesOn(page, 0.75, 0.5);
    await endAgain();
    assert.equal(await server.stop(), 0);
  },

  async "each eye of a stereo microscope, and both with OCT at the same place"() {
    const eyes = { "side-by-side": ["sink_1::xpos=160", 160, 240], "top-bottom": ["sink_1::ypos=120", 320, 120] };
    for (const [stereo, [place, width, height]] of Object.entries(eyes)) {
      const both = `${plain("0xffe00000", width, height)} ! mix. ${plain("0xff0000e0", width, height)} ! mix. `
        + `compositor name=mix ${place}`;
      const server = await Server.start("--images", GREY, "--microscope", both, "--microscope-stereo", stereo, ...SCREEN);
      const page = await visit(server);
      await choose(page, "#layout", "inset");
      await see(page, `${stereo}, left`, [[0.3, 0.5, "red"], [0.7, 0.2, "red"], [...INSET, "grey"]]);
      await choose(page, "#eyes", "right");
      await see(page, `${stereo}, right`, [[0.3, 0.5, "blue"], [0.7, 0.2, "blue"], [...INSET, "grey"]]);
      await choose(page, "#eyes", "both");
      await see(page, `${stereo}, both`, [[0.15, 0.5, "red"], [0.35, 0.2, "red"], [0.65, 0.5, "blue"],
        [0.85, 0.2, "blue"], [INSET[0] / 2, INSET[1], "grey"], [0.5 + INSET[0] / 2, INSET[1], "grey"]]);
      assert.deepEqual(page.problems, []);
      await page.context().close();
      assert.equal(await server.stop(), 0);
    }
  },

  async "a recording has OCT and the microscope as two tracks, also while that is away"() {
    const port = await findPort();
    const end = await serve(port, "videotestsrc is-live=true pattern=snow ! video/x-raw,format=I420,width=64,height=48,framerate=15/1");
    const server = await Server.start("--images", GREY, "--microscope", receive(port, "i420", 64, 48), ...SCREEN,
      "--recording", "both");
    const page = await visit(server);
    await until("there is a microscope", () => page.locator("#screen").isVisible());
    await goesOn(page, 0.25, 0.4);
    await act(page, "it records", () => page.locator("#record").click(), () => page.locator("#recording-time").isVisible());
    await end();
    await until("the page says so", () => page.locator("#field-trouble").isVisible());
    const text = /: (\d+) B-scans, (\d+) pictures of the microscope/;
    const numbers = async () => text.exec(await page.locator("#recording").textContent())?.slice(1).map(Number);
    const [before] = await until("B-scans are recorded", numbers);
    await until("OCT is recorded while the microscope is away", async () => (await numbers())?.[0] > before + 60);
    await endRecording(page);
    await until("the files are complete", async () => /^Recorded/.test(await page.locator("#recording").textContent()));
    const [images, pictures] = await numbers();
    assert.equal(await server.stopKeeping(), 0, server.output);
    assert.equal((await decodeTrack(server.recordings, 0)).frames, images);
    assert.equal((await decodeTrack(server.recordings, 1)).frames, pictures);
    const [notes] = readdirSync(server.recordings).filter((name) => name.endsWith("-notes.csv"));
    assert.match(readFileSync(join(server.recordings, notes), "utf8"), /No pictures of the microscope/);
    server.clear();
  },

  async "the numbers of both tracks are those of a decoder"() {
    const server = await Server.start("--images", GREY, "--microscope", GREEN, ...SCREEN, "--recording", "both");
    const page = await visit(server);
    await until("there is a microscope", () => page.locator("#screen").isVisible());
    // the first picture of the microscope decides on the size of the track
    await see(page, "both are there", LAYOUTS.beside);
    const [images, pictures] = await record(page, 30, /: (\d+) B-scans, (\d+) pictures of the microscope/);
    assert.equal(await server.stopKeeping(), 0, server.output);
    assert.deepEqual(await decodeTrack(server.recordings, 0), { frames: images, size: [128, 96] });
    assert.deepEqual(await decodeTrack(server.recordings, 1), { frames: pictures, size: [320, 240] });
    server.clear();
  },

  async "the screen is recorded as it is shown, also OCT alone"() {
    const server = await Server.start("--images", GREY, "--microscope", GREEN, ...SCREEN, "--recording", "screen");
    const page = await visit(server);
    await choose(page, "#layout", "oct");
    await see(page, "OCT on the screen", [[0.05, 0.05, "grey"], [0.5, 0.5, "grey"], [0.95, 0.95, "grey"]]);
    await act(page, "it records", () => page.locator("#record").click(), () => page.locator("#recording-time").isVisible());
    // the size stays
    await choose(page, "#layout", "inset");
    await see(page, "OCT in the field", LAYOUTS.inset);
    const text = /: (\d+) pictures,/;
    await until("pictures are recorded", async () =>
      Number(text.exec(await page.locator("#recording").textContent())?.[1]) > 20);
    await endRecording(page);
    await until("the files are complete", async () => /^Recorded/.test(await page.locator("#recording").textContent()));
    const [, frames] = text.exec(await page.locator("#recording").textContent());
    assert.equal(await server.stopKeeping(), 0, server.output);
    assert.deepEqual(await decodeTrack(server.recordings, 0), { frames: Number(frames), size: [WIDTH, HEIGHT] });
    server.clear();
  },

  async "sources and options that are wrong are refused by one sentence"() {
    const refused = async (...options) => {
      const { status, stderr } = await execute(process.env.OCT_LIVE, ["--port", "0", ...options]);
      assert.ok(status === 1 || status === 2, String(status));
      return stderr.trim();
    };
    const cases = [
      [["--microscope", "nosuch"], /^Error: --microscope 'nosuch' is not there; [^.]*\.$/],
      [["--microscope", "/dev/video77"], /^Error: --microscope '\/dev\/video77' is not there; /],
      [["--microscope", "nosuch://host/path"], /is not there; /],
      [["--microscope", "videotestsrc ! nosuch"], /^Error: --microscope ".*" is not a valid pipeline: [^.]*\.$/],
      [["--microscope", "test", "--microscope-stereo", "upside-down"], /^--microscope-stereo is side-by-side, top-bottom or none\./],
      [["--microscope", "test", "--screen", "5x5"], /^--screen is an even width and height, /],
      [["--microscope", "test", "--screen", "1280x720@0"], /^--screen is an even width and height, /],
      [["--microscope", "test", "--screen", "1280x720@30x"], /^--screen is an even width and height, /],
      [["--microscope", "test", "--recording", "all", "--record", "r"], /^--recording is oct, both or screen\./],
      [["--microscope", "test", "--recording", "both"], /name a folder for it with --record\./],
      [["--screen", "1280x720"], /belong to --microscope, the source\./],
      [["--microscope", "test", "--microscope-calibration", "/etc/passwd"], /is not a calibration of oct-live's microscope; /],
    ];
    for (const [options, said] of cases) assert.match(await refused(...options), said);
  },

  async "who watches sees the layout and cannot change it"() {
    const server = await Server.start("--images", GREY, "--microscope", GREEN, ...SCREEN, "--address", "0.0.0.0");
    const page = await browser.visit(server.links[1]);
    await until("there is a microscope", () => page.locator("#screen").isVisible());
    for (const id of ["#layout", "#aim", "#forget-aim"]) assert.equal(await page.locator(id).isDisabled(), true, id);
    await server.stop();
  },
};

browser = process.env.OCT_LIVE ? await openBrowser().catch(() => null) : null;
await run({}, { together });
