// SPDX-License-Identifier: LGPL-2.1-or-later
// What the tests share: oct-live, a browser, TAP.
import assert from "node:assert/strict";
import { AsyncLocalStorage } from "node:async_hooks";
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const CHROMIUM = ["/usr/bin/chromium", "/usr/bin/chromium-browser"].find((path) => existsSync(path));

export const sleep = (milliseconds) => new Promise((resolve) => { setTimeout(resolve, milliseconds); });

// Seconds after which something counts as not coming at all.  It is long, since a
// busy machine may be many times slower; no test depends on how long a thing takes.
const PATIENCE = 300;

// Signals of a program that has made a mistake.
const CRASHES = ["SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGTRAP"];

// Waits until `test` gives something true; nothing comes from a server that has
// crashed.
export async function until(what, test) {
  const end = performance.now() + PATIENCE * 1000;
  for (;;) {
    for (const { process: { signalCode } } of opened.getStore()?.servers ?? [])
      assert.ok(!CRASHES.includes(signalCode), `${what}: oct-live has ended by ${signalCode}`);
    const value = await test();
    if (value) return value;
    if (performance.now() > end) assert.fail(`${what}: not within ${PATIENCE} s`);
    await sleep(50);
  }
}

// What `promise` gives, or "still waiting".
export const ended = (promise) =>
  Promise.race([promise, sleep(PATIENCE * 1000).then(() => "still waiting")]);

export const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

// What a test has opened, servers and pages: several may run at the same time.
const opened = new AsyncLocalStorage();

// oct-live as a process; `links` are what it has printed.
export class Server {
  static start(...options) {
    return Server.startWith({}, ...options);
  }

  // ... with these variables in its environment.
  static startWith(environment, ...options) {
    const folder = mkdtempSync(join(tmpdir(), "oct-live-"));
    return Server.startInside(folder, environment, "--record", join(folder, "recordings"), ...options);
  }

  // ... in this folder, which goes with it, and with these options alone.
  static async startInside(folder, environment, ...options) {
    const server = new Server();
    server.folder = folder;
    server.recordings = join(folder, "recordings");
    server.output = "";
    server.process = spawn(process.env.OCT_LIVE, ["--port", "0", ...options],
      { cwd: server.folder, stdio: ["ignore", "pipe", "pipe"],
        // a critical of a library is a mistake of ours, or an open door
        env: { ...process.env, G_DEBUG: "fatal-criticals", ...environment } });
    server.siblings = opened.getStore().servers;
    server.siblings.add(server);
    server.exited = new Promise((resolve) => {
      // with all that it has printed
      server.process.on("close", (code, signal) => resolve(code ?? signal));
    });
    for (const stream of [server.process.stdout, server.process.stderr])
      stream.on("data", (data) => { server.output += data; });
    await until("oct-live prints its links", () => {
      // it may have ended right after that
      if (server.output.includes("Ctrl-C")) return true;
      assert.equal(server.process.exitCode ?? server.process.signalCode, null, server.output);
      return false;
    });
    server.links = server.output.match(/https?:\/\/\S+/g);
    server.port = Number(new URL(server.links[0]).port);
    server.encrypted = server.links[0].startsWith("https:");
    server.url = `http://127.0.0.1:${server.port}`;
    return server;
  }

  // Its page that waits for WebRTC as long as a busy machine needs for it.
  get video() {
    return `${this.url}/?media=webrtc`;
  }

  // Ctrl-C; gives the exit status.  stopKeeping leaves the folder, and stop does if it
  // has ended badly: what it said is reported.
  stopKeeping() {
    this.process.kill("SIGINT");
    return ended(this.exited);
  }

  async stop() {
    const status = await this.stopKeeping();
    // a crash; a test that kills it asks for nothing here
    assert.ok(Number.isInteger(status) || status === "SIGKILL", `oct-live was ended by ${status}`);
    if (status === 0) this.clear();
    return status;
  }

  clear() {
    if (this.process.exitCode === null) this.process.kill("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
    this.siblings.delete(this);
  }

  // Of the process: open files, threads, resident memory in MB.
  usage() {
    const path = `/proc/${this.process.pid}`;
    const status = readFileSync(`${path}/status`, "latin1");
    const number = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]);
    return { files: readdirSync(`${path}/fd`).length, threads: number("Threads"),
      memory: number("VmRSS") / 1024 };
  }

  // What its threads do or did, if gdb is installed: of one that hangs, and of one
  // that has crashed if that leaves a core file (ulimit -c unlimited).
  async trace() {
    const { exitCode, signalCode, pid } = this.process;
    const core = readdirSync(this.folder).find((name) => name.startsWith("core"));
    const runs = exitCode === null && signalCode === null;
    if (!runs && !core) return "";
    const { stdout } = await execute("gdb", ["-batch", "-nx", "-ex", "set print thread-events off",
      "-ex", "thread apply all backtrace 40", ...(runs ? ["-p", String(pid)] : [process.env.OCT_LIVE, join(this.folder, core)])])
      .catch(() => ({ stdout: "" }));
    return stdout && `its threads:\n${stdout}`;
  }

  // The names of its threads; one that ends meanwhile has none.
  threads() {
    const folder = `/proc/${this.process.pid}/task`;
    return readdirSync(folder).map((thread) => {
      try { return readFileSync(`${folder}/${thread}/comm`, "latin1"); } catch { return ""; }
    });
  }
}

// The browser; every page keeps its WebRTC connections in window.connections.  A
// page at the address of a server waits for WebRTC as long as a busy machine needs
// for it; one that is led there with goto() takes JPEG after some seconds.
export async function openBrowser() {
  const { chromium } = await import("playwright-core");
  const browser = await chromium.launch({ executablePath: CHROMIUM, headless: true, timeout: PATIENCE * 1000,
    args: ["--no-sandbox", "--autoplay-policy=no-user-gesture-required"] });
  browser.visit = async (url, options = {}) => {
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options });
    context.setDefaultTimeout(PATIENCE * 1000);
    opened.getStore().contexts.push(context);
    const page = await context.newPage();
    page.problems = [];
    page.on("pageerror", (error) => page.problems.push(String(error)));
    await page.addInitScript(() => {
      window.connections = [];
      window.sockets = 0;
      window.WebSocket = class extends window.WebSocket {
        constructor(...values) {
          super(...values);
          window.sockets++;
        }
      };
      const Original = window.RTCPeerConnection;
      window.RTCPeerConnection = class extends Original {
        constructor(...values) {
          super(...values);
          window.connections.push(this);
        }
      };
    });
    // a link with a token leads to the page, and to nothing else that it asks for
    if (/[?&]token=/.test(url)) await page.goto(url);
    await page.goto(/^http/.test(url) && !url.includes("media=") ? `${new URL(url).origin}/?media=webrtc` : url);
    return page;
  };
  return browser;
}

// Frames received and decoded so far, and the browser's time of that (ms).
export const decoded = (page) => page.evaluate(async () => {
  for (const connection of window.connections)
    for (const report of (await connection.getStats()).values())
      if (report.type === "inbound-rtp" && connection.connectionState === "connected")
        return { frames: report.framesDecoded, received: report.framesReceived, time: report.timestamp };
  return { frames: 0, received: 0, time: 0 };
});

// Does `action` on a page of who controls and waits for what comes of it.  A page
// that a busy machine holds up for 10 s loses its connection, and what it has sent
// by it; then it is done again, as a person would.
export async function act(page, what, action, test) {
  for (;;) {
    await until("the page is connected", () => page.locator("#record").isEnabled());
    const sockets = await page.evaluate(() => window.sockets);
    await action();
    const lost = async () => (await page.evaluate(() => window.sockets)) !== sockets && "lost";
    const came = await until(what, async () => await test() || lost());
    if (came !== "lost") return came;
  }
}

// ms for which a page asks whether a recording is to end
export const ASKING = 5000;

// Ticks a box, and again if the state of a connection that was lost has taken that
// back, as a person would.
export const tick = (page, selector) => until(`${selector} is ticked`, async () => {
  const box = page.locator(selector);
  if (await box.isChecked()) return true;
  await box.click();
  return false;
});

// The timers of so many milliseconds of pages that are opened from now on do not
// run down: letTimerRun() ends the newest one, however slow the machine is.
export const holdTimers = (page, milliseconds) => page.addInitScript((held) => {
  const { setTimeout } = window;
  window.setTimeout = (action, time, ...values) => {
    if (time !== held) return setTimeout(action, time, ...values);
    window.heldTimer = action;
    return 0;
  };
}, milliseconds);
export const letTimerRun = (page) => page.evaluate(() => window.heldTimer());

// Ends a recording as a person does: the page asks first, and asks again if the
// answer takes long.  Nothing is pressed once it is on its way.
export const endRecording = (page, how = () => page.locator("#record").click()) =>
  until("the recording has ended", async () => {
    const button = page.locator("#record");
    if (await button.getAttribute("aria-pressed") !== "true") return true;
    if (await button.getAttribute("data-state") !== "ends") await how();
    return false;
  });

// Does `how` until `test` gives something true, and again if the page says that it
// could not, as a person would: a busy machine may be too slow for a request.
// `told`: the page hears of it by its connection, which may have been lost (see act()).
async function insist(page, what, how, test, told = false) {
  const count = () => (told ? page.evaluate(() => window.sockets) : 0);
  let sockets = await count();
  await how();
  return until(what, async () => {
    const came = await test();
    if (came) return came;
    const problem = await page.locator("#problem").isVisible() && await page.locator("#problem").textContent();
    const now = await count();
    // what was said of a pedal has nothing to do with it
    if ((problem && !/pedal/.test(problem)) || now !== sockets) {
      console.log(`# not ${what}: ${problem || "the connection was lost"}`);
      await until("the page is connected", () => page.locator("#record").isEnabled());
      sockets = now;
      await how();
    }
    return false;
  });
}

export const hold = (page, how, told) =>
  insist(page, "the picture is held", how, () => page.locator("#still").isVisible(), told);

// The file that the page saves by `how`.
export async function download(page, how) {
  let file;
  page.once("download", (saved) => { file = saved; });
  return insist(page, "the file is saved", how, () => file);
}

// If none comes, the page's own words say how far it has got.
export const waitForVideo = (page) =>
  until("video plays", async () => (await decoded(page)).frames > 10).catch(async (error) => {
    const seen = await page.evaluate(() => document.body.innerText.slice(0, 400)).catch(String);
    console.log(`# ${page.url().replace(/token=.*/, "token=TOKEN")} shows: ${JSON.stringify(seen)}; its problems: `
      + JSON.stringify(page.problems));
    throw error;
  });

// Grey levels of what a video or picture shows: { width, height, levels }.
export async function look(page, selector) {
  // a video that has broken off is without a size until it comes again
  await until("there is a picture", () => page.evaluate((which) => {
    const { videoWidth, naturalWidth, width } = document.querySelector(which);
    return (videoWidth || naturalWidth || width) > 0;
  }, selector));
  const { width, height, text } = await page.evaluate(async (which) => {
    const element = document.querySelector(which);
    const width = element.videoWidth || element.naturalWidth || element.width;
    const height = element.videoHeight || element.naturalHeight || element.height;
    const context = new OffscreenCanvas(width, height).getContext("2d");
    context.drawImage(element, 0, 0);
    const { data } = context.getImageData(0, 0, width, height);
    let text = "";
    for (let i = 0; i < data.length; i += 4) text += String.fromCharCode(data[i]);
    return { width, height, text: btoa(text) };
  }, selector);
  return { width, height, levels: Buffer.from(text, "base64") };
}

export function mean(levels) {
  let sum = 0;
  for (const level of levels) sum += level;
  return sum / levels.length;
}

// Runs a program to its end, while other tests go on: { status, stdout, stderr }.
// The status is null if it took longer than `timeout`, in milliseconds.
export function execute(program, parameters, { timeout = PATIENCE * 1000, ...options } = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, { ...options, timeout });
    const said = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"])
      child[name].setEncoding("utf8").on("data", (text) => { said[name] += text; });
    child.on("error", reject);
    child.on("close", (status) => resolve({ status, ...said }));
    child.stdin.on("error", () => {}); // it need not read
    child.stdin.end();
  });
}

// Frames of the recording's files, decoded; why with drop-allocation: tests/pipelines/tap.py.
// `seconds`: how long a file may take.
export async function countFrames(folder, seconds = PATIENCE) {
  let frames = 0;
  for (const name of readdirSync(folder).filter((file) => file.endsWith(".mkv")).sort()) {
    const { status, stdout, stderr } = await execute("gst-launch-1.0", ["-v", "filesrc", `location=${join(folder, name)}`,
      "!", "matroskademux", "!", "h264parse", "!", "avdec_h264", "!",
      "identity", "drop-allocation=true", "!", "fakesink", "silent=false"], { timeout: seconds * 1000 });
    assert.equal(status, 0, stderr);
    frames += stdout.split("\n").filter((line) => /last-message = chain/.test(line)).length;
  }
  return frames;
}

// That nothing is wrong with a recording, as its status says it.  A machine that is
// busy makes gaps, which are told of their own recording.
export function assertUntroubled({ name, message }) {
  if (message.startsWith(`The recording ${name} has `)) assert.match(message, /; it went on after that\.$/);
  else assert.equal(message, "");
}

// Runs the tests, each { name: function }: first those of `together`, six at a
// time (three with a browser), then `tests`, one after the other.  What is in
// `together` waits most of its time, shares nothing with other tests, and claims
// nothing that a busy machine would not do: no lost pictures, no rate of them.
export async function run(tests, { browser = true, together = {} } = {}) {
  if (browser && !CHROMIUM) {
    console.log("1..0 # SKIP chromium is not installed");
    return;
  }
  // words of the names of those to run, by hand
  const [waiting, alone] = [together, tests].map((group) =>
    Object.entries(group).filter(([name]) => name.includes(process.env.OCT_LIVE_TESTS ?? "")));
  console.log(`1..${waiting.length + alone.length}`);
  const results = { count: 0, failures: 0 };
  await Promise.all(Array.from({ length: browser ? 3 : 6 }, async () => {
    while (waiting.length > 0) await runOne(waiting.shift(), results);
  }));
  for (const entry of alone) await runOne(entry, results);
  process.exit(results.failures > 0 ? 1 : 0);
}

// Runs a test and prints its result, numbered in the order of their ends.
async function runOne([name, test], results) {
  const own = { servers: new Set(), contexts: [] };
  const started = performance.now();
  let verdict = "ok", comments = [];
  try {
    const said = await opened.run(own, test);
    comments = [`${((performance.now() - started) / 1000).toFixed(1)} s${said ? `, ${said}` : ""}`];
  } catch (error) {
    results.failures++;
    verdict = "not ok";
    comments = [String(error.stack)];
    for (const server of own.servers) {
      comments.push(`oct-live said:\n${server.output}`);
      if (/not within|still waiting|ended by/.test(String(error.message))) comments.push(await server.trace());
    }
  }
  // a page that stays looks for its server again and again
  for (const context of own.contexts) await context.close().catch(() => {});
  for (const server of own.servers) server.clear();
  console.log([`${verdict} ${++results.count} - ${name}`,
    ...comments.filter(Boolean).map((text) => text.replace(/^/gm, "# "))].join("\n"));
}
