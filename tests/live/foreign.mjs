// SPDX-License-Identifier: LGPL-2.1-or-later
// Pages of others in the browser of one who may control: they see no picture
// and start nothing, though they are at another port of the same computer and
// the browser has the cookie.
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:http";

import { openBrowser, run, Server, until } from "./lib.mjs";

let browser;

// Pictures that cost little to make.
const PICTURES = ["--images",
  "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=320,height=256,framerate=10/1"];

// The page has been told how things are.
const waitForStatus = (page) => until("the page talks to oct-live", async () =>
  Number.parseFloat(await page.locator("#rate").textContent()) > 0);

// A site of somebody else: an empty page at 127.0.0.1, at another port.
async function openForeign() {
  const site = createServer((request, answer) => {
    answer.setHeader("Content-Type", "text/html");
    answer.end("<!doctype html><title>Somebody else</title><body>");
  });
  await new Promise((resolve) => { site.listen(0, "127.0.0.1", resolve); });
  site.port = site.address().port;
  return site;
}

// More paths of the kind are in test-head.c: a browser makes attempts that fail
// wait for each other.
const SOCKETS = ["/socket", "/socket/", "/socket/x", "/socket%2f", "/socket;x", "/"];

// What the page of others gets to see of oct-live at `address`.
const attack = (page, address, paths) => page.evaluate(async ([host, all]) => {
  const seen = { sockets: [], pixels: [], texts: [], images: [] };
  for (const path of all)
    await new Promise((resolve) => {
      const socket = new WebSocket(`ws://${host}${path}`);
      socket.onopen = () => {
        seen.sockets.push(path);
        socket.send(JSON.stringify({ type: "record", on: true }));
        setTimeout(() => socket.close(), 500);
      };
      socket.onmessage = ({ data }) => seen.texts.push(data);
      socket.onclose = resolve;
      setTimeout(resolve, 3000);
    });
  for (const path of ["/snapshot.png", "/stream.mjpg", "/icon.svg"])
    for (const crossOrigin of [null, "anonymous", "use-credentials"]) {
      const image = new Image();
      image.crossOrigin = crossOrigin;
      image.src = `http://${host}${path}`;
      const loaded = await new Promise((resolve) => {
        image.onload = () => resolve(true);
        image.onerror = () => resolve(false);
        setTimeout(resolve, 1500, false);
      });
      if (loaded) seen.images.push(path);
      try {
        const context = new OffscreenCanvas(8, 8).getContext("2d");
        context.drawImage(image, 0, 0);
        const { data } = context.getImageData(0, 0, 8, 8);
        if (data.some((level) => level > 0)) seen.pixels.push(path);
      } catch {
        // the canvas is closed to us
      }
      image.src = "";
    }
  for (const mode of ["cors", "no-cors", "same-origin"])
    for (const path of ["/", "/snapshot.png", "/live.js"])
      try {
        const answer = await fetch(`http://${host}${path}`, { mode, credentials: "include" });
        const text = await answer.text();
        if (text) seen.texts.push(text.slice(0, 80));
      } catch {
        // refused by the browser or by oct-live
      }
  return seen;
}, [address, paths]);

// Of a person who controls in the same browser, and of a page of others there.
async function tryFrom(server, link) {
  const site = await openForeign();
  const own = await browser.visit(link);
  await waitForStatus(own);
  const recordings = () => readdirSync(server.recordings);
  try {
    // of the same site, for which a browser sends cookies along, and of another
    for (const name of ["127.0.0.1", "localhost"]) {
      const foreign = await own.context().newPage();
      await foreign.goto(`http://${name}:${site.port}/`);
      const seen = await attack(foreign, `127.0.0.1:${server.port}`, SOCKETS);
      assert.deepEqual(seen, { sockets: [], pixels: [], texts: [], images: [] }, `from ${name}`);
      await foreign.close();
    }
    assert.deepEqual(recordings(), [], "a page of others has started a recording");
    // the own page goes on as before, and may record
    await own.locator("#record").click();
    await until("the own page records", () => recordings().length > 0);
    assert.deepEqual(own.problems, []);
  } finally {
    await own.context().close();
    site.close();
    site.closeAllConnections();
  }
  assert.equal(await server.stop(), 0);
}

const tests = {
  async "a page of others gets nothing from an oct-live for this computer"() {
    const server = await Server.start(...PICTURES);
    await tryFrom(server, server.url);
  },

  async "a page at another port gets nothing with the cookie of who controls"() {
    const server = await Server.start("--token-file", "tokens", ...PICTURES);
    const [, control] = /^control (\S+)/m.exec(readFileSync(`${server.folder}/tokens`, "utf8"));
    await tryFrom(server, `${server.url}/?token=${control}`);
  },

  async "a link for watching, opened by others, takes no control away"() {
    const server = await Server.start("--token-file", "tokens", ...PICTURES);
    const text = readFileSync(`${server.folder}/tokens`, "utf8");
    const [control, view] = ["control", "view"].map((role) => new RegExp(`^${role} (\\S+)`, "m").exec(text)[1]);
    const site = await openForeign();
    const own = await browser.visit(`${server.url}/?token=${control}`);
    await waitForStatus(own);
    const foreign = await own.context().newPage();
    await foreign.goto(`http://localhost:${site.port}/`);
    await foreign.evaluate((link) => { location.href = link; }, `${server.url}/?token=${view}`);
    await until("the link is open", async () => foreign.url().startsWith(server.url)
      && await foreign.locator("#rate").count() > 0);
    await own.reload();
    await waitForStatus(own);
    await until("it still controls", () => own.locator("#record").isEnabled());
    await own.locator("#record").click();
    await until("and records", () => readdirSync(server.recordings).length > 0);
    await own.context().close();
    site.close();
    site.closeAllConnections();
    assert.equal(await server.stop(), 0);
  },
};

browser = process.env.OCT_LIVE ? await openBrowser().catch(() => null) : null;
await run(tests);
