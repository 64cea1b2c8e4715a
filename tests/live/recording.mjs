// SPDX-License-Identifier: LGPL-2.1-or-later
// What pages hear of a recording whose files are taken away, who may read its
// files, and what ends it.
import assert from "node:assert/strict";
import { chmodSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, unlinkSync } from "node:fs";
import { join } from "node:path";

import { assertUntroubled, countFrames, ended, run, Server, sleep, until } from "./lib.mjs";
import { get, Talk } from "./wire.mjs";

const record = (talk, on) => talk.say(JSON.stringify({ type: "record", on }));

// What was said last of the recording.
const said = (talk) => talk.messages.findLast((message) => message.recording)?.recording;

// Without any, a recording is refused.
const pictures = (talk) => talk.messages.some(({ type, frames }) => type === "status" && frames > 0);

async function begin(...options) {
  const server = await Server.start(...options);
  const talk = await Talk.start(server);
  await until("there are pictures to record", () => pictures(talk));
  record(talk, true);
  await until("it records", () => said(talk)?.active && said(talk).frames > 20);
  return { server, talk };
}

const modeOf = (path) => (statSync(path).mode & 0o777).toString(8);

const HANGING_DISK = { LD_PRELOAD: process.env.OCT_SLOW_DISK, OCT_SLOW_DISK_MS: "600000" };

// What such a disk has not taken is lost once there is no room to wait in: how
// much waits depends on how fast the B-scans come.
const waitsForDisk = (recording) =>
  recording?.active && recording.frames > 0 && recording.frames + recording.dropped > 20;

const takeAway = {
  "a part deleted": (folder) => unlinkSync(join(folder, readdirSync(folder)[0])),
  "a part moved": (folder) => renameSync(join(folder, readdirSync(folder)[0]), `${folder}-first.mkv`),
  "the folder deleted": (folder) => rmSync(folder, { recursive: true }),
  "the folder moved": (folder) => renameSync(folder, `${folder}-elsewhere`),
};

const kept = (talk) => talk.messages.findLast((message) => message.kept?.sentence)?.kept;

// None of them is about pictures that are lost in time.
const together = {
  async "the last seconds are kept while nobody watches, and while it records"() {
    const server = await Server.start("--keep-seconds", "2");
    const talk = await Talk.start(server);
    const keep = async () => {
      const before = kept(talk)?.sentence;
      talk.say(JSON.stringify({ type: "keep" }));
      await until("it is kept", () => kept(talk) && kept(talk).sentence !== before);
      assert.ok(!kept(talk).failed, kept(talk).sentence);
      return /^Kept the last (\d+) s: (kept-\d{8}-\d{6}(-\d+)?\.mkv)\.$/.exec(kept(talk).sentence);
    };
    await until("some seconds have gone by", () => said(talk)
      && talk.messages.findLast(({ type }) => type === "status")?.frames > 200);
    const [, seconds, first] = await keep();
    assert.ok(Number(seconds) >= 2, seconds);
    record(talk, true);
    await until("it records", () => said(talk)?.active && said(talk).frames > 20);
    const [, , second] = await keep();
    assert.notEqual(first, second);
    assert.ok(said(talk).active);
    record(talk, false);
    await until("it is finished", () => !said(talk).active && !said(talk).finishing);
    const files = readdirSync(server.recordings).filter((name) => /^kept-.*mkv$/.test(name));
    assert.deepEqual(files.sort(), [first, second].sort());
    for (const name of files) {
      assert.equal(modeOf(join(server.recordings, name)), "600");
      mkdirSync(join(server.recordings, `${name}.alone`));
      renameSync(join(server.recordings, name), join(server.recordings, `${name}.alone`, name));
      assert.ok(await countFrames(join(server.recordings, `${name}.alone`)) > 0);
    }
    assert.equal(await server.stop(), 0);
  },

  async "spectra are kept beside the video, with their calibration and the case"() {
    const server = await Server.start("--keep-seconds", "2", "--keep-memory", "100");
    const talk = await Talk.start(server);
    await until("some seconds have gone by", () =>
      talk.messages.findLast(({ type }) => type === "status")?.frames > 100);
    talk.say(JSON.stringify({ type: "label", text: "Phantom 7", side: "left", shown: false }));
    talk.say(JSON.stringify({ type: "keep" }));
    await until("it is kept", () => /mkv\. Kept the last \d+ s of spectra: kept-spectra-.*\.oct\.$/.test(kept(talk)?.sentence));
    assert.ok(!kept(talk).failed, kept(talk).sentence);
    const [, name] = / (kept-spectra-.*)\.oct\.$/.exec(kept(talk).sentence);
    const text = readFileSync(join(server.recordings, `${name}.txt`), "utf8");
    const [, count] = /, (\d+) B-scans\nCase: Phantom 7.*left\n$/i.exec(text) ?? assert.fail(text);
    const recording = readFileSync(join(server.recordings, `${name}.oct`), "utf8");
    assert.match(recording, /^\[calibration\]$/m);
    const [samples, lines] = ["samples", "lines"].map((key) => Number(new RegExp(`^${key}=(\\d+)$`, "m").exec(recording)[1]));
    const bytes = readdirSync(server.recordings).filter((file) => file.startsWith(name) && file.endsWith(".raw"))
      .reduce((sum, file) => sum + statSync(join(server.recordings, file)).size, 0);
    assert.equal(bytes, Number(count) * samples * lines * 2);
    assert.equal(await server.stop(), 0);
  },

  async "a moment that cannot be kept is told, and what was asked for is finished"() {
    const server = await Server.start("--keep-seconds", "2");
    const talk = await Talk.start(server);
    await until("there are pictures of the encoder", () =>
      talk.messages.findLast(({ type }) => type === "status")?.frames > 60);
    rmSync(server.recordings, { recursive: true });
    talk.say(JSON.stringify({ type: "keep" }));
    await until("it is told", () => kept(talk)?.failed && /could not be kept in .*: /.test(kept(talk).sentence));
    assert.match(server.output, /^Error: The last seconds could not be kept/m);
    mkdirSync(server.recordings);
    talk.say(JSON.stringify({ type: "keep" }));
    await until("it has begun", () => readdirSync(server.recordings).length > 0);
    assert.equal(await server.stopKeeping(), 1); // as one was lost
    const [name, text] = readdirSync(server.recordings).sort();
    assert.match(name, /^kept-[\d-]+\.mkv$/);
    assert.equal(text, name.replace("mkv", "txt"));
    assert.ok(await countFrames(server.recordings) > 0);
    server.clear();
  },

  async "a disk that hangs holds up the end until the second Ctrl-C"() {
    const server = await Server.startWith(HANGING_DISK);
    const talk = await Talk.start(server);
    await until("there are pictures to record", () => pictures(talk));
    record(talk, true);
    await until("it records", () => waitsForDisk(said(talk)));
    server.process.kill("SIGINT");
    await sleep(50);
    server.process.kill("SIGINT"); // the same one, passed on
    await until("it is said", () => /has not taken the recording.*Ctrl-C once more/.test(server.output));
    assert.equal(server.process.exitCode, null);
    assert.equal(await server.stop(), 130);
    assert.match(server.output, /Ended at once by the second Ctrl-C/);
  },

  async "after a closed terminal one Ctrl-C is enough for a disk that hangs"() {
    const server = await Server.startWith(HANGING_DISK);
    const talk = await Talk.start(server);
    await until("there are pictures to record", () => pictures(talk));
    record(talk, true);
    await until("it records", () => waitsForDisk(said(talk)));
    server.process.kill("SIGHUP");
    await until("it is said", () => /has not taken the recording.*Ctrl-C once more/.test(server.output));
    assert.equal(server.process.exitCode, null);
    assert.equal(await server.stop(), 130);
  },

  async "nobody else can read a recording, unless it is asked for"() {
    for (const [options, file, folder] of [[[], "600", "700"], [["--mode", "0640"], "640", "750"]]) {
      const { server } = await begin(...options);
      assert.equal(await server.stopKeeping(), 0);
      assert.equal(modeOf(server.recordings), folder);
      for (const name of readdirSync(server.recordings))
        assert.equal(modeOf(join(server.recordings, name)), file, name);
      server.clear();
    }
  },

  async "a folder that others can look into is left as it is, and a note says so"() {
    const server = await Server.start();
    const open = join(server.folder, "open");
    mkdirSync(open);
    chmodSync(open, 0o755);
    await server.stopKeeping();
    const again = await Server.start("--record", open);
    assert.match(again.output, /Note: other users .* names of the files/);
    assert.equal(await again.stop(), 0);
    assert.equal(modeOf(open), "755");
    server.clear();
  },

  async "a terminal that is closed ends it as Ctrl-C does"() {
    const { server } = await begin();
    server.process.kill("SIGHUP");
    await sleep(20);
    server.process.kill("SIGHUP");
    const status = await ended(server.exited);
    assert.equal(status, 0);
    assert.ok(await countFrames(server.recordings) > 20);
    server.clear();
  },

  async "who reads what it prints may go away"() {
    const { server, talk } = await begin();
    server.process.stdout.destroy();
    server.process.stderr.destroy();
    record(talk, false);
    await until("it has ended", () => !said(talk).active && !said(talk).finishing);
    assert.equal((await get(server, "/")).status, 200);
    assert.equal(await server.stop(), 0);
  },
};

for (const [how, take] of Object.entries(takeAway))
  together[`${how}: it is said at once, recording goes on, the count is right`] = async () => {
    const { server, talk } = await begin();
    assertUntroubled(said(talk));
    take(server.recordings);
    await until("it is said", () => /goes on in a new part/.test(said(talk).message));
    assert.ok(said(talk).active);
    const { frames } = said(talk);
    await until("it records", () => said(talk).frames > frames + 30);
    record(talk, false);
    await until("it has ended", () => !said(talk).active && !said(talk).finishing);
    assert.match(said(talk).message, /gone/);
    assert.ok(said(talk).dropped > 10, `${said(talk).dropped} lost`);
    assert.equal(await countFrames(server.recordings), said(talk).frames);
    // and the next one is as if nothing had been
    record(talk, true);
    await until("it records again", () => said(talk).active && said(talk).frames > 5);
    assertUntroubled(said(talk));
    assert.match(server.output, /^Error of a recording: .*goes on in a new part/m);
    // as record.sh does: something is lost
    assert.equal(await server.stop(), 1);
  };

await run({}, { browser: false, together });
