// SPDX-License-Identifier: LGPL-2.1-or-later
// The answers of oct-live to a fixed conversation, for tests/same.sh:
//   OCT_LIVE=PROGRAM node session.mjs FILE
// FILE gets each message of the page with the server's answers, without members
// that depend on time or on the speed of this computer.
import { writeFileSync } from "node:fs";

import { run, Server, until } from "../live/lib.mjs";
import { get, Talk } from "../live/wire.mjs";

const SOURCE = ["--source", "octsrc samples=256 lines=32 bscans=8 is-live=true line-rate=960", "--bscans", "8"];

// Members that depend on time, and those that change when images come or fail to.
const UNSTEADY = new Set(["number", "time", "roundTrip", "frames", "dropped", "missed", "rate", "viewers",
  "recording", "changing", "fillNote", "focusing", "taking", "focusNote", "trouble",
  "bscans", "sizeX", "sizeY", "sizeZ", "picture", "panels"]);
const steady = (message) => Object.fromEntries(Object.entries(message).filter(([name]) => !UNSTEADY.has(name)));

// What a message says that the last one of its type did not, "" for nothing.
const told = new Map();
function describe(message) {
  const { type, ...members } = steady(message);
  const before = type === "problem" ? {} : told.get(type) ?? {};
  told.set(type, members);
  const changes = Object.entries(members).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(before[name]));
  return changes.length > 0 ? `${type} ${JSON.stringify(Object.fromEntries(changes))}` : "";
}

const set = (members) => ({ type: "set", ...members });
const look = (members) => ({ type: "look", ...members });

// Objects, or text that is sent as it is.
const SAID = [
  set({ automatic: false }), set({ min: 5, max: 55 }), set({ min: 55, max: 5 }), set({ min: 1001 }), set({ min: "5" }),
  set({ a2: 20 }), set({ a2: -20.5, a3: 100 }), set({ a2: 1e10 }), set({ a2: null }), set({ a2: 0, a3: 0 }),
  set({ phase2: 3.5 }), set({ phase3: -2 }), set({ phase2: 1e7 }), set({ phase2: 0, phase3: 0 }),
  set({ method: "nufft" }), set({ method: "cubic" }), set({ method: "linear" }), set({ method: "nothing" }), set({ method: "" }),
  set({ method: "cs" }), set({ solver: "sparsa" }), set({ solver: "nothing" }), set({ tau: 2 }), set({ tau: -1 }),
  set({ samplingRate: 0.5 }), set({ samplingRate: 0 }), set({ method: "nufft" }),
  set({ fill: "linear" }), set({ fill: "joint" }), set({ fill: "nothing" }), set({ still: true }), set({ still: "true" }),
  set({ density: 2.5 }), set({ density: 11 }), set({ rollOff: true }), set({ rollOff: 1 }), set({}), set({ unknown: 1 }),
  look({ show: "volume" }), look({ show: "enface" }), look({ show: "planes" }), look({ show: "nothing" }),
  look({ yaw: 20, pitch: -10, zoom: 2 }), look({ yaw: 400 }), look({ zoom: 0.1 }), look({ panX: 0.5, panY: -0.5 }),
  look({ rendering: "mip" }), look({ rendering: "nothing" }), look({ threshold: 60, opacity: 2 }),
  look({ stereo: true }), look({ stereo: "none" }), look({ cropLeft: 0.2, cropRight: 0.8 }),
  look({ cropLeft: 0.9, cropRight: 0.1 }), look({ cropFront: 0.1, cropBack: 0.9, cropTop: 0.1, cropBottom: 0.7 }),
  look({ cutX: 0.5, cutY: 0.5 }), look({ slabMode: "max", flatten: true }), look({ flatten: "yes" }),
  look({ slabStart: -20, slabThickness: 100 }), look({ atX: 0.3, atY: 0.4, atZ: 0.5 }), look({ atX: 1.1 }), look({}),
  { type: "focus", undo: true }, { type: "focus" }, { type: "refine", more: 1 }, { type: "meters", on: 1 },
  { type: "record", on: "yes" }, { type: "answer", sdp: "nothing" }, { type: "candidate", mline: 0, candidate: "nothing" },
  { type: "ack", number: -1 }, { type: "nothing" }, "", "null", "[]", "{", "{\"type\":", "\u0000"];

// The parser refuses this at once, after all that came before, with a sentence that
// no other message causes.
const FENCE = JSON.stringify({ type: "watch", media: "nothing" });
const isFence = ({ type, message }) => type === "problem" && message.includes('"media"');

async function ask(talk, said) {
  const from = talk.messages.length;
  talk.say(typeof said === "string" ? said : JSON.stringify(said));
  talk.say(FENCE);
  const answers = () => talk.messages.slice(from).filter(({ type }) => !["status", "meters"].includes(type));
  await until("the end is answered", () => answers().some(isFence));
  // a look is answered a little later, also one that does not fit, but not one that
  // the parser refuses
  const parsed = !answers().some(({ type, message }) => type === "problem" && !isFence({ type, message }) && /^(The|A) message/.test(message));
  if (said.type === "look" && parsed) await until("the look is answered", () => answers().some(({ type }) => type === "look"));
  return answers().filter((answer) => !isFence(answer)).map(describe).filter((change) => change !== "");
}

await run({
  async "a session is recorded"() {
    const server = await Server.start(...SOURCE);
    const talk = await Talk.start(server);
    const lines = [];
    await until("there are images", () => talk.messages.some(({ type, depths }) => type === "status" && depths > 0));
    for (const type of ["hello", "state", "look"])
      lines.push(`greeted: ${describe(talk.messages.find((message) => message.type === type))}`);
    lines.push(describe(talk.messages.findLast(({ type, depths }) => type === "status" && depths > 0)));
    for (const said of SAID) {
      lines.push(`> ${JSON.stringify(said)}`);
      for (const answer of await ask(talk, said)) lines.push(`  ${answer}`);
    }
    for (const path of ["/", "/live.js", "/nothing", "/calibration.csv"]) {
      const { status, headers } = await get(server, path);
      lines.push(`GET ${path}: ${status} ${headers["content-type"]}`);
    }
    talk.vanish();
    writeFileSync(process.argv[2], `${lines.join("\n")}\n`);
  },
}, { browser: false });
