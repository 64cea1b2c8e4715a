// SPDX-License-Identifier: LGPL-2.1-or-later
// Benchmark, glass to glass: images with the time drawn into them go in, and the time is
// read from what the browser shows.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { createWriteStream } from "node:fs";
import { join } from "node:path";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";

import { median, openBrowser, run, Server, sleep, waitForVideo } from "./lib.mjs";

const [WIDTH, HEIGHT, RATE, BITS, BLOCK] = [640, 512, 30, 20, 32];

// Something to encode, with speckle as B-scans have it.
const speckle = Array.from({ length: 8 }, () => Buffer.from(Array.from({ length: WIDTH * HEIGHT },
  (_, i) => (40 + 120 * Math.exp(-Math.floor(i / WIDTH) / 200)) * (0.6 + 0.8 * Math.random()))));

// Milliseconds as bits: above each block the bit, below it its opposite.
function draw(number, time) {
  const frame = Buffer.from(speckle[number % speckle.length]);
  for (let bit = 0; bit < BITS; bit++) {
    const on = Math.floor(time / 2 ** bit) % 2;
    for (let y = 0; y < 2 * BLOCK; y++)
      frame.fill((y < BLOCK) === Boolean(on) ? 235 : 16, y * WIDTH + bit * BLOCK, y * WIDTH + (bit + 1) * BLOCK);
  }
  return frame;
}

function play(path) {
  const stream = createWriteStream(path);
  stream.on("error", () => {});
  const start = performance.now();
  let number = 0;
  const next = () => {
    // a frame that cannot be taken is not sent later
    if (stream.writableLength === 0) stream.write(draw(number, Date.now()));
    number++;
    stream.timer = setTimeout(next, start + (number * 1000) / RATE - performance.now());
  };
  stream.on("open", next);
  return () => {
    clearTimeout(stream.timer);
    stream.destroy();
  };
}

// Delays (ms) of the frames that are shown in so many seconds.
const watch = (page, seconds) => page.evaluate(async ([BITS, BLOCK, seconds]) => {
  const video = document.getElementById("video");
  const context = new OffscreenCanvas(BITS * BLOCK, 2 * BLOCK).getContext("2d", { willReadFrequently: true });
  const delays = [];
  let unreadable = 0;
  const end = performance.now() + seconds * 1000;
  await new Promise((resolve) => {
    const next = (now, data) => {
      const shown = Date.now() + data.expectedDisplayTime - performance.now();
      context.drawImage(video, 0, 0);
      const { data: pixels } = context.getImageData(0, 0, BITS * BLOCK, 2 * BLOCK);
      const at = (bit, row) => pixels[4 * ((row + 0.5) * BLOCK * BITS * BLOCK + (bit + 0.5) * BLOCK)] > 128;
      let time = 0, valid = true;
      for (let bit = 0; bit < BITS; bit++) {
        valid &&= at(bit, 0) !== at(bit, 1);
        time += at(bit, 0) * 2 ** bit;
      }
      if (valid) delays.push(((shown - time) % 2 ** BITS + 2 ** BITS) % 2 ** BITS);
      else unreadable++;
      if (performance.now() < end) video.requestVideoFrameCallback(next);
      else resolve();
    };
    video.requestVideoFrameCallback(next);
  });
  return { delays, unreadable };
}, [BITS, BLOCK, seconds]);

const benchmarks = {
  async "delay from image to screen"() {
    const folder = mkdtempSync(join(tmpdir(), "oct-live-delay-"));
    const pipe = join(folder, "images");
    spawnSync("mkfifo", [pipe]);
    const stop = play(pipe);
    const server = await Server.start("--images", `filesrc location=${pipe} do-timestamp=true ! rawvideoparse `
      + `width=${WIDTH} height=${HEIGHT} format=gray8 framerate=${RATE}/1`);
    const browser = await openBrowser();
    const page = await browser.visit(server.url);
    await waitForVideo(page);
    await sleep(2000);
    const describe = (delays) => {
      const sorted = [...delays].sort((a, b) => a - b);
      return `median ${Math.round(median(delays))} ms, 95 % below `
        + `${Math.round(sorted[Math.floor(0.95 * sorted.length)])} ms, ${sorted.length} images`;
    };
    try {
      const { delays, unreadable } = await watch(page, 12);
      return `${describe(delays)}, ${unreadable} not readable`;
    } finally {
      stop();
      await browser.close();
      server.clear();
      rmSync(folder, { recursive: true });
    }
  },
};

await run(benchmarks);
