// SPDX-License-Identifier: LGPL-2.1-or-later
// A source of pictures that a test holds up and unplugs when it wants to.
import { createServer } from "node:net";

// A camera's stand-in: whoever connects gets images of 64 x 48 until told
// otherwise.  Each has an address of its own, where nobody takes its port while
// it is unplugged.
export class Camera {
  static count = 0;

  static async start() {
    const camera = new Camera();
    camera.host = `127.0.1.${++Camera.count}`;
    camera.sockets = new Set();
    camera.sent = 0;
    camera.server = createServer((socket) => {
      socket.on("error", () => {});
      socket.on("close", () => camera.sockets.delete(socket));
      camera.sockets.add(socket);
    });
    camera.timer = setInterval(() => {
      if (!camera.hangs) camera.give();
    }, 40);
    await new Promise((resolve) => { camera.server.listen(0, camera.host, resolve); });
    camera.port = camera.server.address().port;
    return camera;
  }

  // One image, to each that is connected.
  give() {
    for (const socket of this.sockets) {
      socket.write(Buffer.alloc(64 * 48, 100));
      this.sent++;
    }
  }

  get options() {
    return ["--images", `tcpclientsrc host=${this.host} port=${this.port} do-timestamp=true ! `
      + "rawvideoparse width=64 height=48 format=gray8 framerate=25/1"];
  }

  async unplug() {
    await new Promise((resolve) => {
      this.server.close(resolve);
      for (const socket of this.sockets) socket.destroy();
    });
  }

  async plug() {
    await new Promise((resolve) => { this.server.listen(this.port, this.host, resolve); });
  }

  async stop() {
    clearInterval(this.timer);
    await this.unplug();
  }
}
