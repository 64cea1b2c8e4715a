// SPDX-License-Identifier: LGPL-2.1-or-later
// Neither the wishes of a page nor its source end oct-live, or a recording that
// could go on.
import assert from "node:assert/strict";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Camera } from "./camera.mjs";
import { assertUntroubled, countFrames, ended, run, Server, sleep, until } from "./lib.mjs";
import { get, open, Talk } from "./wire.mjs";

const last = (talk, type) => talk.messages.filter((message) => message.type === type).at(-1);
const set = (talk, settings) => talk.say(JSON.stringify({ type: "set", ...settings }));
const record = (talk, on) => talk.say(JSON.stringify({ type: "record", on }));
const frames = (talk) => last(talk, "status").frames;
const problems = (talk) => talk.messages.filter(({ type }) => type === "problem").map(({ message }) => message);

async function start(...options) {
  const server = await Server.start(...options);
  const talk = await Talk.start(server);
  await until("pictures come", () => last(talk, "status")?.frames > 0);
  return { server, talk };
}

// In use, not only wished for.
const uses = (talk, method) => {
  const state = last(talk, "state");
  return state.method === method && !state.changing;
};

async function picturesGoOn(talk, count = 3) {
  const before = frames(talk);
  await until("pictures go on", () => frames(talk) >= before + count);
}

async function startRecording(talk) {
  record(talk, true);
  await until("it records", () => last(talk, "status").recording.active);
}

// Gives what was said and what a decoder finds.
async function stopRecording(server, talk) {
  record(talk, false);
  const said = await until("it is finished", () => {
    const { recording } = last(talk, "status");
    return !recording.active && !recording.finishing && recording;
  });
  assertUntroubled(said);
  assert.equal(await countFrames(server.recordings), said.frames);
  return said;
}

const SMALL = ["--source", "octsrc is-live=true samples=256 lines=64 bscans=1 line-rate=1920"];
const LARGE = ["--source", "octsrc is-live=true samples=2048 lines=1000 bscans=1 line-rate=5000"];
const METHODS = ["linear", "nufft", "lanczos", "cubic"];

// All of them wait, for a source or for its end.
const together = {
  async "changes of the method in a burst: all goes on, the last one counts"() {
    const { server, talk } = await start(...SMALL);
    await startRecording(talk);
    for (const count of [2, 3, 50]) {
      for (let i = 0; i < count; i++) set(talk, { method: METHODS[i % 4], a2: i });
      const method = METHODS[(count - 1) % 4];
      await until(`${method} is in use`, () => uses(talk, method) && last(talk, "state").a2 === count - 1);
      await picturesGoOn(talk);
      await talk.statuses(2);
    }
    assert.deepEqual(problems(talk), []);
    assert.ok(last(talk, "status").recording.active);
    const said = await stopRecording(server, talk);
    assert.equal(await server.stop(), 0);
    return `${said.frames} B-scans, ${said.dropped} lost`;
  },

  async "an arrow key held in the list, with large B-scans"() {
    const { server, talk } = await start(...LARGE);
    const all = talk.messages[0].methods.map(({ id }) => id);
    assert.ok(all.includes("cs") && all.includes("nudft"), all.join());
    await startRecording(talk);
    for (let i = 0; i < 90; i++) {
      set(talk, { method: i === 89 ? "linear" : all[i % all.length] });
      await sleep(33);
    }
    await until("the last wish is in use", () => uses(talk, "linear"));
    await picturesGoOn(talk);
    assert.deepEqual(problems(talk), []);
    assert.ok(last(talk, "status").recording.active);
    await stopRecording(server, talk);
    assert.equal(await server.stop(), 0);
  },

  async "every method gives a picture of the same size"() {
    const { server, talk } = await start(...SMALL);
    const { lines, depths } = await until("the size is known", () =>
      last(talk, "status").depths > 0 && last(talk, "status"));
    assert.deepEqual([lines, depths], [64, 128]);
    for (const { id } of talk.messages[0].methods) {
      set(talk, { method: id });
      await until(`${id} is in use`, () => uses(talk, id));
      await picturesGoOn(talk);
      assert.deepEqual([last(talk, "status").lines, last(talk, "status").depths], [64, 128], id);
    }
    assert.deepEqual(problems(talk), []);
    await server.stop();
  },

  async "a source that is cut off comes back by itself"() {
    const camera = await Camera.start();
    const { server, talk } = await start(...camera.options);
    for (let turn = 0; turn < 2; turn++) {
      await startRecording(talk);
      await picturesGoOn(talk, 30);
      const { time } = last(talk, "status");
      const before = countFiles(server);
      await camera.unplug();
      const state = await until("it is said", () => last(talk, "state").trouble && last(talk, "state"));
      assert.match(state.trouble, /source of the pictures has (ended|failed).*tried again/);
      const said = await until("the recording is closed", () => {
        const { recording } = last(talk, "status");
        return !recording.active && !recording.finishing && recording;
      });
      assert.match(said.message, /recording bscans-.* was ended.*kept/);
      assert.ok(said.frames >= 30);
      assert.equal((await get(server, "/snapshot.png")).status, 503);
      record(talk, true);
      await until("none is begun", () => problems(talk).some((text) => /no pictures to record/.test(text)));
      assert.equal(countFiles(server), before);
      await talk.statuses(4);
      assert.equal(server.process.exitCode, null);
      assert.equal(last(talk, "status").rate, 0);
      await camera.plug();
      await until("all is well again", () => last(talk, "state").trouble === "");
      await picturesGoOn(talk, 10);
      // time goes on, and a recording is not begun by itself
      assert.ok(last(talk, "status").time > time);
      assert.equal(last(talk, "status").recording.active, false);
      await until("there are snapshots", async () => (await get(server, "/snapshot.png")).status === 200);
    }
    assert.equal(await server.stop(), 0);
    await camera.stop();
    assert.match(server.output, /tried again[^]*coming again/);
  },

  async "a calibration that was fetched can be fetched again after a recording was ended"() {
    const camera = await Camera.start();
    const calibration = join("/tmp", `oct-live-test-${process.pid}-camera.csv`);
    // 24 A-lines of 64 samples are as many bytes as its images
    writeFileSync(calibration, `wavelength_nm\n${Array.from({ length: 64 }, (_, i) => 800 + i).join("\n")}\n`);
    const { server, talk } = await start("--calibration", calibration, "--source",
      `tcpclientsrc host=${camera.host} port=${camera.port} do-timestamp=true ! `
      + "rawvideoparse width=64 height=24 format=gray16-le framerate=25/1");
    const fetched = await get(server, "/calibration.csv");
    assert.equal(fetched.status, 200);
    await startRecording(talk);
    await camera.unplug();
    await until("the recording was ended", () => /was ended.*kept/.test(last(talk, "status").recording.message));
    await camera.plug();
    // ... by which it was made anew, once a second
    const again = await until("it is there again", async () => {
      const answer = await get(server, "/calibration.csv");
      assert.ok([200, 503].includes(answer.status), String(answer.status));
      return answer.status === 200 && answer;
    });
    const withoutTime = ({ body }) => body.replace(/^#.*\n/, ""); // its first line says when
    assert.equal(withoutTime(again), withoutTime(fetched));
    assert.equal(await server.stop(), 0);
    await camera.stop();
    rmSync(calibration);
  },

  async "a source that hangs is told, and a recording that goes on says so"() {
    const camera = await Camera.start();
    const { server, talk } = await start(...camera.options);
    await startRecording(talk);
    await picturesGoOn(talk, 30);
    camera.hangs = true;
    await until("it is told", () => /^No new pictures have come.*no error/m.test(server.output));
    assert.equal(last(talk, "state").trouble, "");
    assert.ok(last(talk, "status").recording.active);
    camera.hangs = false;
    await until("that they come again is told", () => /^Pictures are coming again/m.test(server.output));
    const said = /recording bscans-\S+ has a gap of \d+\.\d s/;
    await until("the page says it", () => said.test(last(talk, "status").recording.message));
    assert.match(server.output, said);
    await picturesGoOn(talk, 30);
    record(talk, false);
    await until("it is finished", () => {
      const { recording } = last(talk, "status");
      return !recording.active && !recording.finishing;
    });
    assert.match(last(talk, "status").recording.message, said);
    assert.equal(await countFrames(server.recordings), last(talk, "status").recording.frames);
    // of another one it is not
    await startRecording(talk);
    await picturesGoOn(talk, 10);
    record(talk, false);
    await until("the next one is finished", () => {
      const { recording } = last(talk, "status");
      return !recording.active && !recording.finishing && recording.frames > 0;
    });
    assertUntroubled(last(talk, "status").recording);
    assert.equal(server.output.match(/No new pictures have come/g).length, 1);
    assert.equal(await server.stop(), 0);
    await camera.stop();
  },

  async "a recording that ends in a gap says so, by its button or with oct-live"() {
    const camera = await Camera.start();
    const { server, talk } = await start(...camera.options);
    for (const stop of [() => record(talk, false), () => server.process.kill("SIGINT")]) {
      const before = server.output.length;
      camera.hangs = false;
      await startRecording(talk);
      await picturesGoOn(talk, 10);
      camera.hangs = true;
      await until("it is told", () => /No new pictures have come/.test(server.output.slice(before)));
      stop();
      await until("its gap is told", () =>
        /has a gap of \d+\.\d s.*it ended in it/.test(server.output.slice(before)));
      await until("it is finished", () => {
        const { recording } = last(talk, "status");
        return (!recording.active && !recording.finishing) || talk.closed;
      });
    }
    assert.equal(await server.exited, 0);
    await camera.stop();
  },

  async "a source that is late with its first picture is told, as no gap"() {
    const camera = await Camera.start();
    camera.hangs = true;
    const server = await Server.start(...camera.options);
    await until("it is told", () => /^No picture has come from the source yet/m.test(server.output));
    camera.hangs = false;
    await until("that they come is told", () => /^Pictures are coming, after/m.test(server.output));
    assert.doesNotMatch(server.output, /again, after|has a gap/);
    assert.equal(await server.stop(), 0);
    await camera.stop();
  },

  async "who leaves /stream.mjpg while no pictures come gives the place back"() {
    const camera = await Camera.start();
    const { server, talk } = await start(...camera.options, "--viewers", "2");
    camera.hangs = true;
    await until("none come", () => last(talk, "status").rate === 0);
    const ask = async () => {
      const socket = open(server);
      socket.write("GET /stream.mjpg HTTP/1.1\r\nHost: localhost\r\n\r\n");
      const answer = await new Promise((resolve) => { socket.once("data", resolve); });
      return { socket, status: Number(answer.subarray(9, 12)) };
    };
    for (const leave of [(socket) => socket.destroy(), (socket) => socket.resetAndDestroy(), (socket) => socket.end()]) {
      const sockets = [];
      for (;;) {
        const { socket, status } = await ask();
        sockets.push(socket);
        if (status === 503) break;
        assert.ok(status === 200 && sockets.length < 100, `${status}, ${sockets.length}`);
      }
      assert.ok(sockets.length > 2);
      // who stays is not taken for one who has left
      await talk.statuses(3);
      const { socket, status } = await ask();
      assert.equal(status, 503);
      for (const one of [socket, ...sockets]) leave(one);
      await until("there is a place", async () => {
        const one = await ask();
        one.socket.destroy();
        return one.status === 200;
      });
      await talk.statuses(3); // all the others are noticed
    }
    camera.hangs = false;
    const { socket, status } = await ask();
    assert.equal(status, 200);
    let bytes = 0;
    socket.on("data", (data) => { bytes += data.length; });
    await until("pictures come", () => bytes > 5000);
    socket.destroy();
    assert.equal(await server.stop(), 0);
    await camera.stop();
  },

  async "errors and ends of a source are tried again, its settings stay"() {
    const { server, talk } = await start("--source",
      "octsrc is-live=true samples=256 lines=64 bscans=1 line-rate=1920 ! identity error-after=60");
    set(talk, { method: "nufft", a2: 7, automatic: false, min: 3, max: 50 });
    await until("nufft is in use", () => uses(talk, "nufft"));
    await until("it fails", () => last(talk, "state").trouble);
    // right after a change: it is not the method that is to blame
    assert.equal(last(talk, "state").method, "nufft");
    assert.ok(!talk.has("problem"));
    set(talk, { a3: 5 });
    set(talk, { method: "linear" });
    await until("it comes again", () => last(talk, "state").trouble === "");
    await until("what was wished for is in use", () => uses(talk, "linear"));
    const state = last(talk, "state");
    assert.deepEqual([state.a2, state.a3, state.automatic, state.min, state.max], [7, 5, false, 3, 50]);
    await until("it fails again", () => last(talk, "state").trouble);
    assert.equal(await server.stop(), 0);
    const ending = await start("--images", "videotestsrc is-live=true num-buffers=60 ! "
      + "video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1");
    await until("it ends", () => /has ended.*tried again/.test(last(ending.talk, "state").trouble));
    await until("it comes again", () => last(ending.talk, "state").trouble === "");
    await picturesGoOn(ending.talk, 20);
    assert.equal(await ending.server.stop(), 0);
  },

  async "a file that has ended stays ended, and is said to"() {
    const path = join("/tmp", `oct-live-test-${process.pid}.gray`);
    writeFileSync(path, Buffer.alloc(64 * 48 * 60, 90));
    const { server, talk } = await start("--images",
      `filesrc location=${path} ! rawvideoparse width=64 height=48 format=gray8 framerate=30/1`);
    const state = await until("it ends", () => last(talk, "state").trouble && last(talk, "state"));
    assert.match(state.trouble, /^The source of the pictures has ended\.$/);
    await talk.statuses(2); // for the next status, in which all of them are
    const count = frames(talk);
    await talk.statuses(3);
    assert.equal(frames(talk), count);
    assert.equal((await get(server, "/")).status, 200);
    assert.equal(await server.stop(), 0);
    // spectra, of which there are none any more to try a method with
    writeFileSync(path, Buffer.alloc(256 * 64 * 2 * 40, 7));
    const calibration = `${path}.csv`;
    writeFileSync(calibration, `wavelength_nm\n${Array.from({ length: 256 }, (_, i) => 800 + i / 4).join("\n")}\n`);
    const spectra = await start("--calibration", calibration, "--source",
      `filesrc location=${path} ! rawvideoparse width=256 height=64 format=gray16-le framerate=20/1`);
    await until("it ends", () => last(spectra.talk, "state").trouble);
    set(spectra.talk, { method: "nufft" });
    set(spectra.talk, { a2: 3 });
    await until("it is refused", () => problems(spectra.talk).some((text) => /has ended, and another reconstruction/.test(text)));
    await until("the rest is taken", () => last(spectra.talk, "state").a2 === 3);
    assert.ok(uses(spectra.talk, "cubic"));
    assert.equal(problems(spectra.talk).length, 1);
    assert.equal(await spectra.server.stop(), 0);
    for (const file of [path, calibration]) rmSync(file);
  },

  async "it ends in time when its source cannot be woken"() {
    const server = await Server.start("--images", "videotestsrc is-live=true ! "
      + "video/x-raw,format=GRAY8,width=64,height=48,framerate=30/1 ! identity dump=true sleep-time=60000000");
    // it prints what it has got, to the last line, and sleeps
    await until("it sleeps", () => server.output.includes(`\n${(64 * 48 - 16).toString(16).padStart(8, "0")} `));
    assert.equal(await server.stop(), 0);
  },

  async "what cannot be started at all ends with a sentence"() {
    for (const [options, words] of [[["--data", "/nowhere.raw", "--samples", "8", "--lines", "8"], /nowhere\.raw/],
      [["--images", "videotestsrc num-buffers=0 ! video/x-raw,format=GRAY8"], /before its first picture/],
      [["--images", "tcpclientsrc host=127.0.0.1 port=1 ! rawvideoparse width=64 height=48 format=gray8"], /127\.0\.0\.1/]]) {
      const server = await Server.start(...options);
      assert.equal(await ended(server.exited), 1, server.output);
      assert.match(server.output, words);
      server.clear();
    }
  },

};

// What it may be doing when it is told to end.
const states = {
  async "there is trouble"(talk, camera) {
    await camera.unplug();
    await until("it is said", () => last(talk, "state").trouble);
    await camera.plug();
  },
  async "it records"(talk, camera) {
    await startRecording(talk);
    await camera.unplug();
    await camera.plug();
  },
  async "it tries again"(talk, camera) {
    await camera.unplug();
    await until("it is said", () => last(talk, "state").trouble);
    await talk.statuses(3);
    await camera.plug();
  },
};
for (const [name, prepare] of Object.entries(states))
  together[`it ends in time when ${name}`] = async () => {
    const camera = await Camera.start();
    const { server, talk } = await start(...camera.options);
    await prepare(talk, camera);
    assert.equal(await server.stop(), 0);
    await camera.stop();
  };

const WITHOUT_DATA = ["--source",
  "appsrc is-live=true caps=video/x-raw,format=GRAY16_LE,width=256,height=64,framerate=30/1"];
for (const [name, options, wait] of [["it changes", SMALL, 0], ["it has changed for a moment", SMALL, 60],
  ["it changes with large B-scans", LARGE, 200], ["there are no data", WITHOUT_DATA, 100]])
  together[`it ends in time when ${name}`] = async () => {
    const server = await Server.start(...options);
    const talk = await Talk.start(server);
    await until("it talks", () => talk.has("state"));
    if (options !== WITHOUT_DATA) await until("pictures come", () => last(talk, "status")?.frames > 0);
    for (let i = 0; i < 20; i++) set(talk, { method: ["nudft", "cs"][i % 2] });
    await sleep(wait);
    assert.equal(await server.stop(), 0);
  };

function countFiles(server) {
  return readdirSync(server.recordings).length;
}

await run({}, { browser: false, together });
