// SPDX-License-Identifier: LGPL-2.1-or-later
// Snapshots with scales, the case and the sides drawn into them.  They keep the texts and the
// size of pixels of the file that oct-live has made.
import { bar, findOct, getDirections, getScaleSizes, lengthText, nameEnds, niceLength, write } from "/view.js";

const HEAD = 8 + 25; // the signature, and IHDR
const KEPT = ["pHYs", "tEXt", "iTXt"];

// The parts of a PNG that say something, as they are.
function findTexts(bytes) {
  const view = new DataView(bytes.buffer);
  const found = [];
  for (let at = 8; at + 12 <= bytes.length;) {
    const end = at + 12 + view.getUint32(at);
    if (KEPT.includes(String.fromCharCode(...bytes.subarray(at + 4, at + 8)))) found.push(bytes.subarray(at, end));
    at = end;
  }
  return found;
}

// The scales of a picture of OCT.
function drawOn(context, box) {
  const { width, height } = getScaleSizes();
  context.font = "600 14px system-ui, sans-serif";
  if (width > 0) bar(context, box, (niceLength(width / 4) / width) * box.width, lengthText(niceLength(width / 4)), false);
  if (height > 0) bar(context, box, (niceLength(height / 4) / height) * box.height, lengthText(niceLength(height / 4)), true);
  nameEnds(context, box, getDirections());
}

// The address of a PNG like this one, with scales in its lower corners.
export async function drawScales(original, words) {
  const image = await createImageBitmap(original);
  const canvas = new OffscreenCanvas(image.width, image.height);
  const context = canvas.getContext("2d");
  context.drawImage(image, 0, 0);
  // letters are as large as on a picture of 800 x 600
  const zoom = Math.max(1, Math.min(image.width / 800, image.height / 600));
  context.scale(zoom, zoom);
  const box = { width: image.width / zoom, height: image.height / zoom };
  const oct = findOct(box);
  if (oct) {
    context.save();
    context.translate(oct.x, oct.y);
    drawOn(context, oct);
    context.restore();
  }
  context.font = "600 14px system-ui, sans-serif";
  if (words) write(context, words, 16, 26);
  image.close();
  const drawn = await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer();
  const texts = findTexts(new Uint8Array(await original.arrayBuffer()));
  return URL.createObjectURL(new Blob([drawn.slice(0, HEAD), ...texts, drawn.slice(HEAD)], { type: "image/png" }));
}
