// SPDX-License-Identifier: LGPL-2.1-or-later
// A day in the operating room, for hours, by hand: OCT_DAY_HOURS=2 day.sh BUILD.
// A digitizer's program (oct-daq-sim) that stalls, crashes and comes back; eight
// viewers who come and go; recordings one after the other, moments that are kept,
// views that change.  Prints a row a minute of what oct-live uses, and at the end
// what grew; every count that was said is compared with a decoder's.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { countFrames, median, openBrowser, run, Server, sleep, until, waitForVideo } from "./lib.mjs";
import { addViewers, BITRATE, SMALL } from "./viewers.mjs";
import { Talk } from "./wire.mjs";

const HOURS = Number(process.env.OCT_DAY_HOURS ?? 2);
const MINUTE = 60 * 1000;
const SHOWN = ["volume", "planes", "enface", "bscan"];
// What may grow in the second half of the day: a page of cache, not a leak.  MB.
const GROWTH = 24;

// The program of a digitizer: 20 B-scans/s, and A-lines that are lost.
class Digitizer {
  constructor(folder) {
    this.socket = join(folder, "daq");
    this.start();
  }

  start() {
    this.process = spawn(process.env.OCT_DAQ_SIM, ["--samples", "1024", "--lines", "256", "--bscans", "64",
      "--line-rate", "5120", "--loop", "64", "--lose", "0.001", this.socket], { stdio: "ignore" });
  }

  async stall(milliseconds) {
    this.process.kill("SIGSTOP");
    await sleep(milliseconds);
    this.process.kill("SIGCONT");
  }

  async crash() {
    const gone = new Promise((resolve) => { this.process.on("close", resolve); });
    this.process.kill("SIGKILL");
    await gone;
    await sleep(5000);
    this.start();
  }
}

// A conversation that a busy machine has cut off is begun again, as a page does.
async function listen(day, server) {
  if (!day.talk || day.talk.socket.destroyed || day.talk.closed !== undefined) {
    day.talk = await Talk.start(server);
    day.talks++;
    await until("oct-live talks", () => day.talk.has("status"));
  }
  return day.talk;
}

const last = (talk, test) => talk.messages.findLast(test);
const recording = (talk) => last(talk, (message) => message.recording)?.recording;
const kept = (talk) => last(talk, (message) => message.kept?.sentence)?.kept;
const say = (talk, message) => talk.say(JSON.stringify(message));

// Frames of this file, which is moved away for it and then deleted.
async function countAlone(folder, name) {
  const alone = mkdtempSync(join(folder, "alone-"));
  for (const file of readdirSync(folder).filter((other) => other.startsWith(name)))
    renameSync(join(folder, file), join(alone, file));
  const frames = await countFrames(alone, 3600); // of ten minutes, beside other work
  rmSync(alone, { recursive: true });
  return frames;
}

async function keep(talk, server, day) {
  const nameIn = (said) => /(kept-[\d-]+)\.mkv\..* kept-spectra-/.exec(said?.sentence)?.[1];
  const before = nameIn(kept(talk));
  say(talk, { type: "keep" });
  const name = await until("it is kept", () => {
    assert.ok(!kept(talk)?.failed, kept(talk)?.sentence);
    return nameIn(kept(talk)) !== before && nameIn(kept(talk));
  });
  const [, count] = /, (\d+) images$/m.exec(readFileSync(join(server.recordings, `${name}.txt`), "utf8"));
  assert.equal(await countAlone(server.recordings, name), Number(count), name);
  for (const file of readdirSync(server.recordings).filter((other) => other.startsWith("kept-spectra-")))
    rmSync(join(server.recordings, file));
  day.kept++;
}

async function endRecording(talk, server, day) {
  say(talk, { type: "record", on: false });
  const said = await until("the recording is finished", () => {
    const { active, finishing } = recording(talk);
    return !active && !finishing && recording(talk);
  });
  assert.equal(await countAlone(server.recordings, said.name), said.frames, said.name);
  day.recordings++;
  day.frames += said.frames;
  day.dropped += said.dropped;
}

async function beginRecording(talk) {
  const before = recording(talk)?.name;
  say(talk, { type: "record", on: true });
  await until("it records", () => recording(talk)?.active && recording(talk).name !== before);
}

// What happens in a minute, all but the digitizer's troubles.
async function spendMinute(minute, talk, server, day) {
  say(talk, { type: "look", show: SHOWN[minute % SHOWN.length] });
  if (minute % 3 === 1) await keep(talk, server, day);
  if (minute % 10 === 9) {
    await endRecording(talk, server, day);
    // its count took minutes
    await beginRecording(await listen(day, server));
  }
}

// How much more it is in the last quarter than in the quarter after the half, as
// medians.
const growth = (rows, name) => {
  const part = (from, to) => median(rows.slice(Math.floor(rows.length * from), Math.ceil(rows.length * to))
    .map((row) => row[name]));
  return part(0.75, 1) - part(0.5, 0.75);
};

async function spendDay(server, digitizer, browser) {
  const day = { kept: 0, recordings: 0, frames: 0, dropped: 0, talks: 0, rows: [] };
  let talk = await listen(day, server);
  const end = performance.now() + HOURS * 60 * MINUTE;
  let page = await browser.visit(server.url, SMALL);
  await waitForVideo(page);
  await addViewers(page, 7);
  await beginRecording(talk);
  for (let minute = 0; performance.now() < end; minute++) {
    const next = performance.now() + MINUTE;
    talk = await listen(day, server);
    await spendMinute(minute, talk, server, day);
    if (minute % 7 === 3) await digitizer.stall(8000);
    if (minute % 15 === 6) await digitizer.crash();
    if (minute % 20 === 12) { // all leave, others come
      await page.context().close();
      page = await browser.visit(server.url, SMALL);
      await waitForVideo(page);
      await addViewers(page, 7);
    }
    const { frames } = last(talk, ({ type }) => type === "status");
    day.rows.push({ minute, ...server.usage(), shown: frames });
    const row = day.rows.at(-1);
    console.log(`# ${minute} min: ${row.memory.toFixed(1)} MB, ${row.files} files, ${row.threads} threads, `
      + `${frames} B-scans shown, ${day.kept} kept, ${day.recordings} recordings`);
    talk.messages.splice(0, talk.messages.length - 200);
    if (performance.now() < next) await sleep(next - performance.now());
  }
  await endRecording(await listen(day, server), server, day);
  await page.context().close();
  return day;
}

const tests = {
  async "nothing grows in a day, and every count is a decoder's"() {
    const folder = mkdtempSync(join(tmpdir(), "oct-day-"));
    mkdirSync(join(folder, "recordings"));
    const digitizer = new Digitizer(folder);
    const server = await Server.start("--source", `octdaqsrc socket=${digitizer.socket} timeout=60000`,
      "--keep-seconds", "10", "--keep-memory", "64", "--viewers", "12", ...BITRATE);
    const browser = await openBrowser();
    try {
      const day = await spendDay(server, digitizer, browser);
      const grown = Object.fromEntries(["memory", "files", "threads"].map((name) => [name, growth(day.rows, name)]));
      const said = `${day.kept} kept, ${day.recordings} recordings of ${day.frames} B-scans (${day.dropped} dropped), `
        + `second half: ${grown.memory.toFixed(1)} MB, ${grown.files} files, ${grown.threads} threads more`;
      assert.ok(grown.memory < GROWTH && grown.files <= 3 && grown.threads <= 3, said);
      assert.equal(await server.stopKeeping(), 0, server.output);
      return said;
    } finally {
      digitizer.process.kill("SIGKILL");
      await browser.close();
      rmSync(folder, { recursive: true });
    }
  },
};

await run(tests);
