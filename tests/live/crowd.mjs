// SPDX-License-Identifier: LGPL-2.1-or-later
// Many viewers at once, and many one after the other.
import assert from "node:assert/strict";

import { countFrames, measure, openBrowser, run, Server, sleep, until, waitForVideo } from "./lib.mjs";
import { Talk } from "./wire.mjs";

const SMALL = { viewport: { width: 320, height: 240 } };
const VISITS = 200;
const AT_ONCE = 10;

// More viewers from one page: conversations and connections of their own, whose
// pictures are decoded but not drawn, because eight screens at once are more
// than the two cores have that also take and record the images.
const addViewers = (page, count) => page.evaluate(async (count) => {
  const start = () => new Promise((resolve) => {
    const socket = new WebSocket(`ws://${location.host}/socket`);
    const send = (message) => socket.send(JSON.stringify(message));
    const connection = new RTCPeerConnection();
    connection.ontrack = resolve;
    connection.onicecandidate = ({ candidate }) => {
      if (candidate?.candidate) send({ type: "candidate", mline: 0, candidate: candidate.candidate });
    };
    let ready = Promise.resolve();
    const take = async (message) => {
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
    socket.onmessage = ({ data }) => { ready = ready.then(() => take(JSON.parse(data))); };
  });
  await Promise.all(Array.from({ length: count }, start));
}, count);

// Frames that each connection of a page has received: [{ received, time }].
const received = (page) => page.evaluate(() => Promise.all(window.connections.map(async (connection) => {
  for (const report of (await connection.getStats()).values())
    if (report.type === "inbound-rtp") return { received: report.framesReceived ?? 0, time: report.timestamp };
  return { received: 0, time: 0 };
})));

// One minute of eight viewers: what was recorded, and the smallest part of the
// images that a viewer got.
async function minute() {
  const server = await Server.start("--viewers", "9");
  const browser = await openBrowser();
  const page = await browser.visit(server.url, SMALL);
  await waitForVideo(page);
  await addViewers(page, 7);
  await until("all have pictures", async () => (await received(page)).every((one) => one.received > 10), 30);
  const talk = await Talk.start(server);
  talk.say(JSON.stringify({ type: "record", on: true }));
  const recording = () => talk.messages.findLast((message) => message.recording)?.recording;
  await until("it records", () => recording()?.active && recording().frames > 0);
  const before = await received(page);
  await sleep(60000);
  const after = await received(page);
  talk.say(JSON.stringify({ type: "record", on: false }));
  await until("the recording is finished", () => !recording().active && !recording().finishing, 30);
  const { frames, dropped, seconds } = recording();
  const { viewers } = talk.messages.findLast((message) => message.type === "status");
  assert.equal(viewers, 9); // eight and this test
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
    const describe = ({ frames, dropped, seconds, got }) =>
      `${frames} B-scans in ${seconds.toFixed(1)} s, ${dropped} lost, viewers got ${(100 * got).toFixed(1)} % at least`;
    return describe(await measure(minute, ({ frames, dropped, seconds, got }) =>
      dropped === 0 && seconds > 58 && frames > 0.99 * 30 * seconds && got > 0.98, describe));
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
      }, 30);
      await sleep(1500);
      return server.usage();
    };
    const visits = async (rounds) => {
      for (let round = 0; round < rounds; round++) {
        const page = await browser.visit(server.url, SMALL);
        await addViewers(page, AT_ONCE - 1);
        await until("all have pictures", async () => {
          const all = await received(page);
          return all.length === AT_ONCE && all.every((one) => one.received > 0);
        }, 30);
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
