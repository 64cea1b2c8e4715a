// SPDX-License-Identifier: LGPL-2.1-or-later
// The source chosen on the page: from the first start to a picture, again with what
// was saved, with what does not work, and with pages that mean harm.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync,
  writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { act, ended, execute, openBrowser, run, Server, until, waitForVideo } from "./lib.mjs";
import { get, Talk } from "./wire.mjs";

let browser;

const last = (talk, type) => talk.messages.filter((message) => message.type === type).at(-1);

// Homes of a user: instruments are in one, recordings in the other.
const homeOf = (folder) => ({ XDG_DATA_HOME: join(folder, "data"), XDG_CONFIG_HOME: join(folder, "config"),
  XDG_RUNTIME_DIR: join(folder, "run"), HOME: folder });

async function inFolder(action) {
  const folder = mkdtempSync(join(tmpdir(), "oct-setup-"));
  mkdirSync(join(folder, "run"), { mode: 0o700 });
  try {
    return await action(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const startSetup = (folder, ...options) =>
  Server.startInside(mkdtempSync(join(tmpdir(), "oct-live-")), homeOf(folder), "--setup", ...options);

// The page, when the search is over.
async function openSetup(server) {
  const page = await browser.visit(server.links[0]);
  await isSetup(page);
  return page;
}

const isSetup = (page) => until("the choice is offered", async () => await page.locator("#start").count() > 0
  && await page.locator("#sources input").count() > 0 && await page.locator("#seeking").textContent() === ""
  && page.locator("#start").isEnabled());

const isLive = (page) => until("the page has changed", async () => await page.locator("#video").count() > 0);
const chosen = (page) => page.evaluate(() => document.querySelector("#sources :checked")?.value);

// The sentence that the page shows.
const problem = (page) => until("a sentence is shown", async () => await page.locator("#problem").count() > 0
  && await page.locator("#problem").isVisible() && page.locator("#problem").textContent());

// The Cookie header of a link's session.
async function enter(server, link = server.links[0]) {
  const { headers } = await get(server, `/?token=${new URL(link).searchParams.get("token")}`);
  return { Cookie: headers["set-cookie"][0].split(";")[0] };
}

// A conversation after the search.
async function talkTo(server, headers) {
  const talk = await Talk.start(server, headers ?? await enter(server));
  await until("the choice is offered", () => last(talk, "setup")?.seeking === false || last(talk, "setup")?.control === false);
  return talk;
}

// A conversation that begins with a message of this type: of the choice, or of
// pictures.  One that ends meanwhile does not count.
const reach = (server, type) => until(`oct-live says ${type}`, async () => {
  const talk = await Talk.start(server, await enter(server));
  await until("it says something", () => talk.messages.length > 0 || talk.socket.destroyed);
  return talk.has(type) && talk;
});

const BEGIN = { type: "begin", source: "virtual", microscope: "", calibration: "", instrument: "", save: "", flow: false,
  record: false };
const begin = (talk, change = {}) => talk.say(JSON.stringify({ ...BEGIN, ...change }));

// What oct-live says to a message, one of them at a time.
async function answerTo(talk, text) {
  const count = talk.messages.filter(({ type }) => type === "problem").length;
  talk.say(text);
  await until("it is answered", () => talk.messages.filter(({ type }) => type === "problem").length > count);
  return last(talk, "problem").message;
}

const tests = {
  async "from the first start to a picture; saved, it is what the next start offers"() {
    await inFolder(async (folder) => {
      const server = await startSetup(folder);
      const page = await openSetup(server);
      assert.equal(await chosen(page), "virtual");
      await page.fill("#save", "Bench 3");
      await page.fill("#bscans", "16");
      await page.click("#start");
      await isLive(page);
      await waitForVideo(page);
      await until("volumes are offered", () => page.locator("#tabs").isVisible());
      assert.equal(await server.stop(), 0);

      const again = await startSetup(folder);
      const next = await openSetup(again);
      await until("what was saved comes first", async () => await next.inputValue("#instrument") === "Bench 3");
      assert.equal(await chosen(next), "virtual");
      assert.equal(await next.inputValue("#bscans"), "16");
      assert.equal(await next.inputValue("#save"), "Bench 3");
      await next.click("#start");
      await isLive(next);
      await waitForVideo(next);
      assert.deepEqual(next.problems, []);
      assert.equal(await again.stop(), 0);
    });
  },

  async "another source: not during a recording, then as often as one likes; the page ends the program"() {
    await inFolder(async (folder) => {
      const server = await startSetup(folder);
      const page = await openSetup(server);
      await page.check("#record");
      await page.click("#start");
      await isLive(page);
      await act(page, "a recording begins", () => page.click("#record"),
        async () => await page.locator("#record").getAttribute("aria-pressed") === "true");
      const talk = await Talk.start(server, await enter(server));
      assert.match(await answerTo(talk, '{"type":"leave"}'), /^A recording is being made; end it/);
      talk.say('{"type":"record","on":false}');
      await until("it has ended", () => last(talk, "state")?.recording?.active === false);
      const videos = join(folder, "OCT");
      assert.ok(readdirSync(videos).some((name) => name.endsWith(".mkv")), "in the folder that the page has named");
      for (let i = 0; i < 3; i++) {
        await page.click("#leave");
        await isSetup(page);
        assert.ok(await page.isChecked("#record"), "as it was chosen last");
        await page.click("#start");
        await isLive(page);
      }
      await waitForVideo(page);
      await page.click("#leave");
      await isSetup(page);
      await page.click("#quit");
      assert.equal(await ended(server.exited), 0);
      server.clear();
    });
  },

  async "what does not work is a sentence on the page, and nothing of it is saved"() {
    await inFolder(async (folder) => {
      const files = join(folder, "files");
      mkdirSync(files);
      writeFileSync(join(files, "noise.raw"), Buffer.alloc(64 * 512 * 2 * 4, 7));
      writeFileSync(join(files, "wrong.csv"), "this is no calibration\n");
      const server = await startSetup(folder, "--files", files);
      const page = await openSetup(server);
      await page.fill("#bscans", "16");
      await page.fill("#repeats", "3");
      await page.click("#start");
      assert.match(await problem(page), /--bscans counts all repeats: it is a multiple of --repeats\.$/);
      await page.fill("#bscans", "");
      await page.fill("#repeats", "");
      // begins, but no pictures come: back to the choice
      await page.check("#sources input[value='file:noise.raw']");
      await page.fill("#save", "Broken");
      await page.selectOption("#calibration", "calibration:wrong.csv");
      await page.fill("#samples", "512");
      await page.fill("#lines", "64");
      await page.click("#start");
      const said = await until("a sentence comes back", async () => await page.locator("#start").count() > 0
        && await page.locator("#problem").isVisible() && page.locator("#problem").textContent());
      assert.match(said, /wrong\.csv/);
      await isSetup(page);
      const names = await page.locator("#instrument option").allTextContents();
      assert.ok(!names.includes("Broken"), names.join());
      // the same page goes on
      await page.check("#sources input[value='virtual']");
      await page.click("#start");
      await isLive(page);
      await waitForVideo(page);
      assert.equal(await server.stop(), 0);
    });
  },

  async "rings of digitizers are found; one that has gone is refused"() {
    await inFolder(async (folder) => {
      const socket = join(folder, "daq-1");
      const daq = spawn(process.env.OCT_DAQ_SIM, ["--lines", "64", "--bscans", "8", "--samples", "512", "--line-rate", "1280",
        "--k-clock", socket], { stdio: "ignore" });
      const over = new Promise((resolve) => { daq.on("close", resolve); });
      try {
        await until("the socket is there", () => existsSync(socket));
        const server = await startSetup(folder);
        const talk = await talkTo(server);
        const ring = last(talk, "setup").found.find(({ key }) => key === `digitizer:${socket}`);
        assert.match(ring.label, /64 A-lines in a B-scan, 1\.28 kHz, with k-clock$/);
        begin(talk, { source: ring.key });
        const live = await reach(server, "hello");
        await until("pictures come", () => last(live, "status")?.frames > 3);
        live.say('{"type":"leave"}');
        const back = await reach(server, "setup");
        await until("the search is over", () => !last(back, "setup").seeking);
        daq.kill("SIGKILL");
        await over;
        assert.match(await answerTo(back, JSON.stringify({ ...BEGIN, source: ring.key })), /daq-1.*\.$/);
        assert.equal(await server.stop(), 0);
      } finally {
        daq.kill("SIGKILL");
        await over;
      }
    });
  },

  async "those who only watch see no lists and choose nothing; nobody names a file"() {
    await inFolder(async (folder) => {
      const files = join(folder, "files");
      mkdirSync(files);
      writeFileSync(join(files, "a.npy"), "x");
      symlinkSync("/etc/passwd", join(files, "link.raw"));
      const server = await startSetup(folder, "--files", files, "--token-file", "tokens");
      const [control, view] = readFileSync(join(server.folder, "tokens"), "utf8").match(/[\w-]{20,}/g)
        .map((token) => `http://localhost/?token=${token}`);
      assert.equal((await get(server, "/")).status, 401);
      const watching = await enter(server, view);
      const watcher = await talkTo(server, watching);
      assert.deepEqual(Object.keys(last(watcher, "setup")).sort(), ["begins", "control", "type"]);
      for (const message of [BEGIN, { type: "seek" }, { type: "quit" }, { type: "leave" }])
        assert.match(await answerTo(watcher, JSON.stringify(message)), /^This link is for watching/);
      for (const path of ["/snapshot.png", "/stream.mjpg", "/calibration.csv"])
        assert.equal((await get(server, path, watching)).status, 503, path);

      const talk = await talkTo(server, await enter(server, control));
      const { found } = last(talk, "setup");
      assert.ok(found.some(({ key }) => key === "file:a.npy"));
      assert.ok(!found.some(({ key }) => key.includes("link")), "links lead out of the folder");
      assert.ok(found.every((one) => Object.keys(one).sort().join() === "key,kind,label"), "arguments stay here");
      const say = (change) => answerTo(talk, JSON.stringify({ ...BEGIN, ...change }));
      for (const source of ["", "camera:nobody", "file:link.raw", "file:../a.npy", "file:/etc/passwd", "/etc/passwd",
        "given", "--data=/etc/passwd", "--source=fakesrc", "microscope", "calibration"])
        assert.match(await say({ source }), /^This source is not there any more/, source);
      for (const [name, value] of [["microscope", "virtual"], ["microscope", "microscope:/dev/video99"],
        ["calibration", "file:a.npy"], ["calibration", "calibration:../../etc/passwd"]])
        assert.match(await say({ [name]: value }), /^This (microscope|calibration) is not there any more/);
      assert.match(await say({ instrument: "../../x" }), /^This instrument does not exist any more/);
      assert.match(await say({ save: "[x]" }), /--save-instrument is a name/);
      for (const change of [{ save: "a\nb" }, { source: "a\nb" }, { source: 1 }, { bscans: 0 }, { bscans: 1.5 },
        { "width-um": "5" }, { "refractive-index": 9 }, { data: "/etc/passwd" }, { record: "/etc" }, { images: "x" },
        { "save-instrument": "x" }, { flow: 1 }])
        assert.match(await say(change), /not allowed\.$|must not have\.$/, JSON.stringify(change));
      assert.equal(last(talk, "setup").begins, false);
      assert.deepEqual(last(talk, "setup").instruments, []);
      assert.equal(await server.stop(), 0);
    });
  },

  async "a burst of starts begins once; other commands wait; pages may come and go meanwhile"() {
    await inFolder(async (folder) => {
      const server = await startSetup(folder);
      const talk = await talkTo(server);
      for (const type of ["keep", "refine", "background", "leave", "tune"])
        assert.match(await answerTo(talk, JSON.stringify({ type })), /^No source has been chosen yet/);
      for (let i = 0; i < 20; i++) talk.say('{"type":"seek"}');
      const others = await Promise.all([1, 2, 3].map(() => talkTo(server)));
      for (let i = 0; i < 30; i++) for (const one of [talk, ...others]) begin(one, { save: `Burst ${i}` });
      others[0].vanish();
      const live = await reach(server, "hello");
      await until("pictures come", () => last(live, "status")?.frames > 3);
      for (let i = 0; i < 10; i++) live.say('{"type":"leave"}');
      const back = await reach(server, "setup");
      await until("the search is over", () => !last(back, "setup").seeking);
      assert.equal(last(back, "setup").instruments.map(({ name }) => name).join(), "Burst 0");
      assert.match(await answerTo(back, JSON.stringify({ ...BEGIN, save: "Burst 0" })), /^There is an instrument 'Burst 0' already/);
      assert.equal(await server.stop(), 0);
    });
  },

  async "the desktop opens the page once: a second start leads to the first, and no list of processes has a token"() {
    await inFolder(async (folder) => {
      const environment = homeOf(folder);
      const log = join(folder, "opened");
      const program = join(folder, "browser.sh");
      writeFileSync(program, `#!/bin/sh\necho "$*" >>${log}.part\nmv ${log}.part ${log}\n`);
      chmodSync(program, 0o755);
      mkdirSync(join(folder, "data", "applications"), { recursive: true });
      mkdirSync(join(folder, "config"));
      writeFileSync(join(folder, "data", "applications", "test.desktop"),
        `[Desktop Entry]\nType=Application\nName=Test\nExec=${program} %u\nMimeType=text/html;x-scheme-handler/http;\n`);
      writeFileSync(join(folder, "config", "mimeapps.list"),
        "[Default Applications]\ntext/html=test.desktop\nx-scheme-handler/http=test.desktop\n");
      const opened = () => until("a browser is opened", () => existsSync(log) && readFileSync(log, "utf8").trim());
      const server = await startSetup(folder, "--open");
      const page = (await opened()).replace("file://", "");
      assert.equal(page, join(folder, "run", "oct-live-setup.html"));
      assert.equal(statSync(page).mode & 0o777, 0o600);
      assert.ok(readFileSync(page, "utf8").includes(`url=${server.links[0]}"`));
      rmSync(log);
      const second = await execute(process.env.OCT_LIVE, ["--setup", "--open", "--port", "0"],
        { env: { ...process.env, ...environment } });
      assert.equal(second.status, 0, second.stderr);
      assert.match(second.stdout, /runs already/);
      assert.ok(!second.stdout.includes("token="));
      assert.equal((await opened()).replace("file://", ""), page);
      rmSync(log);
      assert.equal(await server.stop(), 0);
      assert.deepEqual(readdirSync(join(folder, "run")).filter((name) => name.includes("oct")), []);

      // without tokens nothing is secret
      const open = await Server.startInside(mkdtempSync(join(tmpdir(), "oct-live-")), environment, "--open");
      assert.equal(await opened(), `${open.url}/`);
      assert.equal(await open.stop(), 0);
    });
  },
};

browser = await openBrowser();
await run({}, { together: tests });
