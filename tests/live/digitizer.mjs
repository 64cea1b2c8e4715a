// SPDX-License-Identifier: LGPL-2.1-or-later
// A digitizer as the source: its program is oct-daq-sim.
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { ended, openBrowser, run, Server, until } from "./lib.mjs";
import { Talk } from "./wire.mjs";

let browser;

const last = (talk, type) => talk.messages.filter((message) => message.type === type).at(-1);
const SMALL = ["--lines", "64", "--bscans", "8", "--samples", "512", "--line-rate", "1280"];

// oct-daq-sim at its socket, which is there.
async function digitize(folder, ...options) {
  const socket = join(folder, "daq");
  const daq = spawn(process.env.OCT_DAQ_SIM, [...options, socket], { stdio: "ignore" });
  const exited = new Promise((resolve) => { daq.on("close", resolve); });
  await until("the socket is there", () => existsSync(socket));
  return { socket, ended: exited, stop: (signal) => { daq.kill(signal); return exited; } };
}

const isClose = (value, right) => Math.abs(value - right) < 0.05 * right;

// An oct-live that does not begin: its status, and its errors.
async function tell(...options) {
  const program = spawn(process.env.OCT_LIVE, ["--port", "0", ...options]);
  let text = "";
  program.stderr.on("data", (data) => { text += data; });
  const status = await ended(new Promise((resolve) => { program.on("close", resolve); }));
  return { status, text };
}

async function inFolder(action) {
  const folder = mkdtempSync(join(tmpdir(), "oct-daq-"));
  try {
    await action(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const tests = {
  async "a digitizer with a k-clock: sizes of its ring, lost A-lines, a program that dies and comes back"() {
    await inFolder(async (folder) => {
      const first = await digitize(folder, ...SMALL, "--k-clock", "--lose", "0.2");
      const server = await Server.start("--daq", first.socket);
      try {
        const talk = await Talk.start(server);
        await until("B-scans of the ring are shown", () => {
          const status = last(talk, "status");
          return status?.lines === 64 && status.depths === 256 && status.lostLines > 0;
        });
        await until("they are of volumes", () => last(talk, "look").bscans === 8);
        await first.stop("SIGKILL");
        await until("it is told", () => /has ended without closing its ring/.test(server.output));
        const { frames } = last(talk, "status");
        // one without a clock
        const second = await digitize(folder, ...SMALL);
        await until("pictures go on", () => last(talk, "status").frames > frames + 10);
        assert.equal(await server.stopKeeping(), 0);
        await second.stop("SIGTERM");
      } finally {
        server.clear();
        await first.stop("SIGKILL");
      }
    });
  },

  async "the virtual system along a spiral: a raster of the size that was asked for, moved and turned or not"() {
    for (const more of [[], ["--centre-um", "300,-200", "--angle", "30"]]) {
      const server = await Server.start("--scan", "spiral", "--size-um", "4000", "--lines", "40", "--bscans", "40",
        ...more);
      const talk = await Talk.start(server);
      const look = await until("the raster is known", () => {
        const seen = last(talk, "look");
        return seen?.bscans > 1 && last(talk, "status")?.frames > 0 && seen;
      });
      assert.ok(isClose(look.sizeX, 4e-3) && isClose(look.sizeY, 4e-3), JSON.stringify(look));
      // as many pixels within the circle as A-lines: 4 / pi of them in the square about it
      const side = 40 * Math.sqrt(4 / Math.PI);
      assert.ok(Math.abs(look.bscans - side) <= 2 && Math.abs(last(talk, "status").lines - side) <= 2,
        `${look.bscans} x ${last(talk, "status").lines}`);
      assert.equal(last(talk, "state").fill, "off");
      talk.say(JSON.stringify({ type: "look", show: "enface" }));
      await until("the volume is shown from above", () => last(talk, "look").picture.width > 0);
      assert.equal(await server.stop(), 0);
    }
  },

  async "a scanner and a digitizer: the voltages go through a pipe, the places come back"() {
    await inFolder(async (folder) => {
      const volts = join(folder, "volts");
      execFileSync("mkfifo", [volts]);
      const daq = await digitize(folder, ...SMALL, "--line-rate", "0", "--bscans", "64", "--volts", volts,
        "--volts-rate", "20000", "--k-clock", "--lose", "0.05");
      const server = await Server.start("--daq", daq.socket, "--scan", "lissajous", "--size-um", "4000x3000",
        "--scan-rate", "20000", "--scanner", "gate=true", "--scan-sink",
        `audio/x-raw,format=F64LE ! filesink buffer-mode=unbuffered location=${volts}`);
      const talk = await Talk.start(server);
      const look = await until("the raster is known", () => {
        const seen = last(talk, "look");
        return seen?.bscans > 8 && last(talk, "status")?.frames > 0 && seen;
      });
      assert.ok(isClose(look.sizeX, 4e-3) && isClose(look.sizeY, 3e-3), JSON.stringify(look));
      await until("lost A-lines are told", () => last(talk, "status").lostLines > 0);
      assert.equal(last(talk, "state").backgroundMode, "fixed-pattern-scaled");
      assert.equal(await server.stop(), 0);
      // the beam was taken to rest, and the pipe closed
      assert.equal(await daq.ended, 0);
    });
  },

  async "scans that are not possible end with a sentence"() {
    for (const [options, said] of [
      [["--scan", "spiral", "--size-um", "15000"], /limit-amplitude-x.*smaller scan/],
      [["--scan", "spiral", "--scanner", "limit-velocity-x=100"], /limit-velocity-x.*--scan-rate/],
      [["--scan", "spiral", "--scanner", "nonsense=1"], /--scanner.*nonsense/],
      [["--scan", "circle"], /--scan is raster/], [["--scan", "spiral", "--size-um", "0"], /--size-um is/],
      [["--scan", "spiral", "--size-um", "1x2x3"], /--size-um is/],
      [["--scan", "spiral", "--size-um", "nan"], /--size-um is/],
      [["--scan", "spiral", "--centre-um", "1"], /--centre-um is/],
      [["--scan", "spiral", "--scan-rate", "0.5"], /--scan-rate is/],
      [["--scan", "spiral", "--angle", "400"], /--angle is/],
      [["--angle", "3"], /belong to --scan/], [["--angle", "0"], /belong to --scan/], [["--scan", "spiral", "--flow"], /each place once/],
      [["--scan", "spiral", "--data", "x.raw"], /leave out --data/],
      [["--scan", "spiral", "--width-um", "300"], /its size from --size-um/]]) {
      const { status, text } = await tell(...options);
      assert.ok(status === 1 || status === 2, `${options}: ${status}`);
      assert.match(text, said);
      assert.equal(text.trim().split("\n").length, 1, text);
    }
  },

  async "without a digitizer it ends with a sentence"() {
    await inFolder(async (folder) => {
      const { status, text } = await tell("--daq", join(folder, "none"));
      assert.equal(status, 1, text);
      assert.match(text, /^Error: Nothing answers at the socket/);
    });
  },
};

const pages = {
  async "the page shows the A-lines that are lost, if there are some"() {
    await inFolder(async (folder) => {
      const daq = await digitize(folder, ...SMALL, "--lose", "0.3");
      const server = await Server.start("--daq", daq.socket);
      const page = await browser.visit(server.url);
      await until("they are shown", async () => await page.locator("#lost-lines").isVisible()
        && Number(await page.locator("#lost-lines").textContent()) > 0);
      assert.equal(await server.stop(), 0);
      await daq.stop("SIGTERM");
      const other = await Server.start();
      const talk = await Talk.start(other);
      const alone = await browser.visit(other.url);
      await until("pictures come", () => last(talk, "status")?.frames > 5);
      assert.ok(await alone.locator("#lost-lines").isHidden());
      assert.deepEqual(alone.problems, []);
      assert.equal(await other.stop(), 0);
    });
  },
};

browser = await openBrowser().catch(() => null);
await run(pages, { together: tests });
