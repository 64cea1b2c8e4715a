// SPDX-License-Identifier: LGPL-2.1-or-later
// Requests and WebSockets as no browser would make them: any header, any bytes,
// no answers.
import { randomBytes } from "node:crypto";
import { request } from "node:http";
import { request as requestEncrypted } from "node:https";
import { connect } from "node:net";
import { connect as connectEncrypted } from "node:tls";

import { until } from "./lib.mjs";

// A request with exactly these headers: { status, headers, body }.  `from`: an
// address of this computer to make it from.
export const get = (server, path, headers = {}, method = "GET", from = "127.0.0.1") => new Promise((resolve, reject) => {
  const call = (server.encrypted ? requestEncrypted : request)({ host: server.at ?? "127.0.0.1", port: server.port,
    path, method, agent: false, localAddress: from, rejectUnauthorized: false,
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

// A TCP connection that notices its end, encrypted where the server is.
export function open(server, from = "127.0.0.1", encrypted = server.encrypted) {
  const where = { host: server.at ?? "127.0.0.1", port: server.port, localAddress: from };
  const socket = encrypted ? connectEncrypted({ ...where, rejectUnauthorized: false }) : connect(where);
  socket.on("error", () => {});
  socket.ended = new Promise((resolve) => { socket.on("close", () => resolve(true)); });
  return socket;
}

// Sends bytes as they are and gives all that comes back until the end.
export const sendRaw = (server, text, from = "127.0.0.1") => new Promise((resolve) => {
  const socket = open(server, from);
  let answer = "";
  socket.on("data", (data) => { answer += data.toString("latin1"); });
  socket.on("close", () => resolve(answer));
  socket.write(text);
});

export const upgrade = (server, headers = {}, path = "/socket") => [
  `GET ${path} HTTP/1.1`,
  ...Object.entries({ Host: `localhost:${server.port}`,
    Origin: `${server.encrypted ? "https" : "http"}://localhost:${server.port}`,
    Connection: "Upgrade", Upgrade: "websocket", "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": randomBytes(16).toString("base64"), ...headers })
    .map(([name, value]) => `${name}: ${value}`), "", ""].join("\r\n");

// A frame with this first byte: 128 is the last part of a message, then its kind.
export function frame(data, first) {
  const payload = Buffer.from(data);
  const mask = randomBytes(4);
  const head = payload.length < 126 ? Buffer.from([first, 128 | payload.length])
    : payload.length < 65536 ? Buffer.from([first, 254, payload.length >> 8, payload.length & 255])
      : Buffer.concat([Buffer.from([first, 255, 0, 0, 0, 0]), Buffer.alloc(4)]);
  if (payload.length >= 65536) head.writeUInt32BE(payload.length, 6);
  return Buffer.concat([head, mask, payload.map((byte, i) => byte ^ mask[i % 4])]);
}

// A conversation: `messages` fills with what oct-live says, `closed` is the code
// it closes with.
export class Talk {
  static async start(server, headers = {}, path = "/socket", from = "127.0.0.1") {
    const talk = new this();
    talk.messages = [];
    talk.answering = true;
    talk.socket = open(server, from);
    talk.socket.write(upgrade(server, headers, path));
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
      } else if (length === 127) {
        if (bytes.length < 10) return bytes;
        length = Number(bytes.readBigUInt64BE(2));
        start = 10;
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
    this.socket.write(frame(data, 128 | kind));
  }

  // Waits for so many more statuses: about a second each of the server's own time,
  // however fast the machine is.
  async statuses(count) {
    const heard = () => this.messages.filter(({ type }) => type === "status").length;
    const before = heard();
    await until(`${count} statuses`, () => heard() >= before + count);
  }

  has(type) {
    return this.messages.some((message) => message.type === type);
  }

  // As if the cable were cut.
  vanish() {
    this.socket.destroy();
  }
}
