// SPDX-License-Identifier: LGPL-2.1-or-later
// Many viewers at once, and many one after the other.
import assert from "node:assert/strict";

import { countFrames, openBrowser, run, Server, until, waitForVideo } from "./lib.mjs";
import { addViewers, BITRATE, received, record, SMALL } from "./viewers.mjs";
import { Talk } from "./wire.mjs";

const VISITS = 100;
const AT_ONCE = 10;

const tests = {
  async "eight viewers have pictures, and a recording is complete"() {
    const server = await Server.start("--viewers", "9", ...BITRATE);
    const browser = await openBrowser();
    const page = await browser.visit(server.url, SMALL);
    await waitForVideo(page);
    await addViewers(page, 7);
    await until("all have pictures", async () => (await received(page)).frames.every((one) => one > 10));
    const talk = await Talk.start(server);
    const { frames } = await record(talk, async () => {
      const before = (await received(page)).frames;
      await until("pictures go on", async () =>
        (await received(page)).frames.every((one, i) => one > before[i] + 10));
    });
    const { viewers } = talk.messages.findLast((message) => message.type === "status");
    assert.equal(viewers, 9); // eight and this test
    await browser.close();
    assert.equal(await server.stopKeeping(), 0);
    assert.equal(await countFrames(server.recordings), frames);
    server.clear();
  },

  async "100 viewers who come and go leave nothing behind"() {
    const server = await Server.start("--viewers", "12");
    const browser = await openBrowser();
    const settle = async () => {
      await until("all have left", async () => {
        const talk = await Talk.start(server);
        await talk.statuses(2); // who has just left is counted no more
        const { viewers } = talk.messages.findLast((message) => message.type === "status");
        talk.vanish();
        return viewers === 1;
      });
      // their threads end some time after that
      await until("no thread sends to them", () => !server.threads().some((name) => /^(nice|dtls)/.test(name)));
      return server.usage();
    };
    const visits = async (rounds) => {
      for (let round = 0; round < rounds; round++) {
        const page = await browser.visit(server.url, SMALL);
        await addViewers(page, AT_ONCE - 1);
        await until("all have pictures", async () => {
          const { frames } = await received(page);
          return frames.length === AT_ONCE && frames.every((one) => one > 0);
        });
        // half say goodbye, half are gone
        if (round % 2) await page.evaluate(() => window.connections.forEach((connection) => connection.close()));
        await page.context().close();
      }
    };
    await visits(4); // caches, pools and threads that stay
    const before = await settle();
    await visits(VISITS / AT_ONCE);
    const after = await settle();
    await browser.close();
    assert.equal(await server.stop(), 0);
    const growth = Object.keys(after)
      .map((name) => `${name} ${Math.round(before[name])} to ${Math.round(after[name])}`).join(", ");
    assert.ok(after.files <= before.files + 3, growth);
    assert.ok(after.threads <= before.threads + 3, growth);
    assert.ok(after.memory < before.memory + 12, growth);
    return growth;
  },
};

await run(tests);
