// SPDX-License-Identifier: LGPL-2.1-or-later
// What a person does with the page.
import assert from "node:assert/strict";
import { readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { Camera } from "./camera.mjs";
import { act, countFrames, decoded, download, ended, endRecording, hold, holdTimers, look, mean, openBrowser, run, Server,
  sleep, until, waitForVideo } from "./lib.mjs";

let browser;
const text = (page, id) => page.locator(id).textContent();

// The picture on the server, without losses.
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

// How much brighter the tissue is than what is above it.
function contrast({ width, levels }) {
  return mean(levels.subarray(130 * width, 260 * width)) - mean(levels.subarray(0, 60 * width));
}

// B-scans of the recording, as the page says.
const recorded = async (page) => Number(/(\d+) B-scans/.exec(await text(page, "#recording"))?.[1] ?? 0);

async function record(page, on, how = () => page.locator("#record").click()) {
  if (!on) await endRecording(page, how);
  else if (await page.locator("#record").getAttribute("aria-pressed") !== "true") await how();
}

async function setNumber(page, id, value) {
  await page.locator(id).fill(String(value));
  await page.locator(id).press("Tab");
}

// An image whose grey levels are known and do not change: black above, white
// below.
const STILL = ["--images", "videotestsrc is-live=true pattern=gradient ! "
  + "video/x-raw,format=GRAY8,width=640,height=512,framerate=30/1"];

function assertSame(shown, picture) {
  assert.deepEqual([shown.width, shown.height], [640, 512]);
  assert.deepEqual([picture.width, picture.height], [640, 512]);
  let difference = 0, darkest = 255, brightest = 0;
  for (const [i, level] of picture.levels.entries()) {
    difference += Math.abs(level - shown.levels[i]) / picture.levels.length;
    darkest = Math.min(darkest, level);
    brightest = Math.max(brightest, level);
  }
  assert.ok(difference < 2.5, `grey levels differ by ${difference}`);
  assert.ok(brightest > 225 && darkest < 25, `${darkest} to ${brightest}`);
}

// The longest first.
const together = {
  async "settings change the picture for everybody"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    const other = await browser.visit(server.url);
    await waitForVideo(page);
    await act(page, "the picture is black", async () => {
      await page.locator("#automatic").uncheck();
      await setNumber(page, "#max", 119.5);
      await setNumber(page, "#min", 118.5);
    }, async () => mean((await look(page, "#video")).levels) < 3);
    await act(page, "the picture is white", async () => {
      await setNumber(page, "#min", -40);
      await setNumber(page, "#max", -39);
    }, async () => mean((await look(page, "#video")).levels) > 250);
    await until("the other page knows", async () =>
      !(await other.locator("#automatic").isChecked())
      && await other.locator("#max").inputValue() === "-39");
    await act(page, "the picture is back", () => page.locator("#automatic").check(), async () => {
      const level = mean((await look(page, "#video")).levels);
      return level > 20 && level < 170;
    });

    // dispersion smears the tissue over all depths
    assert.ok(contrast(await snapshot(page)) > 60);
    await act(page, "it is blurred", () => setNumber(page, "#a2", 3000), async () => contrast(await snapshot(page)) < 30);
    // found in what is seen; both pages are told, and one key takes it back
    await act(page, "it is sharp", () => page.locator("#focus").click(), async () => contrast(await snapshot(page)) > 60);
    await until("the other page can undo it", () => other.locator("#focus-undo").isEnabled());
    assert.match(await text(other, "#focus-note"), /^Dispersion found: a2 = /);
    await until("its number is shown", async () => Math.abs(Number(await page.locator("#a2").inputValue())) < 20);
    await page.locator("h1").click();
    await act(page, "it is blurred again", () => page.keyboard.press("u"), async () => contrast(await snapshot(page)) < 30);
    await until("its number is shown, too", async () => await page.locator("#a2").inputValue() === "3000");
    await act(page, "it is sharp again", () => setNumber(page, "#a2", 0), async () => contrast(await snapshot(page)) > 60);
    for (const method of await page.locator("#method option").evaluateAll((o) => o.map((x) => x.value))) {
      await act(page, `the other page knows ${method}`, () => page.locator("#method").selectOption(method),
        async () => await other.locator("#method").inputValue() === method);
      const { frames } = await decoded(page);
      await until(`pictures go on with ${method}`, async () => (await decoded(page)).frames > frames + 20);
      // compressive sensing leaves a part of the tissue's pixels, on black
      assert.ok(contrast(await snapshot(page)) > (method === "cs" ? 20 : 60), method);
    }
    assert.equal(await server.stop(), 0);
  },

  async "the end of the source is told over the picture, until it comes again"() {
    const camera = await Camera.start();
    const server = await Server.start(...camera.options);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await act(page, "it records", () => record(page, true), async () => await recorded(page) > 20);
    for (let turn = 0; turn < 2; turn++) {
      await camera.unplug();
      await until("the page says so", async () => await page.locator("#veil").isVisible()
        && /No pictures.*has (ended|failed).*tried again/.test(await text(page, "#veil")));
      if (turn === 0) {
        await until("the recording is closed", async () =>
          /was ended.*kept/.test(await text(page, "#recording"))
          && await page.locator("#record").getAttribute("aria-pressed") === "false");
        if (process.env.OCT_SCREENSHOTS)
          await page.screenshot({ path: join(process.env.OCT_SCREENSHOTS, "trouble.png") });
        await camera.plug();
        await until("pictures come again", () => page.locator("#veil").isHidden());
      }
    }
    // who opens the page while there is nothing gets the pictures when they come
    const other = await browser.visit(server.url);
    await until("the other page says so", async () => /has (ended|failed)/.test(await text(other, "#veil")));
    await camera.plug();
    await until("pictures come there", () => other.locator("#veil").isHidden());
    await until("and here", () => page.locator("#veil").isHidden());
    assert.deepEqual(page.problems.concat(other.problems), []);
    assert.ok(await countFrames(server.recordings) > 20);
    assert.equal(await server.stop(), 0);
    await camera.stop();
  },

  async "a connection that fails just before the pictures end is made again when they come"() {
    const camera = await Camera.start();
    const server = await Server.start(...camera.options);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await page.evaluate(() => {
      // the next try waits until the test lets it begin
      window.held = [];
      const { setTimeout } = window;
      window.setTimeout = (what, time, ...values) =>
        (time === 1200 ? window.held.push(what) : setTimeout(what, time, ...values));
      const connection = window.connections.at(-1);
      Object.defineProperty(connection, "connectionState", { value: "failed" });
      connection.onconnectionstatechange();
      connection.close();
    });
    await camera.unplug();
    await until("the page says so", async () => /has (ended|failed)/.test(await text(page, "#veil")));
    await page.evaluate(() => window.held.forEach((next) => next()));
    await camera.plug();
    await until("pictures come", () => page.locator("#veil").isHidden());
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
    await camera.stop();
  },

  async "an old picture is not taken for a live one"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await until("the picture is clear", () => page.locator("#veil").isHidden());
    server.process.kill("SIGSTOP");
    await until("the page says so", async () => /No new pictures/.test(await text(page, "#veil"))
      && await page.locator("#veil").isVisible());
    server.process.kill("SIGCONT");
    await until("it goes on", () => page.locator("#veil").isHidden());
    server.process.kill("SIGSTOP");
    await until("it is given up", async () => /connection is lost/.test(await text(page, "#veil")));
    assert.match(await text(page, "#rate"), /–/);
    server.process.kill("SIGCONT");
    await until("it has found back", () => page.locator("#veil").isHidden());
    assert.equal(await server.stop(), 0);
  },

  async "video shows the grey levels of the image, and nothing to set for it"() {
    const server = await Server.start(...STILL);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    assertSame(await look(page, "#video"), await snapshot(page));
    assert.ok(await page.locator("#settings").isHidden());
    assert.equal(await text(page, "#backend"), "–");
    await server.stop();
  },

  async "a snapshot is the image in full size, a held one what is seen"() {
    const server = await Server.start();
    const page = await browser.visit(server.url, { acceptDownloads: true });
    await waitForVideo(page);
    const save = async () => {
      const saved = await download(page, () => page.locator("#snapshot").click());
      assert.match(saved.suggestedFilename(), /^bscan-\d{8}-\d{6}\.png$/);
      return readFileSync(await saved.path());
    };
    const png = await save();
    assert.equal(png.subarray(1, 4).toString(), "PNG");
    // width, height, 8 bit, grey
    assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20), png[24], png[25]], [640, 512, 8, 0]);
    // the button has the focus: keys still work
    await download(page, () => page.keyboard.press("s"));
    await hold(page, () => page.locator("#freeze").click());
    const held = await look(page, "#still");
    const first = await save();
    const { frames } = await decoded(page);
    await until("others have come", async () => (await decoded(page)).frames > frames + 10);
    assert.deepEqual(await save(), first);
    assert.deepEqual((await look(page, "#still")).levels, held.levels);
    await page.locator("#freeze").click();
    await until("the picture goes on", () => page.locator("#still").isHidden());
    await server.stop();
  },

  async "every control can be reached and used by keyboard"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await page.locator("#automatic").uncheck();
    const wanted = new Set(["freeze", "snapshot", "record", "full", "automatic", "min", "max",
      "min-slider", "max-slider", "a2", "a3", "a2-slider", "a3-slider", "focus",
      "refine", "calibration", "meters", "method", "window"]);
    await page.locator("h1").click();
    for (let i = 0; i < 100 && wanted.size > 0; i++) {
      await page.keyboard.press("Tab");
      wanted.delete(await page.evaluate(() => document.activeElement.id));
    }
    assert.deepEqual([...wanted], []);
    await page.evaluate(() => document.activeElement.blur());
    await hold(page, () => page.keyboard.press(" "));
    await page.keyboard.press(" ");
    await until("space lets it go on", () => page.locator("#still").isHidden());
    for (const [what, on] of [["r records", true], ["r ends it", false]])
      await act(page, what, () => record(page, on, () => page.keyboard.press("r")),
        async () => (await page.locator("#record").getAttribute("aria-pressed") === "true") === on);
    await server.stop();
  },

  async "a phone shows picture and controls, and nothing comes from elsewhere"() {
    const server = await Server.start("--width-um", "3000");
    const page = await browser.visit("about:blank", { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true });
    const foreign = [];
    page.on("request", (request) => {
      if (!request.url().startsWith(server.url) && !request.url().startsWith("blob:")) foreign.push(request.url());
    });
    await page.goto(server.video);
    await waitForVideo(page);
    const box = await page.locator("#video").boundingBox();
    assert.ok(box.width > 380 && box.y >= 0 && box.y + box.height < 500, JSON.stringify(box));
    // true proportions: 512 depths of pi / (2 pi / 790 nm - 2 pi / 900 nm), in tissue
    const depth = (512 * Math.PI) / (2 * Math.PI * (1 / 0.79 - 1 / 0.9)) / 1.38;
    assert.ok(Math.abs((box.width / box.height) * (depth / 3000) - 1) < 0.02, JSON.stringify(box));
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), 390);
    await hold(page, () => page.locator("#freeze").tap());
    assert.ok(Math.max(...new Set((await look(page, "#bars")).levels)) > 250, "no scale bars");
    assert.deepEqual(foreign, []);
    if (process.env.OCT_SCREENSHOTS) {
      await page.locator("#freeze").tap();
      await sleep(1500);
      await page.screenshot({ path: join(process.env.OCT_SCREENSHOTS, "phone.png") });
    }
    await server.stop();
  },

  async "few A-lines fill the view where nothing says how wide they are"() {
    const server = await Server.start("--images",
      "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=32,height=512,framerate=30/1");
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    for (const viewport of [{ width: 1280, height: 800 }, { width: 390, height: 844 }]) {
      await page.setViewportSize(viewport);
      await until(`the view is filled at ${viewport.width}`, async () => {
        const [box, stage] = [await page.locator("#video").boundingBox(), await page.locator("#stage").boundingBox()];
        return Math.abs(box.width - stage.width) < 1 && Math.abs(box.height - stage.height) < 1;
      });
    }
    await server.stop();
  },

  async "what has failed is not said any more after something else has not"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    const fail = async () => {
      await page.route("**/snapshot.png", (route) => route.fulfill({ status: 503, body: "There is no picture." }));
      await page.locator("#snapshot").click();
      await until("it is said", async () => await page.locator("#problem").isVisible()
        && await text(page, "#problem") === "There is no picture.");
      await page.unroute("**/snapshot.png");
    };
    // within what it would stay by itself
    const isGone = (what) => until(`${what} takes it away`, () => page.locator("#problem").isHidden(), 8);
    await fail();
    await download(page, () => page.locator("#snapshot").click());
    await isGone("a snapshot");
    await fail();
    await page.locator("#automatic").uncheck();
    await isGone("a setting");
    await server.stop();
  },

  async "large and many images come through WebRTC too"() {
    for (const size of ["width=1024,height=1024,framerate=5/1",
      "width=1900,height=1080,framerate=5/1", "width=160,height=128,framerate=150/1"]) {
      const server = await Server.start("--images",
        `videotestsrc is-live=true pattern=ball ! video/x-raw,format=GRAY8,${size}`);
      const page = await browser.visit(server.url);
      await waitForVideo(page);
      assert.equal(await text(page, "#media"), "WebRTC", size);
      await page.context().close();
      await server.stop();
    }
  },

  async "a reconstruction that is chosen is tried, and said to be"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await page.locator("#method").focus();
    for (let i = 0; i < 20; i++) await page.keyboard.press(i % 8 < 5 ? "ArrowDown" : "ArrowUp");
    await act(page, "it is in use", () => page.locator("#method").selectOption("cs"), async () => await page.locator("#changing").isHidden()
      && await page.locator("#method").inputValue() === "cs");
    const { frames } = await decoded(page);
    await until("pictures go on", async () => (await decoded(page)).frames > frames + 5);
    // the noise is gone, the tissue is not
    assert.ok(contrast(await snapshot(page)) > 20);
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "the window of the spectrum changes the picture, and every page knows it"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    const other = await browser.visit(server.url);
    await waitForVideo(page);
    const options = await page.locator("#window option").evaluateAll((all) => all.map(({ value }) => value));
    assert.deepEqual(options, ["hann", "none", "hamming", "blackman", "tukey", "gaussian"]);
    assert.equal(await page.locator("#window").inputValue(), "hann");
    for (const name of [...options.slice(1), "hann"]) {
      await act(page, `the other page knows ${name}`, () => page.locator("#window").selectOption(name),
        async () => await other.locator("#window").inputValue() === name);
      const { frames } = await decoded(page);
      await until(`pictures go on with ${name}`, async () => (await decoded(page)).frames > frames + 5);
      assert.ok(contrast(await snapshot(page)) > 40, name);
      assert.ok(await page.locator("#problem").isHidden(), name);
    }
    if (process.env.OCT_SCREENSHOTS) await page.screenshot({ path: join(process.env.OCT_SCREENSHOTS, "window.png") });
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "compressive sensing has controls of its own, the same on every page"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    const other = await browser.visit(server.url);
    await waitForVideo(page);
    assert.ok(await page.locator("#sensing").isHidden());
    await act(page, "they are there", () => page.locator("#method").selectOption("cs"), async () => await page.locator("#sensing").isVisible()
      && await other.locator("#sensing").isVisible());
    // no name runs into its slider
    for (const name of ["tau", "samplingRate"]) {
      const [end, begin] = await page.evaluate((id) => {
        const words = document.createRange();
        words.selectNodeContents(document.querySelector(`label[for="${id}"]`));
        return [words.getBoundingClientRect().right, document.getElementById(`${id}-slider`).getBoundingClientRect().left];
      }, name);
      assert.ok(end <= begin, `${name}: ${end} > ${begin}`);
    }
    assert.equal(await page.locator("#solver").inputValue(), "persistent");
    assert.equal(await page.locator("#tau").inputValue(), "3");
    assert.equal(await page.locator("#samplingRate").inputValue(), "40");
    const note = await text(page, "#solver-note");
    await act(page, "the other page knows", async () => {
      await page.locator("#solver").selectOption("continued");
      await setNumber(page, "#tau", 60);
      await setNumber(page, "#samplingRate", 60);
    }, async () => await other.locator("#solver").inputValue() === "continued"
      && await other.locator("#tau").inputValue() === "60"
      && await other.locator("#samplingRate").inputValue() === "60");
    await until("it is described", async () => ![note, ""].includes(await text(page, "#solver-note")));
    // of such a threshold nothing but the strongest is left
    await until("it is dark", async () => contrast(await snapshot(page)) < 5);
    await act(page, "the tissue is back", async () => {
      await page.locator("#solver").selectOption("persistent");
      await setNumber(page, "#tau", 3);
    }, async () => contrast(await snapshot(page)) > 20);
    // no number that could be sent
    await page.locator("#samplingRate").fill("0");
    await page.locator("#samplingRate").blur();
    await act(page, "they are gone", () => page.locator("#method").selectOption("cubic"), async () => await page.locator("#sensing").isHidden()
      && await other.locator("#sensing").isHidden());
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "after a restart the pages come back by themselves"() {
    const tokens = join(tmpdir(), `oct-live-tokens-${process.pid}`);
    for (const more of [[], ["--token-file", tokens]]) {
      // an address where nobody else takes the port meanwhile
      const options = ["--address", "127.0.0.9", ...more];
      const server = await Server.start(...options);
      const link = more.length > 0
        ? `http://127.0.0.9:${server.port}/?token=${/^view (\S+)/m.exec(readFileSync(tokens, "latin1"))[1]}`
        : server.links[0];
      const page = await browser.visit(link);
      await waitForVideo(page);
      assert.equal(await server.stop(), 0);
      await until("the page says so", () => page.locator("#veil").isVisible());
      await page.waitForEvent("requestfailed"); // it has looked for oct-live
      const again = await Server.start("--port", String(server.port), ...options);
      await until("pictures come again", async () => await page.locator("#veil").isHidden()
        && Number.parseFloat(await text(page, "#rate")) > 0);
      await again.stop();
    }
    rmSync(tokens, { force: true });
  },

  async "the page says how pictures come, their rate and delay"() {
    const server = await Server.start();
    const page = await browser.visit("about:blank");
    await page.addInitScript(() => {
      const { prototype } = RTCPeerConnection;
      const { setLocalDescription } = prototype;
      prototype.setLocalDescription = function (...values) {
        window.peer = this;
        return setLocalDescription.apply(this, values);
      };
    });
    await page.goto(server.video);
    await waitForVideo(page);
    assert.equal(await text(page, "#media"), "WebRTC");
    // the browser has agreed to show pictures at once
    assert.deepEqual(await page.evaluate(() => window.peer.getReceivers()[0].getParameters().headerExtensions
      .map(({ uri }) => uri)), ["http://www.webrtc.org/experiments/rtp-hdrext/playout-delay"]);
    for (const id of ["#rate", "#delay"])
      await until(`${id} is shown`, async () => Number.parseFloat(await text(page, id)) >= 0);
    assert.equal(await text(page, "#backend"), "CPU");
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "the delays of the last minute are a histogram and a file"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    // known answers: the delays 0, 1, ... 199 ms, one that clocks made negative, a long one
    const known = await page.evaluate(async () => {
      const { summarise } = await import("/delays.js");
      return summarise([...Array.from({ length: 200 }, (_, i) => 199 - i), -3, 900]);
    });
    assert.deepEqual([known.median, known.most, known.largest, known.count], [100, 190, 900, 202]);
    assert.deepEqual([known.bins.length, known.bins[0], known.bins[1], known.bins[39], known.bins[40], known.bins[100]],
      [101, 6, 5, 5, 0, 1]);
    await page.locator("#delays summary").click();
    const said = /^Median (\d+) ms, 95 % below (\d+) ms, largest (\d+) ms: (\d+) pictures in \d+ s\. The clocks agree to \d+ ms\.$/;
    await until("ten pictures are counted", async () => Number(said.exec(await text(page, "#delay-figures"))?.[4]) >= 10);
    const [, median, most, largest] = said.exec(await text(page, "#delay-figures")).map(Number);
    assert.ok(median <= most && most <= largest);
    await until("bars are drawn", () => page.evaluate(() => {
      const canvas = document.querySelector("#delays canvas");
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data.some((value, i) => i % 4 === 3 && value === 255);
    }));
    const saved = await download(page, () => page.locator("#save-delays").click());
    const lines = readFileSync(await saved.path(), "utf8").trim().split("\n");
    const rows = lines.filter((line) => !line.startsWith("#")).map((line) => line.split("\t").map(Number));
    const count = Number(said.exec(lines[1].slice(2))[4]);
    assert.equal(rows.reduce((sum, [, number]) => sum + number, 0), count);
    assert.deepEqual(rows.map(([from]) => from), rows.map((_, i) => 5 * i));
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "a recording is begun and ended, and plays"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await act(page, "it records", () => record(page, true), async () =>
      await page.locator("#record").getAttribute("aria-pressed") === "true" && await recorded(page) > 20);
    const said = await act(page, "it is finished", () => record(page, false), async () =>
      /^Recorded (\S+): (\d+) B-scans.* (\d+) lost/.exec(await text(page, "#recording")));
    assert.ok(readdirSync(server.recordings)[0].startsWith(said[1]), said[1]);
    assert.ok(Number(said[2]) > 20, said[0]);
    assert.equal(await countFrames(server.recordings), Number(said[2]));
    await server.stop();
    return `${said[2]} B-scans, ${said[3]} lost`;
  },

  async "without WebRTC there are JPEG pictures"() {
    const server = await Server.start(...STILL);
    const page = await browser.visit("about:blank");
    await page.addInitScript(() => { delete window.RTCPeerConnection; });
    await page.goto(server.url);
    for (const id of ["#rate", "#delay"])
      await until(`${id} is shown`, async () => Number.parseFloat(await text(page, id)) >= 0);
    assert.equal(await text(page, "#media"), "JPEG");
    assertSame(await look(page, "#jpeg"), await snapshot(page));
    await server.stop();
  },

  async "if nothing gets through by WebRTC there are JPEG pictures"() {
    const server = await Server.start(...STILL);
    const page = await browser.visit("about:blank");
    // neither side hears of a way to the other
    await page.addInitScript(() => {
      RTCPeerConnection.prototype.addIceCandidate = async () => {};
      const { send } = WebSocket.prototype;
      WebSocket.prototype.send = function (data) {
        if (JSON.parse(data).type !== "candidate") send.call(this, data);
      };
    });
    await page.goto(server.url);
    await until("JPEG pictures come", async () => await text(page, "#media") === "JPEG"
      && Number.parseFloat(await text(page, "#rate")) > 0);
    await server.stop();
  },

  async "WebRTC is not given up while it arrives, if the first picture takes long"() {
    const server = await Server.start(...STILL);
    const pages = [];
    for (let i = 0; i < 2; i++) {
      const page = await browser.visit("about:blank");
      // what comes is shown when the test lets it, and so does time go by
      await page.addInitScript(() => {
        const { requestVideoFrameCallback } = HTMLVideoElement.prototype;
        const shown = new Promise((resolve) => { window.show = resolve; });
        HTMLVideoElement.prototype.requestVideoFrameCallback = function (callback) {
          shown.then(() => requestVideoFrameCallback.call(this, callback));
        };
        window.time = performance.now();
        performance.now = () => window.time;
        window.heard = 0;
        window.WebSocket = class extends window.WebSocket {
          constructor(...values) {
            super(...values);
            this.addEventListener("message", () => window.heard++);
          }
        };
      });
      await holdTimers(page, 7000);
      await page.goto(server.url);
      pages.push(page);
    }
    const [slow, never] = pages;
    const looks = async (page, milliseconds) => {
      const { received } = await decoded(page), heard = await page.evaluate(() => window.heard);
      await until("it arrives", async () => (await decoded(page)).received > received
        && await page.evaluate(() => window.heard) > heard);
      await page.evaluate((later) => {
        window.time += later;
        return window.heldTimer();
      }, milliseconds);
    };
    for (const page of pages)
      for (let i = 0; i < 3; i++) {
        await looks(page, 7000);
        assert.equal(await text(page, "#media"), "WebRTC");
      }
    await slow.evaluate(() => window.show());
    await until("it is shown", async () => Number.parseFloat(await text(slow, "#rate")) > 0);
    assert.equal(await text(slow, "#media"), "WebRTC");
    await looks(never, 10000);
    await until("what is never shown is given up", async () => await text(never, "#media") === "JPEG");
    assert.equal(await text(slow, "#media"), "WebRTC");
    await server.stop();
  },

  async "Ctrl-C finishes the recording and tells the viewers"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await act(page, "it records", () => record(page, true), async () => await recorded(page) > 20);
    const lookedFor = page.waitForEvent("requestfailed").catch(() => null);
    server.process.kill("SIGINT");
    assert.equal(await ended(server.exited), 0);
    await until("the page says so", async () => /was ended/.test(await text(page, "#veil")));
    assert.ok(await lookedFor, "it has looked for oct-live");
    assert.match(await text(page, "#veil"), /was ended/);
    const frames = await countFrames(server.recordings);
    assert.ok(frames > 20, `${frames} frames`);
    server.clear();
    return `${frames} B-scans`;
  },

  // While it does so, reports of the browser change what it reads (GStreamer 1.22).
  async "the first report of the sender asks nobody for its clock rate"() {
    const server = await Server.startWith({ GST_DEBUG: "rtpsource:4", GST_DEBUG_NO_COLOR: "1" });
    const page = await browser.visit(server.url);
    await until("the report has come", () => page.evaluate(async () => {
      for (const connection of window.connections)
        for (const report of (await connection.getStats()).values())
          if (report.type === "remote-outbound-rtp" && report.reportsSent > 0) return true;
      return false;
    }));
    assert.doesNotMatch(server.output, /no clock-rate/);
    await server.stop();
  },
};

browser = process.env.OCT_LIVE ? await openBrowser().catch(() => null) : null;
await run({}, { together });
