// SPDX-License-Identifier: LGPL-2.1-or-later
// How the pictures come: WebRTC, H.264 over the WebSocket, or JPEG images one after
// the other.  All call onFrame with the time on this page's clock and the B-scan's own time (ms).

const video = document.getElementById("video");
const canvas = document.getElementById("jpeg");
const RTP_PERIOD = 2 ** 32 / 90; // ms after which RTP's clock begins again
const QUIET = 7000; // ms: if nothing arrives for so long, the way is blocked
const LIMIT = 30000; // ms: data that arrive for so long do not become a picture

// Bytes and checks of the way that have arrived.
async function countArrived(connection) {
  let count = 0;
  for (const report of (await connection.getStats()).values())
    if (report.type === "candidate-pair")
      count += (report.bytesReceived ?? 0) + (report.requestsReceived ?? 0) + (report.responsesReceived ?? 0);
  return count;
}

export class WebRtc {
  // `patient`: no other way is tried, however long this one takes.
  constructor(send, onFrame, onFailed, patient) {
    Object.assign(this, { send, onFrame, onFailed, patient, name: "WebRTC", lost: 0 });
    this.waiting = [];
    this.connection = null;
    this.end = performance.now() + LIMIT;
    this.arrived = 0;
    this.waitOn();
    send({ type: "watch", media: "webrtc" });
  }

  fail() {
    if (!this.closed) this.onFailed();
  }

  waitOn() {
    clearTimeout(this.timer);
    if (!this.seen && !this.closed && !this.patient) this.timer = setTimeout(() => this.look(), QUIET);
  }

  // A busy computer may need long for the first picture.  The way is given up only
  // if nothing arrives on it, or nothing can be made of that.
  async look() {
    const before = this.arrived;
    if (this.connection) this.arrived = await countArrived(this.connection);
    if (this.seen || this.closed) return;
    const blocked = this.connection && this.arrived === before;
    if (blocked || performance.now() > this.end) this.fail();
    else this.waitOn();
  }

  noteSeen() {
    this.seen = true;
    clearTimeout(this.timer);
  }

  async take(message) {
    try {
      if (message.type === "offer") await this.takeOffer(message.sdp);
      else if (message.type === "candidate") await this.takeCandidate(message);
      else if (message.type === "failed") this.fail();
    } catch (error) {
      console.error(error);
      this.fail();
    }
  }

  async takeOffer(sdp) {
    const connection = new RTCPeerConnection({ iceServers: [] });
    this.connection = connection;
    connection.ontrack = (event) => this.show(event);
    connection.onconnectionstatechange = () => {
      if (connection.connectionState === "failed") this.fail();
    };
    connection.onicecandidate = ({ candidate }) => {
      if (candidate && candidate.candidate && !this.closed)
        this.send({ type: "candidate", mline: 0, candidate: candidate.candidate });
    };
    await connection.setRemoteDescription({ type: "offer", sdp });
    await connection.setLocalDescription(await connection.createAnswer());
    this.send({ type: "answer", sdp: connection.localDescription.sdp });
    this.waitOn(); // nothing could arrive before
    for (const candidate of this.waiting.splice(0)) await this.takeCandidate(candidate);
  }

  async takeCandidate(message) {
    if (!this.connection) this.waiting.push(message);
    else await this.connection.addIceCandidate({
      candidate: message.candidate, sdpMLineIndex: message.mline });
  }

  show({ track, receiver }) {
    // no more delay than the network makes
    if ("jitterBufferTarget" in receiver) receiver.jitterBufferTarget = 0;
    if ("playoutDelayHint" in receiver) receiver.playoutDelayHint = 0;
    video.srcObject = new MediaStream([track]);
    video.play().catch(() => {});
    const next = (now, data) => {
      if (this.closed) return;
      this.noteSeen();
      this.onFrame(data.expectedDisplayTime, (data.rtpTimestamp ?? NaN) / 90, RTP_PERIOD);
      video.requestVideoFrameCallback(next);
    };
    if (video.requestVideoFrameCallback) video.requestVideoFrameCallback(next);
    else video.ontimeupdate = () => {
      this.noteSeen();
      this.onFrame(performance.now(), NaN, RTP_PERIOD);
    };
  }

  async update() {
    if (!this.connection) return;
    const stats = await this.connection.getStats();
    for (const report of stats.values())
      if (report.type === "inbound-rtp") this.lost = report.framesDropped ?? 0;
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.connection?.close();
    video.ontimeupdate = null;
    video.srcObject = null;
  }
}

// The codec of a key frame by its parameters (SPS), as VideoDecoder names it.
function findCodec(bytes) {
  for (let i = 0; i + 6 < bytes.length; i++)
    if (bytes[i] === 0 && bytes[i + 1] === 0 && bytes[i + 2] === 1 && (bytes[i + 3] & 31) === 7)
      return `avc1.${[...bytes.subarray(i + 4, i + 7)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  return null;
}

// H.264 over the WebSocket, decoded by the page: needs no UDP, and goes through
// proxies.  Browsers offer it to encrypted pages and to this computer's own.
export class WebCodecs {
  constructor(send, onFrame, onFailed) {
    Object.assign(this, { send, onFrame, onFailed, name: "WebCodecs", lost: 0, codec: null, answered: 0 });
    this.numbers = new Map(); // of units that are being decoded, by their time stamps
    this.decoder = new VideoDecoder({ output: (frame) => this.show(frame), error: (error) => this.fail(error) });
    this.timer = setTimeout(() => this.fail("no picture"), QUIET + LIMIT);
    send({ type: "watch", media: "webcodecs" });
  }

  fail(error) {
    if (this.closed) return;
    console.error(error);
    this.onFailed();
  }

  take() {}

  async update() {}

  // 13 bytes of time, number and kind, then the unit (oct-live-units.h).
  takeUnit(buffer) {
    const head = new DataView(buffer);
    const key = head.getUint8(12) === 1;
    const data = new Uint8Array(buffer, 13);
    if (this.closed) return;
    if (key) this.configure(findCodec(data));
    if (this.codec === null) return;
    const timestamp = Math.round(head.getFloat64(0, true) * 1000);
    this.numbers.set(timestamp, head.getUint32(8, true));
    this.decoder.decode(new EncodedVideoChunk({ type: key ? "key" : "delta", timestamp, data }));
  }

  configure(codec) {
    if (!codec || codec === this.codec) return;
    this.codec = codec;
    this.decoder.configure({ codec, optimizeForLatency: true });
  }

  // The server hears of some at once, far below those that it sends ahead.
  answer(timestamp) {
    const number = this.numbers.get(timestamp) ?? 0;
    for (const one of this.numbers.keys()) if (one <= timestamp) this.numbers.delete(one);
    if (number < this.answered + 4) return;
    this.answered = number;
    this.send({ type: "decoded", number });
  }

  show(frame) {
    clearTimeout(this.timer);
    if (!this.closed) {
      const { displayWidth: width, displayHeight: height, timestamp } = frame;
      if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
      canvas.getContext("2d").drawImage(frame, 0, 0);
      this.answer(timestamp);
      this.onFrame(performance.now(), timestamp / 1000, Infinity);
    }
    frame.close();
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    if (this.decoder.state !== "closed") this.decoder.close();
  }
}

export class Jpeg {
  constructor(send, onFrame, onFailed) {
    Object.assign(this, { onFrame, onFailed, name: "JPEG", lost: 0 });
    this.abort = new AbortController();
    send({ type: "watch", media: "jpeg" });
    this.run().catch((error) => {
      if (!this.closed) console.error(error);
    }).finally(() => {
      if (!this.closed) this.onFailed();
    });
  }

  take() {}

  async update() {}

  async run() {
    const answer = await fetch("/stream.mjpg", { signal: this.abort.signal });
    if (!answer.ok) throw new Error(`no pictures: ${answer.status}`);
    const reader = answer.body.getReader();
    let bytes = new Uint8Array(0);
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      const joined = new Uint8Array(bytes.length + value.length);
      joined.set(bytes);
      joined.set(value, bytes.length);
      bytes = await this.split(joined);
    }
  }

  // Shows the newest whole picture, returns the remaining bytes.
  async split(bytes) {
    let picture = null, time = NaN;
    for (;;) {
      const head = new TextDecoder("latin1").decode(bytes.subarray(0, 400));
      const end = head.indexOf("\r\n\r\n");
      const length = Number(/Content-Length: (\d+)/.exec(head)?.[1]);
      if (end < 0 || bytes.length < end + 4 + length) break;
      if (picture) this.lost++;
      picture = bytes.subarray(end + 4, end + 4 + length);
      time = Number(/X-Time: ([\d.]+)/.exec(head)?.[1]);
      bytes = bytes.subarray(end + 4 + length);
    }
    if (picture) await this.show(picture, time);
    return bytes;
  }

  async show(picture, time) {
    const image = await createImageBitmap(new Blob([picture], { type: "image/jpeg" }));
    if (canvas.width !== image.width || canvas.height !== image.height)
      Object.assign(canvas, { width: image.width, height: image.height });
    canvas.getContext("2d").drawImage(image, 0, 0);
    image.close();
    this.onFrame(performance.now(), time, Infinity);
  }

  close() {
    this.closed = true;
    this.abort.abort();
  }
}
