// SPDX-License-Identifier: LGPL-2.1-or-later
// Who sends as fast as he can holds up nobody: not the one who controls, not
// the recording, not the end of the program.  Every attack is bounded in time by
// that of until().
import assert from "node:assert/strict";
import { join } from "node:path";
import { Duplex } from "node:stream";
import { connect as connectEncrypted } from "node:tls";

import { Camera } from "./camera.mjs";
import { ended, execute, run, Server, sleep, until } from "./lib.mjs";
import { frame, get, open, Talk, upgrade } from "./wire.mjs";

const STATUSES = 6; // of the server, one a second, while an attack goes on
// Pictures that cost nothing to make: what is lost is lost to the attack.
const PICTURES = ["--images",
  "videotestsrc is-live=true ! video/x-raw,format=GRAY8,width=512,height=400,framerate=10/1"];

// Calls `begin` for a connection again whenever that has ended, `count` of them.
// Gives a function that stops it.
function again(count, begin) {
  const sockets = new Set();
  let going = true;
  const start = () => {
    if (!going) return;
    const socket = begin();
    sockets.add(socket);
    socket.on("close", () => {
      sockets.delete(socket);
      setTimeout(start, 5);
    });
  };
  for (let i = 0; i < count; i++) start();
  return () => {
    going = false;
    for (const socket of sockets) socket.destroy();
  };
}

// Writes `bytes` for as long as they are taken.
function pour(socket, bytes) {
  const write = () => { while (!socket.destroyed && socket.write(bytes)); };
  socket.on("drain", write);
  socket.on("connect", write);
}

// A WebSocket that is opened and then gets `bytes` without end; `first` before.
// Answers are not read.
function pourFrames(server, headers, from, bytes, first = Buffer.alloc(0)) {
  const socket = open(server, from);
  socket.write(upgrade(server, headers));
  socket.once("data", () => {
    socket.pause();
    socket.write(first);
    pour(socket, bytes);
    socket.write(bytes, () => socket.emit("drain"));
  });
  return socket;
}

const EVIL = "127.0.0.2";
const attacks = {
  "a body in chunks of a byte": (server) => {
    const bytes = Buffer.from("1\r\nx\r\n".repeat(20000));
    return again(3, () => {
      const socket = open(server, EVIL);
      socket.write(`POST / HTTP/1.1\r\nHost: localhost:${server.port}\r\nTransfer-Encoding: chunked\r\n\r\n`);
      pour(socket, bytes);
      return socket;
    });
  },
  "a body of a length": (server) => {
    const bytes = Buffer.alloc(1 << 20, 0x20);
    return again(3, () => {
      const socket = open(server, EVIL);
      socket.write(`GET / HTTP/1.1\r\nHost: localhost:${server.port}\r\nContent-Length: 1000000000000\r\n\r\n`);
      pour(socket, bytes);
      return socket;
    });
  },
  "a head that does not end": (server) => {
    const bytes = Buffer.from("X: y\r\n".repeat(10000));
    return again(3, () => {
      const socket = open(server, EVIL);
      socket.write("GET / HTTP/1.1\r\n");
      pour(socket, bytes);
      return socket;
    });
  },
  "more behind a request": (server) => {
    const bytes = Buffer.from(`GET / HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`.repeat(1000));
    return again(3, () => {
      const socket = open(server, EVIL);
      pour(socket, bytes);
      return socket;
    });
  },
  "a message in endless parts": (server, headers) => {
    const part = frame(Buffer.alloc(30000, 0x61), 0);
    return again(2, () => pourFrames(server, headers, EVIL, part, frame(Buffer.alloc(30000, 0x61), 1)));
  },
  "a message in empty parts": (server, headers) => {
    const parts = Buffer.concat(Array.from({ length: 5000 }, () => frame("", 0)));
    return again(2, () => pourFrames(server, headers, EVIL, parts, frame("", 1)));
  },
  "pings, whose answers are not read": (server, headers) => {
    const pings = Buffer.concat(Array.from({ length: 5000 }, () => frame("x".repeat(125), 128 | 9)));
    return again(2, () => pourFrames(server, headers, EVIL, pings));
  },
  "small messages": (server, headers) => {
    const messages = Buffer.concat(Array.from({ length: 5000 }, () => frame("{\"type\":\"set\"}", 128 | 1)));
    return again(2, () => pourFrames(server, headers, EVIL, messages));
  },
  "connections": (server) => again(40, () => {
    const socket = open(server, EVIL, false);
    setTimeout(() => socket.destroy(), 200 * Math.random());
    return socket;
  }),
  "requests without a token": (server) => again(10, () => {
    const socket = open(server, EVIL);
    socket.on("data", () => {});
    socket.write(`GET /nothing HTTP/1.1\r\nHost: localhost:${server.port}\r\n\r\n`);
    return socket;
  }),
};

// While `attack` goes on, one who controls hears all, begins and stops a
// recording, which has every image that the camera gives, and Ctrl-C ends the
// program.
async function endures(server, camera, attack) {
  const [control, view] = await Promise.all(server.links.slice(0, 2).map((link) => enter(server, link)));
  const talk = await Talk.start(server, control);
  const recording = () => talk.messages.findLast((message) => message.recording)?.recording;
  const status = () => talk.messages.findLast(({ type }) => type === "status");
  await until("there are pictures", () => status()?.frames > 5);
  camera.hangs = true;
  await until("all of them have come", () => status().frames + status().dropped + status().missed >= camera.sent);
  talk.say(JSON.stringify({ type: "record", on: true }));
  await until("it is recorded", () => recording().active);
  const { memory } = server.usage();
  const stop = attack(server, view);
  try {
    // the next one when the one before is recorded: none is given faster than it is taken
    for (let given = 1; given <= STATUSES; given++) {
      camera.give();
      await until("it is recorded", () => recording().frames === given);
    }
    assert.equal(recording().dropped, 0);
    talk.say(JSON.stringify({ type: "record", on: false }));
    await until("the recording is stopped", () => !recording().active);
    assert.equal(talk.closed, undefined);
    const grown = server.usage().memory - memory;
    assert.ok(grown < 80, `${grown.toFixed(0)} MB more`);
    server.process.kill("SIGINT");
    assert.equal(await ended(server.exited), 0);
    return `${recording().frames} images recorded, ${recording().dropped} lost, ${grown.toFixed(0)} MB more`;
  } finally {
    stop();
    server.clear();
    await camera.stop();
  }
}

async function enter(server, link, from) {
  const answer = await get(server, `/${new URL(link).search}`, {}, "GET", from);
  return { Cookie: answer.headers["set-cookie"][0].split(";")[0] };
}

// A certificate and its key, as options.
async function encrypt(folder) {
  const [key, cert] = ["key", "cert"].map((name) => join(folder, name));
  await execute("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
    "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost"]);
  return ["--cert", cert, "--key", key];
}

// What a client of TLS says first.
const greet = () => new Promise((resolve) => {
  const line = new Duplex({ read() {}, write(bytes) { resolve(bytes); } });
  connectEncrypted({ socket: line, rejectUnauthorized: false }).on("error", () => {});
});

const tests = Object.fromEntries(Object.entries(attacks).map(([name, attack]) => [`nobody is held up by ${name}`,
  async () => {
    const camera = await Camera.start();
    return endures(await Server.start("--address", "0.0.0.0", ...camera.options), camera, attack);
  }]));

Object.assign(tests, {
  async "nobody is held up by greetings of TLS that do not go on"() {
    const files = await Server.start();
    const camera = await Camera.start();
    const server = await Server.start("--address", "0.0.0.0", ...await encrypt(files.folder), ...camera.options);
    const hello = Buffer.concat([Buffer.from([0x16, 3, 1, 0, 4, 1, 0, 0, 0])]);
    const note = await endures(server, camera, () => {
      const kinds = [() => {}, (socket) => socket.write(hello), (socket) => socket.write(hello.subarray(0, 3)),
        (socket) => socket.write("GET / HTTP/1.1\r\n\r\n")];
      const stops = kinds.map((begin) => again(20, () => {
        const socket = open(server, EVIL, false);
        begin(socket);
        return socket;
      }));
      stops.push(again(4, () => {
        const socket = open(server, EVIL); // makes keys, then goes
        socket.on("secureConnect", () => socket.destroy());
        return socket;
      }));
      return () => stops.forEach((stop) => stop());
    });
    await files.stop();
    return note;
  },

  async "who is known is served whatever others open"() {
    const server = await Server.start("--address", "0.0.0.0", ...PICTURES);
    const control = await enter(server, server.links[0]);
    const stops = [];
    let refused = 0;
    // from elsewhere and, fewer, from the same address; silent ones and slow ones
    for (const [from, count] of [[EVIL, 60], ["127.0.0.3", 60], ["127.0.0.1", 20]])
      for (const start of ["", "GET / HTTP/1.1\r\nX: "])
        stops.push(again(count, () => {
          const socket = open(server, from);
          socket.write(start);
          socket.on("close", () => { refused++; });
          return socket;
        }));
    await until("more come than there are places for", () => refused > 100);
    let served = 0;
    for (let i = 0; i < 90; i++) {
      try {
        const { status } = await get(server, "/live.css", control);
        served += status === 200;
      } catch {
        // closed before it was served
      }
      await sleep(20);
    }
    stops.forEach((stop) => stop());
    assert.equal(served, 90);
    await server.stop();
  },

  async "who watches takes nothing from who controls"() {
    const server = await Server.start("--address", "0.0.0.0", "--viewers", "4", ...PICTURES);
    const control = await enter(server, server.links[0]);
    const talk = await Talk.start(server, control);
    const recording = () => talk.messages.findLast((message) => message.recording)?.recording;
    await until("there are pictures", () => talk.messages.some((m) => m.type === "status" && m.frames > 5));
    talk.say(JSON.stringify({ type: "record", on: true }));
    await until("it is recorded", () => recording().active);

    // sessions: many exchanges of the link for watching
    let view;
    for (let i = 0; i < 300; i++) view = await enter(server, server.links[1], EVIL);
    assert.equal((await get(server, "/", control)).status, 200);

    // places: all that there are for conversations and pictures
    const crowd = [];
    for (let i = 0; i < 12; i++) crowd.push(await Talk.start(server, view, "/socket", EVIL));
    const streams = Array.from({ length: 60 }, () => {
      const socket = open(server, EVIL);
      socket.on("data", () => {});
      socket.write(`GET /stream.mjpg HTTP/1.1\r\nHost: localhost\r\nCookie: ${view.Cookie}\r\n\r\n`);
      return socket;
    });
    await until("all have an answer", () => crowd.every((other) =>
      other.has("hello") || other.has("bye") || other.socket.destroyed || other.status !== 101));
    assert.ok(crowd.filter((other) => other.has("hello")).length <= 3, "more than the share of an address");
    const second = await Talk.start(server, control);
    await until("a second page of who controls is let in", () => second.has("hello"));
    assert.equal(second.messages[0].control, true);
    // another one who watches, from elsewhere
    const other = await Talk.start(server, await enter(server, server.links[1], "127.0.0.3"), "/socket", "127.0.0.3");
    await until("others may watch too", () => other.has("hello"));

    // pictures: several loops of those who watch
    let looping = true, made = 0;
    const loops = Array.from({ length: 8 }, async () => {
      while (looping) {
        const { status } = await get(server, "/snapshot.png", view, "GET", EVIL);
        if (status === 200) made++;
        else await sleep(50);
      }
    });
    for (let i = 0; i < 17; i++) {
      const { status, body } = await get(server, "/snapshot.png", control);
      assert.equal(status, 200, `snapshot ${i}`);
      assert.ok(body.startsWith("\x89PNG"), "a picture");
    }
    looping = false;
    await Promise.all(loops);
    for (const socket of [...streams, ...crowd.map((one) => one.socket)]) socket.destroy();

    const before = recording().frames;
    await until("it is recorded on", () => recording().frames > before + 10);
    talk.say(JSON.stringify({ type: "record", on: false }));
    await until("the recording is stopped", () => !recording().active);
    const { frames, dropped } = recording();
    assert.equal(await server.stop(), 0);
    return `17 snapshots, ${made} of others, ${frames} images recorded, ${dropped} lost`;
  },
});

// Of what waits, and takes or gives back memory.
const together = {
  async "who lets us wait for his part of the keys holds up nobody else"() {
    const files = await Server.start();
    const server = await Server.start("--address", "0.0.0.0", ...await encrypt(files.folder), ...PICTURES);
    const greeting = await greet();
    assert.equal(greeting[0], 22);
    const answered = new Set();
    const stops = [2, 3, 4, 5].map((last) => again(20, () => {
      const socket = open(server, `127.0.0.${last}`, false);
      socket.write(greeting);
      socket.on("data", () => answered.add(socket));
      return socket;
    }));
    await until("many have its part of the keys", () => answered.size > 20);
    for (let i = 0; i < 4; i++)
      assert.equal((await get(server, "/")).status, 401, `${i}`);
    const control = await enter(server, server.links[0]);
    assert.equal((await Talk.start(server, control)).status, 101);
    stops.forEach((stop) => stop());
    assert.equal(await server.stop(), 0);
    await files.stop();
  },

  async "idle connections of TLS take little, and give it back"() {
    const files = await Server.start();
    const server = await Server.start("--address", "0.0.0.0", ...await encrypt(files.folder), ...PICTURES);
    const control = await enter(server, server.links[0]);
    const talk = await Talk.start(server, control);
    await until("there are pictures", () => talk.messages.some((m) => m.type === "status" && m.frames > 20));
    const before = server.usage();
    const idle = Array.from({ length: 70 }, (_, i) => open(server, `127.0.0.${2 + (i % 5)}`, i % 2 === 0));
    for (const socket of idle) socket.resume();
    await talk.statuses(3);
    const during = server.usage();
    assert.equal((await get(server, "/", control)).status, 200, "others are let in");
    assert.notEqual(await ended(Promise.all(idle.map((socket) => socket.ended))), "still waiting", "they stay");
    await until("nothing of them is left", () => server.usage().files <= before.files + 4);
    const after = server.usage();
    assert.ok(during.memory - before.memory < 60, `${(during.memory - before.memory).toFixed(0)} MB for 70 connections`);
    assert.ok(after.memory - before.memory < 60, `${(after.memory - before.memory).toFixed(0)} MB stay`);
    assert.ok(during.threads - before.threads < 12, `${during.threads - before.threads} threads`);
    assert.equal(await server.stop(), 0);
    await files.stop();
    return `${(during.memory - before.memory).toFixed(0)} MB, then ${(after.memory - before.memory).toFixed(0)} MB`;
  },
};

await run(tests, { browser: false, together });
