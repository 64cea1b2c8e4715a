// SPDX-License-Identifier: LGPL-2.1-or-later
// Nobody gets in who does not belong, and nobody who is in breaks anything.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { ended, execute, run, Server, until } from "./lib.mjs";
import { frame, get, open, sendRaw, Talk, upgrade } from "./wire.mjs";

const PATHS = ["/", "/live.js", "/delays.js", "/flow.js", "/indicators.js", "/keys.js", "/measure.js", "/media.js", "/signal.js", "/volume.js", "/view.js", "/live.css", "/icon.svg", "/snapshot.png", "/calibration.csv",
  "/stream.mjpg", "/nothing"];

// Exchanges the token of a printed link: the Cookie header of the session.
async function enter(server, link) {
  const answer = await get(server, `/${new URL(link).search}`);
  assert.equal(answer.status, 303);
  assert.equal(answer.headers.location, "/");
  const [cookie] = answer.headers["set-cookie"];
  assert.match(cookie, /; HttpOnly/);
  assert.match(cookie, /; SameSite=Strict/);
  return { Cookie: cookie.split(";")[0] };
}

const tokenOf = (link) => new URL(link).searchParams.get("token");

async function assertAlive(server, headers) {
  const talk = await Talk.start(server, headers);
  await until("oct-live talks", () => talk.has("status"));
  talk.vanish();
  assert.equal((await get(server, "/", headers)).status, 200);
}

const together = {
  async "at any other address there is nothing without a token"() {
    const server = await Server.start("--address", "0.0.0.0");
    const [control] = server.links;
    const wrong = [{}, { Cookie: `oct-live-${server.port}=${tokenOf(control)}` },
      { Cookie: `oct-live-${server.port}=` }, { Authorization: `Bearer ${tokenOf(control)}` }];
    for (const headers of wrong) {
      for (const path of PATHS) assert.equal((await get(server, path, headers)).status, 401, path);
      assert.equal((await Talk.start(server, headers)).status, 401);
    }
    const near = `${tokenOf(control).slice(0, -1)}!`;
    for (const query of ["token=", "token=x", `token=${near}`, `Token=${tokenOf(control)}`, "x=1"])
      assert.equal((await get(server, `/?${query}`)).status, 401, query);
    assert.equal((await get(server, `/live.js?token=${tokenOf(control)}`)).status, 401);
    // a page that says how to get in, without anything of ours or of others
    const { body, headers } = await get(server, "/");
    assert.match(body, /by its link/);
    assert.doesNotMatch(body, /script|src=|href|action|@import|url\(|id=|\/live|\d{4}/);
    assert.match(headers["content-security-policy"], /^default-src 'none'; style-src 'sha256-[^ ;]+'; /);
    assert.doesNotMatch((await get(server, "/live.js")).body, /</);
    await server.stop();
  },

  async "a token opens the page once exchanged, and is not told again"() {
    const server = await Server.start("--address", "0.0.0.0");
    const cookies = await enter(server, server.links[0]);
    for (const path of PATHS.slice(0, 6)) {
      const answer = await get(server, path, cookies);
      assert.equal(answer.status, 200, path);
      assert.ok(!answer.body.includes(tokenOf(server.links[0])));
      assert.match(answer.headers["content-security-policy"], /^default-src 'none'; script-src 'self'/);
      assert.equal(answer.headers["x-content-type-options"], "nosniff");
      assert.equal(answer.headers["referrer-policy"], "no-referrer");
      assert.equal(answer.headers["cache-control"], "no-store");
    }
    assert.equal((await get(server, "/nothing", cookies)).status, 404);
    await until("there is a picture", async () => (await get(server, "/snapshot.png", cookies)).status === 200);
    const elsewhere = await get(server, `/${new URL(server.links[1]).search}`, { "Sec-Fetch-Site": "cross-site" });
    assert.equal(elsewhere.status, 200); // a page that leads on: see oct-live-http.c
    assert.ok(elsewhere.headers["set-cookie"]);
    for (const link of server.links)
      assert.equal(server.output.split(tokenOf(link)).length, 2, "printed once");
    await server.stop();
  },

  async "who watches cannot control"() {
    const server = await Server.start("--address", "0.0.0.0");
    const viewer = await Talk.start(server, await enter(server, server.links[1]));
    const controller = await Talk.start(server, await enter(server, server.links[0]));
    await until("both are greeted", () => viewer.has("hello") && controller.has("hello"));
    assert.equal(viewer.messages[0].control, false);
    assert.equal(controller.messages[0].control, true);
    const states = controller.messages.filter((message) => message.type === "state").length;
    viewer.say(JSON.stringify({ type: "set", automatic: false, min: 1, max: 2 }));
    await until("it is refused", () => viewer.has("problem"));
    viewer.messages.length = 0;
    viewer.say(JSON.stringify({ type: "record", on: true }));
    await until("this too", () => viewer.has("problem"));
    viewer.messages.length = 0;
    viewer.say(JSON.stringify({ type: "focus", undo: false }));
    await until("and this", () => viewer.has("problem"));
    await controller.statuses(2);
    assert.equal(controller.messages.filter((message) => message.type === "state").length, states);
    assert.deepEqual(readdirSync(server.recordings), []);
    controller.say(JSON.stringify({ type: "set", automatic: false, min: 1, max: 2 }));
    const state = await until("control works", () => controller.messages.find(
      (message) => message.type === "state" && !message.automatic));
    assert.equal(state.max, 2);
    await server.stop();
  },

  async "tokens can be kept in a file, which is made"() {
    const server = await Server.start("--token-file", "tokens");
    const path = join(server.folder, "tokens");
    assert.equal(statSync(path).mode & 0o777, 0o600);
    assert.ok(!/[\w-]{40}/.test(server.output.replaceAll(server.folder, "")), "no token is printed");
    assert.equal((await get(server, "/")).status, 401);
    writeFileSync(path, "control short\nview short\n");
    const again = await execute(process.env.OCT_LIVE, ["--token-file", path, "--port", "0"]);
    assert.equal(again.status, 1);
    assert.match(again.stderr, /two lines/);
    assert.ok(!again.stderr.includes("short"));
    await server.stop();
  },

  async "an audit has who controlled, what was recorded, and which links were refused"() {
    const server = await Server.start("--token-file", "tokens", "--audit", "audit", "--keep-seconds", "2");
    const path = join(server.folder, "audit");
    const read = () => readFileSync(path, "utf8").split("\n").slice(0, -1);
    const events = () => read().map((line) => JSON.parse(line));
    const [control, view] = readFileSync(join(server.folder, "tokens"), "utf8").match(/[\w-]{20,}/g);
    let refused = 0; // a flood of them does not fill the disk
    for (let i = 0; i < 40; i++) refused += (await get(server, "/?token=wrong")).status === 401;
    const talk = await Talk.start(server, await enter(server, `http://localhost/?token=${control}`));
    const watcher = await Talk.start(server, await enter(server, `http://localhost/?token=${view}`));
    const say = (message) => talk.say(JSON.stringify(message));
    const has = (name, test = () => true) => until(name, () => events().some((line) => line.event === name && test(line)));
    await until("pictures come", () => talk.messages.some(({ type, frames }) => type === "status" && frames > 60));
    for (let i = 1; i < 20; i++) say({ type: "set", number: i, automatic: false, max: 60 + i });
    say({ type: "label", text: "Phantom \"7\"", side: "left", shown: false });
    say({ type: "record", on: true });
    await has("recording begun");
    say({ type: "record", on: true, extra: 1 }); // is not a command
    watcher.say(JSON.stringify({ type: "record", on: false })); // may not
    say({ type: "record", on: false });
    await has("recording ended", ({ images }) => images >= 0);
    say({ type: "keep" });
    await has("last seconds kept", ({ files }) => /kept-/.test(files));
    say({ type: "note", text: "too late" });
    await has("note", ({ refused }) => /nothing is being recorded/.test(refused));
    talk.vanish();
    await has("page closed", ({ by }) => by === "control");
    const { stdout: whole } = await execute(process.env.OCT_AUDIT, [path]);
    assert.equal(await server.stopKeeping(), 0);
    const all = events();
    assert.equal(all[0].event, "program begun");
    assert.equal(all.at(-1).event, "program ended");
    const links = all.filter(({ event }) => event === "link refused");
    assert.equal(links[0].by, "nobody");
    assert.ok(links.length < 20, `${links.length} lines of ${refused} links`);
    assert.ok(all.some(({ event, count }) => event === "more visits" && count > 0));
    assert.deepEqual(all.filter(({ event }) => event === "page opened").map(({ by }) => by), ["control", "view"]);
    assert.ok(all.filter(({ event }) => event === "set").length < 10, "many steps are one event");
    assert.match(all.find(({ event }) => event === "set").settings, /^automatic max$/);
    assert.deepEqual(all.filter(({ event }) => event === "record").map(({ on }) => on), [1, 0]);
    assert.equal(all.find(({ event }) => event === "label").text, "Phantom \"7\"");
    // each line has the hash of the one before, by another program than ours
    let before = "0".repeat(64);
    for (const [i, line] of read().entries()) {
      assert.equal(JSON.parse(line).number, i + 1);
      assert.equal(JSON.parse(line).before, before);
      before = createHash("sha256").update(line).digest("hex");
    }
    assert.match(whole, /^The chain is whole: \d+ events/);
    // the report counts in the files what the program said that it wrote
    const page = join(server.folder, "case.html");
    const made = await execute(process.env.OCT_AUDIT, ["--report", page, "--case", "Phantom \"7\"", "--recordings", server.recordings, path]);
    assert.equal(made.status, 0, made.stderr);
    const report = readFileSync(page, "utf8");
    const { images, dropped } = all.find(({ event }) => event === "recording ended");
    assert.ok(report.includes("Phantom &quot;7&quot;") && report.includes(before));
    if (images > 0 && dropped === 0) assert.ok(report.includes(`given ${images} images, dropped none, and the files have ${images}.`), report);
    const [kept] = readdirSync(server.recordings).filter((name) => /^kept-.*mkv$/.test(name));
    assert.ok(report.includes(createHash("sha256").update(readFileSync(join(server.recordings, kept))).digest("hex")));
    const last = await execute(process.env.OCT_AUDIT, ["--list", "--hash", before, path]);
    assert.equal(last.status, 0, last.stderr);
    assert.match(last.stdout, new RegExp(`Hash of the last line: ${before}`));
    assert.match(last.stdout, /recording ended; name: bscans-/);
    writeFileSync(path, `${read().slice(0, -1).join("\n")}\n`); // the last line is removed
    const short = await execute(process.env.OCT_AUDIT, ["--hash", before, path]);
    assert.equal(short.status, 1);
    assert.match(short.stderr, /no line has the hash/);
    writeFileSync(path, read().join("\n").replace("control", "CONTROL"));
    const changed = await execute(process.env.OCT_AUDIT, [path]);
    assert.equal(changed.status, 1);
    assert.match(changed.stderr, /^Error: Line \d+ of .* does not follow/);
    assert.equal(statSync(path).mode & 0o777, 0o600);
    server.clear();
  },

  async "pages of others cannot use it"() {
    const server = await Server.start();
    const refused = async (path, headers) => assert.equal((await get(server, path, headers)).status, 403);
    // a name that was made to lead here
    for (const host of ["evil.example", `evil.example:${server.port}`, "localhost.evil.example"]) {
      await refused("/", { Host: host });
      await refused("/snapshot.png", { Host: host });
      assert.equal((await Talk.start(server, { Host: host, Origin: `http://${host}` })).status, 403);
    }
    // a page that opens a WebSocket or shows our pictures
    for (const origin of ["http://evil.example", "null", `https://localhost:${server.port}`, "http://localhost:1"])
      assert.equal((await Talk.start(server, { Origin: origin })).status, 403, origin);
    const without = open(server);
    without.write(upgrade(server).replace(/Origin: .*\r\n/, ""));
    const [answer] = await new Promise((resolve) => { without.on("data", (data) => resolve([String(data)])); });
    assert.match(answer, /^HTTP\/1.1 403/);
    for (const site of ["cross-site", "same-site"]) await refused("/stream.mjpg", { "Sec-Fetch-Site": site });
    assert.equal((await get(server, "/", { "Sec-Fetch-Site": "cross-site" })).status, 200);
    assert.equal((await Talk.start(server)).status, 101);
    await server.stop();
  },

  async "a WebSocket is opened at one path, for our own page"() {
    for (const options of [[], ["--address", "0.0.0.0"]]) {
      const server = await Server.start(...options);
      const cookies = options.length > 0 ? await enter(server, server.links[0]) : {};
      const own = `http://localhost:${server.port}`;
      for (const path of ["/socket/", "/socket/x", "/socket%2f", "/socket%2Fx", "/socket;x", "/socket;", "/socket?x",
        "//socket", "/%73ocket", "/./socket", "/x/../socket", "/SOCKET", "/", "/live.js", "/snapshot.png", "/nothing"])
        for (const origin of ["http://evil.example", "null", `http://localhost:${server.port + 1}`, own]) {
          const talk = await Talk.start(server, { ...cookies, Origin: origin }, path);
          assert.equal(talk.status, origin === own ? 404 : 403, `${path} from ${origin}`);
        }
      for (const headers of [{ "Sec-Fetch-Site": "same-site" }, { "Sec-Fetch-Site": "cross-site" },
        { Origin: `http://127.0.0.1:${server.port}` }, { Origin: `${own}/` }, { Origin: own.toUpperCase() }])
        assert.equal((await Talk.start(server, { ...cookies, ...headers })).status, 403, JSON.stringify(headers));
      assert.equal((await Talk.start(server, { ...cookies, "Sec-Fetch-Site": "same-origin" })).status, 101);
      // asked for in another way
      for (const way of ["Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMAAABkAAQAoAAAAAIAAAAA",
        "Connection: upgrade", "Upgrade: websocket", "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=="])
        assert.match(await sendRaw(server, `GET / HTTP/1.1\r\nHost: localhost:${server.port}\r\n${way}\r\n\r\n`),
          /^HTTP\/1.1 403/);
      assert.equal(await server.stop(), 0);
    }
  },

  async "strange requests are refused with a sentence, no library complains"() {
    const server = await Server.start();
    const host = `Host: localhost:${server.port}`;
    for (const [text, status, words] of [
      ["GET / HTTP/1.0\r\n\r\n", 400, "names no host"], ["GET / HTTP/1.1\r\n\r\n", 400, "names no host"],
      [`GET / HTTP/1.1\r\n${host}\r\nContent-Length: -5\r\n\r\n`, 413, "nothing but its head"],
      [`GET / HTTP/1.1\r\n${host}\r\nContent-Length: 5\r\n\r\nhello`, 413, "nothing but its head"],
      [`GET / HTTP/1.1\r\n${host}\r\nContent-Length: 18446744073709551615\r\n\r\n`, 413, "nothing but its head"],
      [`GET / HTTP/1.1\r\n${host}\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, 413, "nothing but its head"],
      [`GET / HTTP/1.1\r\n${host}\r\nExpect: 100-continue\r\n\r\n`, 417, "nothing but its head"],
      [`POST / HTTP/1.1\r\n${host}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx\r\n`, 405, "Only GET"],
      [`CONNECT localhost:1 HTTP/1.1\r\n${host}\r\n\r\n`, 405, "Only GET"],
      [`OPTIONS * HTTP/1.1\r\n${host}\r\n\r\n`, 405, "Only GET"],
      ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 400, "understands"],
      [`GET http://evil.example/ HTTP/1.1\r\n${host}\r\n\r\n`, 400, "understands"],
      [`GET / HTTP/1.1\r\n${host}\r\n${host}\r\n\r\n`, 400, "understands"],
      [`GET /%00 HTTP/1.1\r\n${host}\r\n\r\n`, 400, "understands"],
      [`GET / HTTP/1.1\r\n${host}\r\n folded: x\r\n\r\n`, 400, "understands"],
      [`GET / HTTP/1.1\n${host}\n\n`, 400, "understands"], ["\0".repeat(100) + "\r\n\r\n", 400, "understands"],
      [`GET / HTTP/1.1\r\n${host}\r\n${"X: y\r\n".repeat(500)}\r\n`, 431, "too long"],
      [`GET /${"a".repeat(9000)} HTTP/1.1\r\n${host}\r\n\r\n`, 414, "too long"],
      [`GET / HTTP/1.1\r\n${host}\r\nRange: bytes=${"0-,".repeat(2000)}\r\n\r\n`, 200, "<!doctype html>"],
      [`HEAD /stream.mjpg HTTP/1.1\r\n${host}\r\n\r\n`, 200, ""]]) {
      const answer = await sendRaw(server, text);
      assert.match(answer, new RegExp(`^HTTP/1.[01] ${status} `), JSON.stringify(text.slice(0, 80)));
      assert.ok(answer.includes(words), `${JSON.stringify(text.slice(0, 80))}: ${answer}`);
      assert.match(answer, /\r\nConnection: close\r\n/i);
      assert.match(answer, /\r\nX-Content-Type-Options: nosniff\r\n/);
    }
    // an answer of its kind, then candidates that libnice would not expect
    const talk = await Talk.start(server);
    talk.say(JSON.stringify({ type: "watch", media: "webrtc" }));
    await until("there is an offer", () => talk.has("offer"));
    for (const candidate of ["1 0 udp 1 192.0.2.1 5 typ host", "1 -1 udp 1 192.0.2.1 5 typ host",
      "1 300 udp 1 192.0.2.1 5 typ host", "1 1 udp 99999999999 192.0.2.1 5 typ host",
      "1 1 udp 1 192.0.2.1 99999 typ host", "1 1 udp 1 evil.example 5 typ host", "1 1 udp 1 192.0.2.1 5 typ nothing",
      "1 1 tcp 1 192.0.2.1 5 typ host tcptype nothing"])
      talk.say(JSON.stringify({ type: "candidate", mline: 0, candidate: `candidate:${candidate}` }));
    // numbers that are written in another way than most
    for (const a2 of [1e-300, -1e-300, 5e-324, 1e-7, 1e9, 0])
      talk.say(JSON.stringify({ type: "set", a2, a3: -a2 }));
    await until("all is taken, and said in JSON", () =>
      talk.messages.filter((message) => message.type === "state" && message.a2 === 0).length > 1);
    assert.ok(talk.messages.some((message) => message.type === "state" && message.a2 !== 0 && Math.abs(message.a2) < 1e-299));
    talk.vanish();
    await assertAlive(server);
    assert.equal(await server.stop(), 0);
    assert.doesNotMatch(server.output, /CRITICAL|WARNING/);
  },

  async "a link to any address of this computer works"() {
    const server = await Server.start("--address", "127.0.0.2");
    const { host } = new URL(server.links[0]);
    assert.equal(host, `127.0.0.2:${server.port}`);
    server.at = "127.0.0.2";
    assert.equal((await get(server, "/", { Host: host })).status, 200);
    assert.equal((await Talk.start(server, { Host: host, Origin: `http://${host}` })).status, 101);
    for (const other of ["evil.example", "127.0.0.3", `127.0.0.20:${server.port}`])
      assert.equal((await get(server, "/", { Host: other })).status, 403, other);
    assert.equal(await server.stop(), 0);
  },

  async "pictures do not pile up for who asks for them and does not read"() {
    const server = await Server.start();
    const picture = open(server);
    picture.write("GET /stream.mjpg HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await until("they come", () => picture.bytesRead > 0);
    picture.pause();
    const talk = await Talk.start(server);
    await talk.statuses(2); // what lies between him and us is full
    const { memory } = server.usage();
    await talk.statuses(12);
    assert.ok(server.usage().memory < memory + 10, "pictures pile up for who does not read");
    picture.destroy();
    assert.equal(await server.stop(), 0);
  },

  async "a status is acknowledged by who has read it"() {
    const server = await Server.start();
    const talk = await Talk.start(server);
    talk.answering = false;
    await until("statuses come", () => talk.messages.filter((message) => message.type === "status").length >= 3);
    const numbers = talk.messages.filter((message) => message.type === "status").map((message) => message.number);
    for (const number of numbers) assert.ok(Number.isSafeInteger(number) && number > 2 ** 20, `${number}`);
    // guesses do not keep a conversation
    const guesses = setInterval(() => {
      for (let i = 0; i < 20; i++) talk.say(JSON.stringify({ type: "ack", number: i }));
    }, 1000);
    await until("it is ended", () => talk.socket.destroyed);
    clearInterval(guesses);
    await server.stop();
  },

  async "a message has an end, pings have a bound"() {
    const server = await Server.start();
    const attempts = {
      "parts too long together": [frame("x".repeat(30000), 1), frame("x".repeat(30000), 0)],
      "too many parts": [frame("", 1), ...Array.from({ length: 100 }, () => frame("", 0))],
      "too many pings": Array.from({ length: 100 }, () => frame("x", 128 | 9)),
      "too many pongs": Array.from({ length: 100 }, () => frame("x", 128 | 10)),
      "a long ping": [frame("x".repeat(126), 128 | 9)],
      "an unknown kind": [frame("x", 128 | 3)],
      "an extension": [frame("x", 128 | 64 | 1)],
    };
    for (const [name, frames] of Object.entries(attempts)) {
      const talk = await Talk.start(server);
      talk.socket.write(Buffer.concat(frames));
      assert.equal(await ended(talk.socket.ended), true, name);
    }
    // what a browser may do
    const talk = await Talk.start(server);
    talk.socket.write(Buffer.concat([frame("{\"type\":", 1), frame("x", 128 | 9), frame("\"record\",", 0),
      frame("\"on\":7}", 128)]));
    await until("it is read as one", () => talk.has("problem"));
    talk.vanish();
    await assertAlive(server);
    assert.equal(await server.stop(), 0);
  },

  async "no path leads out of the page, nothing but GET is taken"() {
    const server = await Server.start();
    for (const path of ["/../../etc/passwd", "/%2e%2e/%2e%2e/etc/passwd", "/recordings", "//etc/passwd",
      "/index.html", "/socket/x", `/${"a".repeat(5000)}`]) {
      const { status, body } = await get(server, path);
      assert.ok(status >= 400 && status < 500, `${path}: ${status}`);
      assert.ok(!body.includes("root:"), path);
    }
    for (const method of ["POST", "PUT", "DELETE", "OPTIONS"])
      assert.equal((await get(server, "/", {}, method)).status, 405, method);
    await assertAlive(server);
    await server.stop();
  },

  async "malformed, oversized and too many messages are survived"() {
    const server = await Server.start();
    const talk = await Talk.start(server);
    const nonsense = ["", "{", "null", "[1]", "\"type\"", "{\"type\":\"set\",\"min\":\"a\"}", "{\"type\":\"ack\"}",
      "[".repeat(30000), "{\"a\":".repeat(6000), "{\"type\":\"answer\",\"sdp\":\"v=0\"}", "\u0000",
      "{\"type\":\"candidate\",\"mline\":0,\"candidate\":\"candidate:x\"}",
      "{\"type\":\"record\",\"on\":true,\"folder\":\"/etc\"}",
      "{\"type\":\"set\",\"automatic\":false,\"min\":5,\"max\":5}",
      "{\"type\":\"set\",\"method\":\"fakesink\"}"];
    for (const text of nonsense) talk.say(text);
    talk.say(Buffer.from([0, 255, 254]), 2);
    talk.say("ping", 9);
    await until("they are refused", () =>
      talk.messages.filter((message) => message.type === "problem").length >= nonsense.length - 2);
    assert.equal(talk.closed, undefined);
    assert.deepEqual(readdirSync(server.recordings), []);
    // an answer that fits nothing, then one to an offer
    talk.say(JSON.stringify({ type: "watch", media: "webrtc" }));
    await until("there is an offer", () => talk.has("offer"));
    talk.say(JSON.stringify({ type: "answer", sdp: "v=0\r\nm=video 9 UDP/TLS/RTP/SAVPF 96\r\n" }));
    await until("the answer is refused", () => talk.has("failed"));
    talk.vanish();

    const large = await Talk.start(server);
    large.say(`{"type":"set","method":"${"a".repeat(40000)}"}`);
    await large.socket.ended;
    assert.ok(!large.has("problem"), "it was read to its end");
    const huge = await Talk.start(server);
    huge.say(Buffer.alloc(3_000_000, 0x20));
    await huge.socket.ended;
    const bad = await Talk.start(server);
    bad.say(Buffer.from([0xff, 0xfe, 0xfd]), 1);
    await bad.socket.ended;
    const many = await Talk.start(server);
    // a busy machine may read too few of them in a second at first
    await until("a flood ends the conversation", () => {
      for (let i = 0; i < 1000 && !many.socket.destroyed; i++) many.say("{\"type\":\"ack\",\"number\":0}");
      return many.closed === 1008;
    });
    const unmasked = await Talk.start(server);
    unmasked.socket.write(Buffer.concat([Buffer.from([0x81, 2]), Buffer.from("{}")]));
    await unmasked.socket.ended;
    await assertAlive(server);
    assert.equal(await server.stop(), 0);
  },

  async "requests that never end do not stay"() {
    const server = await Server.start();
    const silent = open(server);
    const slow = open(server);
    slow.write("GET / HTTP/1.1\r\n");
    const drip = setInterval(() => slow.write("X-A: b\r\n"), 1000);
    const endless = open(server);
    endless.write("POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n");
    const pour = setInterval(() => endless.write(`4000\r\n${"x".repeat(0x4000)}\r\n`), 5);
    const long = open(server);
    long.write("GET / HTTP/1.1\r\nHost: localhost\r\n");
    const headers = setInterval(() => long.write(`X: ${"y".repeat(8000)}\r\n`), 5);
    const before = server.usage();
    const closed = await ended(Promise.all([silent.ended, slow.ended, endless.ended, long.ended]));
    for (const timer of [drip, pour, headers]) clearInterval(timer);
    assert.deepEqual(closed, [true, true, true, true], "a connection stays open");
    assert.ok(server.usage().memory < before.memory + 30, "memory grows with what is sent");
    await assertAlive(server);
    await server.stop();
  },

  async "no more viewers than allowed, no more connections than fit"() {
    const server = await Server.start("--viewers", "2");
    const talks = [await Talk.start(server), await Talk.start(server)];
    const third = await Talk.start(server);
    await until("the third is told", () => third.has("bye"));
    await third.socket.ended;
    talks[0].vanish();
    await until("the place is free", async () => {
      const talk = await Talk.start(server);
      await until("an answer", () => talk.has("hello") || talk.has("bye"));
      const welcome = talk.has("hello");
      talk.vanish();
      return welcome;
    });
    // connections beyond the limit are closed, and the viewer does not suffer
    const crowd = Array.from({ length: 200 }, () => open(server));
    await talks[1].statuses(2);
    assert.ok(server.usage().files < 120, `${server.usage().files} files`);
    assert.equal(talks[1].closed, undefined);
    for (const socket of crowd) socket.destroy();
    await until("others are let in", async () =>
      (await get(server, "/").catch(() => null))?.status === 200);
    await assertAlive(server);
    await server.stop();
  },

  async "encrypted with a certificate"() {
    if (!await execute("openssl", ["version"]).catch(() => false)) return "openssl is not installed";
    const files = await Server.start();
    const [key, cert] = ["key", "cert"].map((name) => join(files.folder, name));
    await execute("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
      "-keyout", key, "-out", cert, "-days", "2", "-subj", "/CN=localhost"]);
    const server = await Server.start("--address", "0.0.0.0", "--cert", cert, "--key", key);
    assert.ok(server.links.every((link) => link.startsWith("https://")));
    const { request } = await import("node:https");
    const answer = await new Promise((resolve, reject) => {
      request({ host: "127.0.0.1", port: server.port, path: `/${new URL(server.links[0]).search}`,
        rejectUnauthorized: false }, resolve).on("error", reject).end();
    });
    assert.equal(answer.statusCode, 303);
    assert.match(answer.headers["set-cookie"][0], /; Secure/);
    answer.destroy();
    assert.match(answer.headers["strict-transport-security"], /^max-age=\d+$/);
    // what is older than TLS 1.2 has known weaknesses
    for (const [version, taken] of [["tls1", false], ["tls1_1", false], ["tls1_2", true], ["tls1_3", true]]) {
      const { stdout } = await execute("openssl", ["s_client", `-${version}`, "-cipher", "ALL:@SECLEVEL=0",
        "-connect", `127.0.0.1:${server.port}`]);
      assert.equal(/Cipher is (?!\(NONE\))/.test(stdout), taken, `${version}: ${stdout}`);
    }
    assert.equal((await Talk.start(server, await enter(server, server.links[0]))).status, 101);
    const plain = open(server, "127.0.0.1", false);
    plain.write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await plain.ended;
    assert.equal(await server.stop(), 0);
    await files.stop();
    return undefined;
  },

  async "who opens page after page gets no more videos by that"() {
    const server = await Server.start("--address", "0.0.0.0");
    const cookies = await enter(server, server.links[1]);
    const before = performance.now();
    let offers = 0;
    for (let i = 0; i < 40; i++) {
      const talk = await Talk.start(server, cookies);
      talk.say(JSON.stringify({ type: "watch", media: "webrtc" }));
      await until("an answer", () => talk.has("offer") || talk.has("failed"));
      offers += talk.has("offer");
      talk.vanish();
    }
    const seconds = (performance.now() - before) / 1000;
    assert.ok(offers >= 10 && offers <= 16 + 5 * seconds, `${offers} in ${seconds} s`);
    const controller = await Talk.start(server, await enter(server, server.links[0]));
    controller.say(JSON.stringify({ type: "watch", media: "webrtc" }));
    await until("who controls gets his", () => controller.has("offer"));
    await server.stop();
  },

  async "wrong options are one sentence"() {
    for (const [options, words] of [
      [["--address", "here"], "--address"], [["--port", "70000"], "--port"], [["--viewers", "0"], "--viewers"],
      [["--cert", "x"], "--key"], [["--data", "nowhere.raw", "--samples", "8", "--lines", "8"], "nowhere.raw"],
      [["--depth-start", "-2"], "--depth-start"], [["--depth-um", "900", "200"], "--depth-um"],
      [["--depth-um", "200", "900", "--depth-bins", "20"], "--depth-um"], [["--average", "0"], "--average"],
      [["--images", "videotestsrc", "--speckle"], "--speckle"], [["--window", "box"], "window"], [["--background", "dark"], "background"],
      [["--images", "videotestsrc", "--depth-bins", "20"], "--depth-bins"],
      [["--source", "nonsense !"], "--source"], [["--images", "nosuchelement"], "--images"],
      [["--source", "audiotestsrc"], "raw spectra"], [["--images", "audiotestsrc"], "pictures"],
      [["--cert", "/nowhere", "--key", "/nowhere"], "/nowhere"], [["--record", "/proc/x"], "--record"],
      [["--data", "a", "--images", "b"], "Only one"], [["--samples", "8"], "--data"], [["x"], "'x'"],
      [["--udp-ports", "9-1"], "--udp-ports"], [["--refractive-index", "nan"], "--refractive-index"],
      [["--bscans", "-1"], "--bscans"], [["--bscans", "8193"], "--bscans"], [["--length-um", "nan"], "--length-um"]]) {
      const { status, stdout, stderr } = await execute(process.env.OCT_LIVE, ["--port", "0", ...options],
        { cwd: "/tmp" });
      assert.ok(status === 1 || status === 2, `${options}: ${status}\n${stdout}${stderr}`);
      assert.ok(stderr.includes(words), `${options}: ${stderr}`);
      assert.equal(stderr.trim().split("\n").length, 1, stderr);
    }
    assert.ok(!existsSync("/proc/x"));
  },
};

// By itself: it takes all the places of the server.
const tests = {
  async "who does not read or answer is let go, the others notice nothing"() {
    const server = await Server.start("--viewers", "4");
    const good = await Talk.start(server);
    const mute = await Talk.start(server); // reads, but does not answer
    mute.answering = false;
    const stalled = await Talk.start(server); // neither
    stalled.answering = false;
    stalled.socket.pause();
    const picture = open(server); // asks for pictures and does not read them
    picture.write("GET /stream.mjpg HTTP/1.1\r\nHost: localhost\r\n\r\n");
    await until("they come", () => picture.bytesRead > 0);
    picture.pause();
    const gone = await Talk.start(server);
    gone.vanish();
    assert.equal((await until("a status", () => good.messages.findLast((m) => m.type === "status"))).type, "status");
    await until("the mute one is let go", () => mute.socket.destroyed);
    await until("only the good one is left", () => {
      const status = good.messages.findLast((message) => message.type === "status");
      return status.viewers === 1;
    });
    assert.equal(good.closed, undefined);
    const { frames } = good.messages.findLast((message) => message.type === "status");
    await until("pictures go on", () =>
      good.messages.findLast((message) => message.type === "status").frames > frames + 20);
    picture.destroy();
    assert.equal(await server.stop(), 0);
  },
};

await run(tests, { browser: false, together });
