// SPDX-License-Identifier: LGPL-2.1-or-later
// Benchmark: what arrives of the pictures, and what is lost.  The figures hold for
// a machine that does nothing else, and decide nothing.
import { decoded, openBrowser, run, Server, sleep, until, waitForVideo } from "./lib.mjs";
import { addViewers, BITRATE, received, record, SMALL } from "./viewers.mjs";
import { get, Talk } from "./wire.mjs";

const RATE = 30; // of the virtual system
const percent = (part) => `${(100 * part).toFixed(2)} %`;

// What arrived in so many seconds, of all that was made.
async function arrived(page, seconds) {
  const before = await decoded(page);
  await sleep(seconds * 1000);
  const after = await decoded(page);
  return percent((after.frames - before.frames) / (RATE * (after.time - before.time) / 1000));
}

async function withPage(measure) {
  const server = await Server.start();
  const browser = await openBrowser();
  const page = await browser.visit(server.url);
  await waitForVideo(page);
  const said = await measure(page);
  await browser.close();
  await server.stop();
  return said;
}

const benchmarks = {
  async "images that arrive in 20 s"() {
    return withPage(async (page) => `${await arrived(page, 20)} of the images, delay as the page says `
      + `${await page.locator("#delay").textContent()}`);
  },

  async "images that arrive in 20 s with the signal shown"() {
    return withPage(async (page) => {
      await page.locator("#meters").click();
      return `${await arrived(page, 20)} of the images`;
    });
  },

  async "B-scans lost while the sharpest image is looked for"() {
    const server = await Server.start();
    const talk = await Talk.start(server);
    const last = (type) => talk.messages.findLast((message) => message.type === type);
    await until("there are pictures", async () => (await get(server, "/snapshot.png")).status === 200);
    await talk.statuses(3); // it has found its rate
    const before = last("status");
    for (const ask of ['{"type":"focus","undo":false}', '{"type":"background"}', '{"type":"refine"}']) {
      talk.say(ask);
      await talk.statuses(1);
      await until(`${ask} ends`, () => !last("state").focusing);
    }
    await talk.statuses(1);
    const after = last("status");
    await server.stop();
    const lost = after.missed + after.dropped - before.missed - before.dropped;
    const rate = (after.frames - before.frames) / ((after.time - before.time) / 1000);
    return `${lost} lost, ${rate.toFixed(2)} per second`;
  },

  async "eight viewers for a minute while a recording is made"() {
    const server = await Server.start("--viewers", "9", ...BITRATE);
    const browser = await openBrowser();
    const page = await browser.visit(server.url, SMALL);
    await waitForVideo(page);
    await addViewers(page, 7);
    await until("all have pictures", async () => (await received(page)).frames.every((one) => one > 10));
    let before, after;
    const { frames, dropped, seconds } = await record(await Talk.start(server), async () => {
      before = await received(page);
      await sleep(60000);
      after = await received(page);
    });
    const made = (RATE * (after.time - before.time)) / 1000;
    // of a page that has lost its connection there is no count
    const least = after.time > before.time
      ? percent(Math.min(...after.frames.map((now, i) => (now - before.frames[i]) / made)))
      : "no known part of the images, as the page has lost its connection,";
    await browser.close();
    await server.stop();
    return `${frames} B-scans recorded in ${seconds.toFixed(1)} s, ${dropped} lost; `
      + `each viewer got ${least} at least`;
  },
};

await run(benchmarks);
