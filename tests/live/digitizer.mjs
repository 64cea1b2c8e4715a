// SPDX-License-Identifier: LGPL-2.1-or-later
// A digitizer as the source: its program is oct-daq-sim.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { run, Server, until } from "./lib.mjs";
import { Talk } from "./wire.mjs";

const last = (talk, type) => talk.messages.filter((message) => message.type === type).at(-1);
const SMALL = ["--lines", "64", "--bscans", "8", "--samples", "512", "--line-rate", "1280"];

// oct-daq-sim at its socket, which is there.
async function digitize(folder, ...options) {
  const socket = join(folder, "daq");
  const process_ = spawn(process.env.OCT_DAQ_SIM, [...options, socket], { stdio: "ignore" });
  const exited = new Promise((resolve) => { process_.on("close", resolve); });
  await until("the socket is there", () => existsSync(socket));
  return { socket, stop: (signal) => { process_.kill(signal); return exited; } };
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

  async "without a digitizer it ends with a sentence"() {
    await inFolder(async (folder) => {
      const process_ = spawn(process.env.OCT_LIVE, ["--port", "0", "--daq", join(folder, "none")]);
      let said = "";
      process_.stderr.on("data", (data) => { said += data; });
      const status = await new Promise((resolve) => { process_.on("close", resolve); });
      assert.equal(status, 1, said);
      assert.match(said, /^Error: Nothing answers at the socket/);
    });
  },
};

await run({}, { browser: false, together: tests });
