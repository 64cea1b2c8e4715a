// SPDX-License-Identifier: LGPL-2.1-or-later
// H.264 over the WebSocket, for the decoder of the browser.
import assert from "node:assert/strict";

import { look, mean, openBrowser, run, Server, until } from "./lib.mjs";
import { Talk } from "./wire.mjs";

let browser;

// Reads units: { number, key }.
class Watcher extends Talk {
  take(kind, payload) {
    super.take(kind, payload);
    if (kind === 2) (this.units ??= []).push({ number: payload.readUInt32LE(8), key: payload[12] === 1 });
  }
}

const tests = {
  async "the page decodes the video, which shows the image"() {
    const server = await Server.start();
    const page = await browser.visit(`${server.url}/?media=webcodecs`);
    await until("pictures come", async () => await page.locator("#media").textContent() === "WebCodecs"
      && Number.parseFloat(await page.locator("#rate").textContent()) > 0
      && Number.parseFloat(await page.locator("#delay").textContent()) >= 0);
    const shown = await look(page, "#jpeg");
    await page.click("#freeze");
    await until("the picture is held", () => page.locator("#still").isVisible());
    const still = await look(page, "#still");
    assert.equal(shown.width, still.width);
    assert.ok(Math.abs(mean(shown.levels) - mean(still.levels)) < 4, "the same grey levels");
    assert.deepEqual(page.problems, []);
    assert.equal(await server.stop(), 0);
  },

  async "a page that does not decode gets a bounded number of units, and goes on with a key frame"() {
    const server = await Server.start();
    const talk = await Watcher.start(server);
    talk.say('{"type":"watch","media":"webcodecs"}');
    await until("units come", () => talk.units?.length >= 30);
    await talk.statuses(3);
    assert.equal(talk.units.length, 30);
    assert.ok(talk.units[0].key);
    assert.deepEqual(talk.units.map(({ number }) => number), Array.from({ length: 30 }, (_, i) => i + 1));
    talk.say('{"type":"decoded","number":1000}');
    await talk.statuses(2);
    assert.equal(talk.units.length, 30, "no unit can be decoded before it was sent");
    talk.say('{"type":"decoded","number":30}');
    await until("units come again", () => talk.units.length > 30);
    assert.ok(talk.units[30].key);
    assert.equal(talk.units[30].number, 31);
    assert.equal(await server.stop(), 0);
  },
};

browser = await openBrowser();
await run({}, { together: tests });
