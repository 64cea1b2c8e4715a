// SPDX-License-Identifier: LGPL-2.1-or-later
// Many viewers of one server, and a recording meanwhile.
import { decoded, until } from "./lib.mjs";

export const SMALL = { viewport: { width: 320, height: 240 } };
// A third of what a viewer gets unless told otherwise: to receive eight videos
// of 6 Mbit/s leaves two cores 2 to 10 % to spare, with 2 Mbit/s it is 22 %.
export const BITRATE = ["--bitrate", "2000"];

// More viewers from one page: conversations and connections of their own.  They
// take every frame and decode the whole pictures among them only, because to
// decode eight times on the two cores that also take, encode and record the
// images is what no viewer in another room does to them.  window.taken: frames
// of each.
export const addViewers = (page, count) => page.evaluate(async (count) => {
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
    // as the page does: a connection over which nothing comes is made anew
    const again = () => {
      if (window.taken[index] > 0 || connection.connectionState === "closed") return;
      connection.close();
      socket.close();
      resolve(start(_, index));
    };
    setTimeout(again, 15000);
  });
  await Promise.all(Array.from({ length: count }, start));
}, count);

// Frames that each viewer has got: of the page itself those it has decoded.
export async function received(page) {
  const { frames, time } = await decoded(page);
  const taken = await page.evaluate(() => window.taken);
  return { frames: [frames, ...taken], time };
}

// Records while `work` goes on, and gives what was said of the recording.
export async function record(talk, work) {
  const recording = () => talk.messages.findLast((message) => message.recording)?.recording;
  talk.say(JSON.stringify({ type: "record", on: true }));
  await until("it records", () => recording()?.active && recording().frames > 0);
  await work();
  talk.say(JSON.stringify({ type: "record", on: false }));
  return until("the recording is finished", () => {
    const said = recording();
    return !said.active && !said.finishing && said;
  });
}
