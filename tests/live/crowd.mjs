// SPDX-License-Identifier: LGPL-2.1-or-later
// Many viewers at once, and many one after the other.
import assert from "node:assert/strict";

import { countFrames, decoded, measure, openBrowser, run, Server, sleep, until, waitForVideo } from "./lib.mjs";
import { Talk } from "./wire.mjs";

const SMALL = { viewport: { width: 320, height: 240 } };
const VISITS = 200;
const AT_ONCE = 10;
// A third of what a viewer gets unless told otherwise: to receive eight videos
// of 6 Mbit/s leaves two cores 2 to 10 % to spare, with 2 Mbit/s it is 22 %.
const BITRATE = ["--bitrate", "2000"];

// More viewers from one page: conversations and connections of their own.  They
// take every frame and decode the whole pictures among them only, because to
// decode eight times on the two cores that also take, encode and record the
// images is what no viewer in another room does to them.  window.taken: frames
// of each.
const addViewers = (page, count) => page.evaluate(async (count) => {
  window.taken = [];
  const take = (receiver, index) => {
    const { readable, writable } = receiver.createEncodedStreams();
    const decoder = writable.getWriter();
    readable.pipeTo(new WritableStream({
      write: (frame) => {
        window.taken[index]++;
        if (frame.type === "key") return decoder.write(frame);
      },
    })).catch(() => {}); // the connection has ended
  };
  const start = (_, index) => new Promise((resolve) => {
    const socket = new WebSocket(`ws://${location.host}/socket`);
    const send = (message) => socket.send(JSON.stringify(message));
    const connection = new RTCPeerConnection({ encodedInsertableStreams: true });
    window.taken[index] = 0;
    connection.ontrack = ({ receiver }) => resolve(take(receiver, index));
    connection.onicecandidate = ({ candidate }) => {
      if (candidate?.candidate) send({ type: "candidate", mline: 0, candidate: candidate.candidate });
    };
    let ready = Promise.resolve();
    const listen = async (message) => {
      if (message.type === "hello") send({ type: "watch", media: "webrtc" });
      if (message.type === "status") send({ type: "ack", number: message.number });
      if (message.type === "candidate")
        await connection.addIceCandidate({ candidate: message.candidate, sdpMLineIndex: 0 });
      if (message.type === "offer") {
        await connection.setRemoteDescription({ type: "offer", sdp: message.sdp });
        await connection.setLocalDescription();
        send({ type: "answer", sdp: connection.localDescription.sdp });
      }
    };
    socket.onmessage = ({ data }) => { ready = ready.then(() => listen(JSON.parse(data))); };
  });
  await Promise.all(Array.from({ length: count }, start));
}, count);

// Frames that each viewer has got: of the page itself those it has decoded.
async function received(page) {
  const { frames, time } = await decoded(page);
  const taken = await page.evaluate(() => window.taken);
  return { frames: [frames, ...taken], time };
}

// A minute of recording: what was recorded, and the smallest part of the images
// that a viewer got.
async function minute(page, talk) {
  const recording = () => talk.messages.findLast((message) => message.recording)?.recording;
  talk.say(JSON.stringify({ type: "record", on: true }));
  await until("it records", () => recording()?.active && recording().frames > 0);
  const before = await received(page);
  await sleep(60000);
  const after = await received(page);
  talk.say(JSON.stringify({ type: "record", on: false }));
  await until("the recording is finished", () => !recording().active && !recording().finishing);
  const { frames, dropped, seconds } = recording();
  const made = (30 * (after.time - before.time)) / 1000;
  const got = Math.min(...after.frames.map((now, i) => (now - before.frames[i]) / made));
  return { frames, dropped, seconds, got };
}

const tests = {
  async "eight viewers for a minute, the recording is complete"() {
    const server = await Server.start("--viewers", "9", ...BITRATE);
    const browser = await openBrowser();
    const page = await browser.visit(server.url, SMALL);
    await waitForVideo(page);
    await addViewers(page, 7);
    await until("all have pictures", async () => (await received(page)).frames.every((one) => one > 10));
    const talk = await Talk.start(server);
    let recorded = 0;
    const describe = ({ frames, dropped, seconds, got }) =>
      `${frames} B-scans in ${seconds.toFixed(1)} s, ${dropped} lost, viewers got ${(100 * got).toFixed(1)} % at least`;
    const result = await measure(async () => {
      const one = await minute(page, talk);
      recorded += one.frames;
      return one;
    }, ({ frames, dropped, seconds, got }) =>
      dropped === 0 && seconds > 58 && frames > 0.99 * 30 * seconds && got > 0.95, describe);
    const { viewers } = talk.messages.findLast((message) => message.type === "status");
    assert.equal(viewers, 9); // eight and this test
    await browser.close();
    assert.equal(await server.stopKeeping(), 0);
    assert.equal(await countFrames(server.recordings), recorded);
    server.clear();
    return describe(result);
  },

  async "200 viewers who come and go leave nothing behind"() {
    const server = await Server.start("--viewers", "12");
    const browser = await openBrowser();
    const settle = async () => {
      await until("all have left", async () => {
        const talk = await Talk.start(server);
        await until("a status", () => talk.has("status"));
        const { viewers } = talk.messages.find((message) => message.type === "status");
        talk.vanish();
        return viewers === 1;
      });
      await sleep(1500);
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
    assert.ok(after.memory < before.memory + 25, growth);
    return growth;
  },
};

await run(tests);
