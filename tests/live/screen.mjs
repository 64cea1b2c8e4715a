// SPDX-License-Identifier: LGPL-2.1-or-later
// What stays in sight, on which screen, and what the page says for itself.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { Camera } from "./camera.mjs";
import { act, ASKING, decoded, endRecording, holdTimers, openBrowser, run, Server, until,
  waitForVideo } from "./lib.mjs";
import { get } from "./wire.mjs";

let browser;

const text = (page, id) => page.locator(id).textContent();
const isPressed = async (page, id) => await page.locator(id).getAttribute("aria-pressed") === "true";
const SMALL = "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=64,height=64,framerate=";

// 1280 x 800 at 200 % is a page of half the size.
const SCREENS = { "1280 x 800": { viewport: { width: 1280, height: 800 } },
  "1920 x 1080": { viewport: { width: 1920, height: 1080 } },
  "a phone": { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
  "200 %": { viewport: { width: 640, height: 400 } } };

// The part of an element that can be seen, from 0 to 1.
const inSight = (page, selector) => page.evaluate((wanted) => {
  const box = document.querySelector(wanted).getBoundingClientRect();
  const wide = Math.min(box.right, innerWidth) - Math.max(box.left, 0);
  const high = Math.min(box.bottom, innerHeight) - Math.max(box.top, 0);
  const element = document.querySelector(wanted);
  const on = document.elementFromPoint(box.left + box.width / 2, box.top + box.height / 2);
  // of what no pointer touches that cannot be said
  const free = getComputedStyle(element).pointerEvents === "none" || element.parentElement.contains(on);
  return free ? (Math.max(0, wide) * Math.max(0, high)) / (box.width * box.height) : 0;
}, selector);

// Contrast of two colours as WCAG 2 defines it.
function contrast(...colours) {
  const [a, b] = colours.map((colour) => {
    const [red, green, blue] = colour.match(/[\d.]+/g).map((value) => value / 255)
      .map((value) => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05;
  });
  return Math.max(a, b) / Math.min(a, b);
}

// For people to look at.
async function shoot(page, name) {
  if (process.env.OCT_SCREENSHOTS)
    await page.screenshot({ path: join(process.env.OCT_SCREENSHOTS, `${name.replace(/ /g, "-")}.png`) });
}

// What is written over something else, or is too small for a finger.
const findFlaws = (page) => page.evaluate(() => {
  const name = (element) => element.id || element.textContent.trim();
  const seen = (selector) => [...document.querySelectorAll(selector)].filter((element) => element.offsetParent);
  const cut = seen("button, dd, label, legend, select, output")
    .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0).map(name);
  const touch = matchMedia("(pointer: coarse)").matches;
  const small = !touch ? [] : seen("button, select, input").filter((element) => {
    const { width, height } = (element.closest("label") ?? element).getBoundingClientRect();
    return width < 40 || height < 40;
  }).map(name);
  const wide = document.documentElement.scrollWidth > innerWidth ? ["the page"] : [];
  return { cut, small, wide };
});
const NO_FLAWS = { cut: [], small: [], wide: [] };

const together = {
  async "every view of volumes, the meters and a recording fit every screen"() {
    const server = await Server.start("--bscans", "64", "--scan-ends", "left,right", "--slow-ends", "front,back");
    for (const [name, options] of Object.entries(SCREENS)) {
      const page = await browser.visit(server.url, options);
      await waitForVideo(page);
      await until("volumes are known", () => page.locator("[data-show=volume]").isVisible());
      for (const view of ["volume", "enface", "planes", "doppler", "bscan"]) {
        await act(page, `${view} is shown`, () => page.locator(`[data-show=${view}]`).click(), async () =>
          await page.locator(`[data-show=${view}]`).getAttribute("aria-pressed") === "true"
          && await page.locator("#waiting").isHidden());
        await shoot(page, `${name} ${view}`);
        assert.deepEqual(await findFlaws(page), NO_FLAWS, `${name}, ${view}`);
        assert.ok(await inSight(page, "#stage") > 0.9, `the picture, ${name}, ${view}`);
      }
      await page.locator("#meters").click();
      await until("something is measured", async () => /\d/.test(await text(page, "#ascans dd >> nth=0")));
      await act(page, "it records", async () => {
        if (!await isPressed(page, "#record")) await page.locator("#record").click();
      }, () => page.locator("#recording-time").isVisible());
      await shoot(page, `${name} meters`);
      assert.deepEqual(await findFlaws(page), NO_FLAWS, `${name}, meters`);
      await page.evaluate(() => document.querySelector("#image").scrollIntoView());
      await shoot(page, `${name} settings`);
      await page.evaluate(() => document.querySelector("#case").scrollIntoView());
      await shoot(page, `${name} case`);
      await endRecording(page);
      assert.deepEqual(page.problems, [], name);
      await page.context().close();
    }
    await server.stop();
  },

  async "picture, Freeze, Record, rate, delay and losses never scroll out of sight"() {
    const server = await Server.start("--width-um", "3000");
    for (const [name, options] of Object.entries(SCREENS)) {
      const page = await browser.visit(server.url, options);
      await waitForVideo(page);
      for (const where of ["above", "below"]) {
        if (where === "below")
          await page.evaluate(() => {
            document.querySelector("#panel").scrollTop = 1e6;
            scrollTo(0, 1e6);
          });
        for (const id of ["#freeze", "#record", "#rate", "#delay", "#lost"])
          assert.ok(await inSight(page, id) > 0.99, `${id}, ${name}, ${where}`);
        assert.ok(await inSight(page, "#stage") > 0.9, `the picture, ${name}, ${where}`);
      }
      assert.ok(await inSight(page, "#viewers") > 0.99, `the end of the page, ${name}`);
      const { wide, room } = await page.evaluate(() =>
        ({ wide: document.documentElement.scrollWidth, room: innerWidth }));
      assert.ok(wide <= room, `${name}: ${wide} px`);
      // nothing is written over something else
      const cut = await page.evaluate(() => [...document.querySelectorAll("button, dd, label, legend")]
        .filter((element) => element.scrollWidth > element.clientWidth + 1 && element.clientWidth > 0)
        .map((element) => element.id || element.textContent));
      assert.deepEqual(cut, [], name);
      await page.context().close();
    }
    await server.stop();
  },

  async "a delay is right when its time stamp has begun again, and when clocks differ"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    const found = await page.evaluate(async () => {
      const { unwrapDelay } = await import("/indicators.js");
      const wrap = 2 ** 32 / 90; // ms, of RTP
      return [unwrapDelay(80, wrap), unwrapDelay(80 - wrap, wrap), unwrapDelay(80 + 3 * wrap, wrap),
        unwrapDelay(wrap - 22, wrap), unwrapDelay(-22, wrap), unwrapDelay(80, undefined), unwrapDelay(-5, NaN)]
        .map((delay) => Math.round(delay));
    });
    assert.deepEqual(found, [80, 80, 80, -22, -22, 80, -5]);
    await server.stop();
  },

  async "a finger finds every control of a phone"() {
    const server = await Server.start();
    const page = await browser.visit(server.url, SCREENS["a phone"]);
    await waitForVideo(page);
    const small = await page.evaluate(() => [...document.querySelectorAll("button, select, input")]
      .filter((element) => element.offsetParent)
      .map((element) => [element.id, (element.closest("label") ?? element).getBoundingClientRect()])
      .filter(([, { width, height }]) => height < 40 || width < 40)
      .map(([id, { width, height }]) => `${id} ${width} x ${height}`));
    assert.deepEqual(small, []);
    await server.stop();
  },

  async "edges of controls, and what cannot be used, can be made out"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await page.evaluate(() => { document.querySelector("#settings fieldset").disabled = true; });
    const found = await page.evaluate(() => {
      const ground = (element) => {
        for (let at = element; at; at = at.parentElement) {
          const { backgroundColor } = getComputedStyle(at);
          if (!/, 0\)$/.test(backgroundColor)) return backgroundColor;
        }
        return "rgb(255, 255, 255)";
      };
      return [...document.querySelectorAll("#side button, #side select, #side input[type=number], #side fieldset, #side legend, #side label")]
        .filter((element) => element.offsetParent)
        .map((element) => {
          const { color, borderTopColor, borderTopWidth, opacity } = getComputedStyle(element);
          return { name: element.id || element.textContent.trim(), color, opacity, own: ground(element),
            edge: borderTopWidth === "0px" ? null : borderTopColor, around: ground(element.parentElement) };
        });
    });
    assert.ok(found.length > 20, `${found.length}`);
    for (const { name, color, opacity, own, edge, around } of found) {
      assert.equal(opacity, "1", name);
      assert.ok(contrast(color, own) >= 3, `text of ${name}: ${contrast(color, own)}`);
      if (edge) assert.ok(contrast(edge, around) >= 3, `edge of ${name}: ${contrast(edge, around)}`);
    }
    await server.stop();
  },

  async "full screen shows that a recording runs, and asks before it ends"() {
    const server = await Server.start();
    const page = await browser.visit("about:blank");
    await holdTimers(page, ASKING);
    await page.goto(server.video);
    await waitForVideo(page);
    await act(page, "it records", () => page.keyboard.press("r"), () => isPressed(page, "#record"));
    await page.keyboard.press("f");
    await until("the picture fills the screen", () => page.evaluate(() => document.fullscreenElement?.id === "stage"));
    await until("the time of the recording is in sight", async () => await inSight(page, "#recording-time") > 0.99);
    await until("its time goes on", async () => /00:00:0[2-9]|00:0[1-9]|00:00:[1-9]/.test(await text(page, "#recording-time")));
    await page.keyboard.press("r");
    await until("it asks there", async () => await inSight(page, "#confirm") > 0.99);
    await page.keyboard.press("f");
    await until("the page is back", () => page.evaluate(() => !document.fullscreenElement));
    assert.deepEqual(page.problems, []);
    await server.stop();
  },

  async "full screen shows a delay that is bad, and only there"() {
    const server = await Server.start("--source", "octsrc is-live=true samples=256 lines=64 bscans=1 line-rate=1920 ! "
      + "queue min-threshold-time=600000000 max-size-time=2000000000 max-size-buffers=0 max-size-bytes=0");
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await until("it is bad", () => page.locator("#delay.bad").isVisible());
    assert.ok(await page.locator("#delay-bad").isHidden());
    await page.keyboard.press("f");
    // a second without pictures has no delay, and shows none
    await until("it is shown", async () => await inSight(page, "#delay-bad") > 0.99
      && /^Delay \d{3,} ms$/.test(await text(page, "#delay-bad")));
    await server.stop();
  },

  async "a source that hangs dims the picture, with the time and what to do"() {
    const camera = await Camera.start();
    const server = await Server.start(...camera.options);
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    camera.hangs = true;
    const seconds = async () => Number(/^No new pictures for (\d+) s$/.exec(await text(page, "#veil-title"))?.[1] ?? NaN);
    const before = await until("the page counts", seconds);
    await until("and goes on counting", async () => await seconds() > before + 1);
    assert.ok(await page.locator("#veil").isVisible());
    await until("the terminal says what to do", () => /no error\. (.*)/.exec(server.output));
    assert.equal(await text(page, "#veil-text"), /no error\. (.*)/.exec(server.output)[1]);
    // amber: much more red than blue
    const [red, , blue] = (await page.locator("#veil").evaluate((veil) => getComputedStyle(veil).backgroundColor))
      .match(/[\d.]+/g).map(Number);
    assert.ok(red > blue + 40, `${red}, ${blue}`);
    camera.hangs = false;
    await until("it is gone", () => page.locator("#veil").isHidden());
    await server.stop();
    await camera.stop();
  },

  async "without a recording folder the page says how to get one"() {
    const server = await Server.start();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    assert.ok(await page.locator("#record-hint").isHidden());
    // as oct-live says it without --record
    await page.routeWebSocket(/socket/, (socket) => {
      const behind = socket.connectToServer();
      behind.onMessage((data) => {
        const message = JSON.parse(data);
        if (message.type === "hello") message.recordable = false;
        socket.send(JSON.stringify(message));
      });
    });
    await page.reload();
    await until("it says so", () => page.locator("#record-hint").isVisible());
    assert.match(await text(page, "#record-hint"), /start.*--record FOLDER/);
    assert.ok(await page.locator("#record").isDisabled());
    await server.stop();
  },

  async "without its token the page explains itself"() {
    const server = await Server.start("--token-file", "tokens");
    const page = await browser.visit("about:blank");
    for (const address of [server.url, `${server.url}/?token=0123456789012345678901234567890`]) {
      const answer = await page.goto(address);
      assert.equal(answer.status(), 401);
      assert.match(await text(page, "h1"), /by its link/);
      assert.match(await text(page, "body"), /--token-file/);
      assert.notEqual(await page.evaluate(() => getComputedStyle(document.body).maxWidth), "none");
    }
    assert.match((await get(server, "/live.js")).body, /^Not allowed\. .*token\.\n$/);
    await server.stop();
  },

  async "on a terminal the links with kept tokens are printed whole, in a log they are not"() {
    const server = await Server.start("--token-file", "tokens");
    const kept = readFileSync(`${server.folder}/tokens`, "utf8").match(/^(control|view) (\S+)$/gm)
      .map((line) => line.split(" ")[1]);
    for (const token of kept) assert.ok(!server.output.includes(token));
    const terminal = spawn("python3", ["-c", "import pty, sys; pty.spawn(sys.argv[1:])", process.env.OCT_LIVE,
      "--port", "0", "--token-file", `${server.folder}/tokens`], { stdio: ["pipe", "pipe", "inherit"] });
    let said = "";
    terminal.stdout.on("data", (data) => { said += data; });
    await until("it is started", () => said.includes("Ctrl-C"));
    terminal.stdin.write("\x03");
    await new Promise((resolve) => { terminal.on("close", resolve); });
    assert.deepEqual([...said.matchAll(/\?token=(\S+)/g)].map(([, token]) => token), kept);
    await server.stop();
  },

  async "a rate is orange if this screen gets less than it could show"() {
    const server = await Server.start("--images", `${SMALL}20/1`);
    const page = await browser.visit("about:blank");
    // each fourth of the pictures that come
    await page.addInitScript(() => {
      const { requestVideoFrameCallback } = HTMLVideoElement.prototype;
      HTMLVideoElement.prototype.requestVideoFrameCallback = function (callback) {
        let left = 4;
        const next = (...values) => {
          if (--left === 0) callback(...values);
          else requestVideoFrameCallback.call(this, next);
        };
        return requestVideoFrameCallback.call(this, next);
      };
    });
    await page.goto(server.video);
    await until("it is orange", () => page.evaluate(() => {
      const rate = document.querySelector("#rate");
      return Number.parseFloat(rate.textContent) > 0 && rate.classList.contains("bad");
    }));
    await server.stop();
  },

  // With a clock, a screen and a server that are made up: what a real browser shows
  // depends on how busy its computer is.
  async "a rate is measured by what is made and what the screen shows of it"() {
    const server = await Server.start();
    const page = await browser.visit("about:blank");
    await page.route("**/live.js", (route) => route.fulfill({ contentType: "text/javascript", body: "" }));
    for (const [screen, nominal, made, every, bad, what] of [
      [60, 500, 500, 8.34, false, "far more than the screen shows, and all that it shows of it"],
      [60, 500, 500, 32, true, "far more than the screen shows, and a fourth of what it could show"],
      [60, 500, 440, 8.34, true, "far more than the screen shows, and fewer than there should be"],
      [60, 20, 20, 1, false, "all of the pictures"],
      [60, 20, 20, 1.2, true, "five of six pictures"],
      [60, 20, 17, 1, true, "all of the pictures, and fewer than there should be"],
      [30, 50, 50, 1.67, false, "all that a slow screen shows"]]) {
      await page.addInitScript((rate) => {
        let time = 0;
        window.requestAnimationFrame = (callback) => {
          time += 1000 / rate;
          queueMicrotask(() => callback(time));
        };
      }, screen);
      await page.goto(server.url);
      const shown = await page.evaluate(async ([rate, nominalRate, step]) => {
        const { showIndicators, takeClock, takePicture } = await import("/indicators.js");
        for (let i = 0; i < 200; i++) takePicture((i * step * 1000) / rate, NaN, Infinity);
        takeClock({ rate, nominalRate, frames: 200, dropped: 0, missed: 0, viewers: 1 }, 0);
        showIndicators(false, 0);
        const element = document.querySelector("#rate");
        return { text: element.textContent, bad: element.classList.contains("bad") };
      }, [made, nominal, every]);
      assert.deepEqual(shown, { text: `${(made / every).toFixed(1)} of ${made.toFixed(1)} /s`, bad }, what);
    }
    await server.stop();
  },
};

browser = process.env.OCT_LIVE ? await openBrowser().catch(() => null) : null;
await run({}, { together });
