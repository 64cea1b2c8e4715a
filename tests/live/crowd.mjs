// SPDX-License-Identifier: LGPL-2.1-or-later
// Many viewers at once, and many one after the other.
import assert from "node:assert/strict";

import { countFrames, decoded, openBrowser, run, Server, sleep, until, waitForVideo } from "./lib.mjs";
import { Talk } from "./wire.mjs";

const SMALL = { viewport: { width: 320, height: 240 } };
const VISITS = 200;
const AT_ONCE = 4;

// One minute of eight viewers: what was recorded, and the smallest part of the
// images that a viewer got.
async function minute() {
  const server = await Server.start("--viewers", "9");
  const browser = await openBrowser({ niced: true });
  const pages = await Promise.all(Array.from({ length: 8 }, () => browser.visit(server.url, SMALL)));
  await Promise.all(pages.map(waitForVideo));
  const talk = await Talk.start(server);
  talk.say(JSON.stringify({ type: "record", on: true }));
  const recording = () => talk.messages.findLast((message) => message.recording)?.recording;
  await until("it records", () => recording()?.active && recording().frames > 0);
  const before = await Promise.all(pages.map(decoded));
  await sleep(60000);
  const after = await Promise.all(pages.map(decoded));
  talk.say(JSON.stringify({ type: "record", on: false }));
  await until("the recording is finished", () => !recording().active && !recording().finishing, 30);
  const { frames, dropped, seconds } = recording();
  const got = Math.min(...after.map((now, i) =>
    (now.received - before[i].received) / ((30 * (now.time - before[i].time)) / 1000)));
  await browser.close();
  assert.equal(await server.stopKeeping(), 0);
  assert.equal(countFrames(server.recordings), frames);
  server.clear();
  return { frames, dropped, seconds, got };
}

const tests = {
  async "eight viewers for a minute, the recording is complete"() {
    const complete = ({ frames, dropped, seconds, got }) =>
      dropped === 0 && seconds > 58 && frames > 0.99 * 30 * seconds && got > 0.97;
    const turns = [];
    // other work on the machine may take one of the turns
    do turns.push(await minute());
    while (!complete(turns.at(-1)) && turns.length < 3);
    const said = turns.map(({ frames, dropped, seconds, got }) =>
      `${frames} B-scans in ${seconds.toFixed(1)} s, ${dropped} lost; viewers got ${(100 * got).toFixed(1)} % at least`)
      .join("; then ");
    assert.ok(complete(turns.at(-1)), said);
    return said;
  },

  async "200 viewers who come and go leave nothing behind"() {
    const server = await Server.start();
    const browser = await openBrowser();
    let left = VISITS, used = null;
    const settle = async () => {
      await until("all have left", async () => {
        const talk = await Talk.start(server);
        await until("a status", () => talk.has("status"));
        const { viewers } = talk.messages.find((message) => message.type === "status");
        talk.vanish();
        return viewers === 1;
      }, 30);
      await sleep(1500);
      return server.usage();
    };
    const visit = async () => {
      const page = await browser.visit(server.url, SMALL);
      await until("video plays", async () => (await decoded(page)).frames > 0, 30);
      // half say goodbye, half are gone
      if (left % 2) await page.evaluate(() => window.connections.forEach((connection) => connection.close()));
      await page.context().close();
    };
    const visits = async (count) => {
      const end = left - count;
      await Promise.all(Array.from({ length: AT_ONCE }, async () => {
        while (left > end) {
          left--;
          await visit();
        }
      }));
    };
    await visits(40); // caches, pools and threads that stay
    used = await settle();
    await visits(VISITS - 40);
    const now = await settle();
    await browser.close();
    assert.equal(await server.stop(), 0);
    const growth = Object.keys(now).map((name) => `${name} ${Math.round(used[name])} to ${Math.round(now[name])}`);
    assert.ok(now.files <= used.files + 3, growth.join(", "));
    assert.ok(now.threads <= used.threads + 3, growth.join(", "));
    assert.ok(now.memory < used.memory + 25, growth.join(", "));
    return growth.join(", ");
  },
};

await run(tests);
