// SPDX-License-Identifier: LGPL-2.1-or-later
// Requests and WebSockets as no browser would make them: any header, any bytes,
// no answers.
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { connect } from "node:net";

// A request with exactly these headers: { status, headers, body }.
export const get = (server, path, headers = {}, method = "GET") => new Promise((resolve, reject) => {
  const call = request({ host: "127.0.0.1", port: server.port, path, method, agent: false,
    headers: { Host: `localhost:${server.port}`, ...headers } }, (answer) => {
    const chunks = [];
    answer.on("data", (chunk) => chunks.push(chunk));
    answer.on("end", () => resolve({ status: answer.statusCode, headers: answer.headers,
      body: Buffer.concat(chunks).toString("latin1") }));
    answer.on("error", reject);
  });
  call.on("error", reject);
  call.end();
});

// A TCP connection that notices its end.
export function open(server) {
  const socket = connect(server.port, "127.0.0.1");
  socket.on("error", () => {});
  socket.ended = new Promise((resolve) => { socket.on("close", () => resolve(true)); });
  return socket;
}

export const upgrade = (server, headers = {}) => [
  "GET /socket HTTP/1.1",
  ...Object.entries({ Host: `localhost:${server.port}`, Origin: `http://localhost:${server.port}`,
    Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": randomBytes(16).toString("base64"), ...headers })
    .map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n");

// A conversation: `messages` fills with what oct-live says, `closed` is the code
// it closes with.
export class Talk {
  static async start(server, headers = {}) {
    const talk = new Talk();
    talk.messages = [];
    talk.answering = true;
    talk.socket = open(server);
    talk.socket.write(upgrade(server, headers));
    let bytes = Buffer.alloc(0);
    await new Promise((resolve) => {
      talk.socket.on("close", resolve);
      talk.socket.on("data", (data) => {
        bytes = Buffer.concat([bytes, data]);
        if (talk.status === undefined) {
          const end = bytes.indexOf("\r\n\r\n");
          if (end < 0) return;
          talk.status = Number(bytes.subarray(9, 12));
          bytes = bytes.subarray(end + 4);
          resolve();
        }
        if (talk.status === 101) bytes = talk.read(bytes);
      });
    });
    return talk;
  }

  read(bytes) {
    for (;;) {
      if (bytes.length < 2) return bytes;
      let length = bytes[1] & 127, start = 2;
      if (length === 126) {
        if (bytes.length < 4) return bytes;
        length = bytes.readUInt16BE(2);
        start = 4;
      }
      if (bytes.length < start + length) return bytes;
      this.take(bytes[0] & 15, bytes.subarray(start, start + length));
      bytes = bytes.subarray(start + length);
    }
  }

  take(kind, payload) {
    if (kind === 8) this.closed = payload.length >= 2 ? payload.readUInt16BE(0) : 0;
    if (kind !== 1) return;
    const message = JSON.parse(payload.toString());
    this.messages.push(message);
    if (message.type === "status" && this.answering)
      this.say(JSON.stringify({ type: "ack", number: message.number }));
  }

  // A frame of any kind: 1 text, 2 binary, 8 close, 9 ping.
  say(data, kind = 1) {
    const payload = Buffer.from(data);
    const mask = randomBytes(4);
    const head = payload.length < 126 ? Buffer.from([128 | kind, 128 | payload.length])
      : payload.length < 65536 ? Buffer.from([128 | kind, 254, payload.length >> 8, payload.length & 255])
        : Buffer.concat([Buffer.from([128 | kind, 255, 0, 0, 0, 0]), Buffer.alloc(4)]);
    if (payload.length >= 65536) head.writeUInt32BE(payload.length, 6);
    this.socket.write(Buffer.concat([head, mask, payload.map((byte, i) => byte ^ mask[i % 4])]));
  }

  has(type) {
    return this.messages.some((message) => message.type === type);
  }

  // As if the cable were cut.
  vanish() {
    this.socket.destroy();
  }
}
