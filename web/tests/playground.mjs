// Test of the playground: node playground.mjs PROGRAM MODULES CHROMIUM PICTURES FOLDER
//
// The simulator in the browser must end the bolting run in the same state as the native program, at real time or faster,
// and turn the nut by keys.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, statSync } from "node:fs";
import http from "node:http";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { openBrowser, openPage, picture } from "./browser.mjs";

const [program, modules, chromiumPath, pictures, folder] = process.argv.slice(2).map((name) => path.resolve(name));
mkdirSync(pictures, { recursive: true });
const KINDS = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };
const server = http.createServer((request, response) => {
  const name = path.basename(new URL(request.url, "http://localhost").pathname) || "index.html";
  try {
    const bytes = readFileSync(path.join(folder, name));
    response.writeHead(200, { "content-type": KINDS[path.extname(name)] ?? "text/plain" }).end(bytes);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((ready) => server.listen(0, "127.0.0.1", ready));

const log = path.join(pictures, "native.csv");
execFileSync(program, ["run", "bolting", "--log", log], { stdio: "ignore" });
const rows = readFileSync(log, "utf8").trim().split("\n").filter((line) => !line.startsWith("#"));
const column = rows[0].split(",").indexOf("state_hash");
const native = BigInt(rows[rows.length - 1].split(",")[column]).toString(16).padStart(16, "0");

const browser = await openBrowser(modules, chromiumPath);
const page = await openPage(browser, `http://127.0.0.1:${server.address().port}/`);
const state = () => page.evaluate(() => {
  const { time, step, hash, isOver } = window.tightfit[0].frame();
  return { time, step, hash, isOver };
});
await page.waitForFunction(() => window.tightfit[0].frame().isOver, null, { timeout: 60000, polling: 50 });
await picture(page);
await page.screenshot({ path: path.join(pictures, "playground.png") });
const end = await state();
const start = Date.now();
await page.evaluate(() => {
  window.tightfit[0].send({ do: "speed", factor: 100 });
  window.tightfit[0].send({ do: "reset" });
});
await page.waitForFunction(() => window.tightfit[0].frame().step < 300, null, { timeout: 60000, polling: 5 }).catch(() => {});
await page.waitForFunction(() => window.tightfit[0].frame().isOver, null, { timeout: 60000, polling: 20 });
const seconds = (Date.now() - start) / 1000;
const again = await state();
await page.evaluate(() => {
  window.tightfit[0].send({ do: "speed", factor: 1 });
  window.tightfit[0].send({ do: "scene", name: "bolting-engaged" });
});
await page.waitForFunction(() => window.tightfit[0].scene().name === "bolting-engaged" && window.tightfit[0].ready(), null, { timeout: 60000 });
const height = () => page.evaluate(() => window.tightfit[0].frame().bodies[7 + 2]);
const before = await height();
await page.keyboard.down("e");
await page.waitForTimeout(1500);
await picture(page);
await page.screenshot({ path: path.join(pictures, "playground-keys.png") });
await page.keyboard.up("e");
assert.ok(await page.evaluate(() => window.tightfit[0].frame().hasHand), "the hand holds the nut");
const sunk = (before - (await height())) * 1000;
await page.evaluate(() => window.tightfit[0].send({ do: "set", changes: ['method={ preset = "paper" }'] }));
await page.locator(".tf-note").filter({ hasText: "clustering-networks" }).waitFor({ timeout: 20000 });
const compressed = (name) => gzipSync(readFileSync(path.join(folder, name)), { level: 9 }).length / 1e6;
const size = (name) => `${name} ${compressed(name).toFixed(2)} MB compressed (${(statSync(path.join(folder, name)).size / 1e6).toFixed(2)} MB)`;
console.log(`${size("tightfit.wasm")}, ${size("view.js")}`);
console.log(`first picture after ${page.firstPicture} ms; ${end.time.toFixed(2)} s simulated in ${seconds.toFixed(2)} s: ${(end.time / seconds).toFixed(1)} times real time`);
console.log(`the nut went down by ${sunk.toFixed(2)} mm while E was held`);
console.log(`state hash: native ${native}, browser ${end.hash}`);
assert.deepEqual(page.problems, []);
assert.equal(again.hash, end.hash, "a second run gives the same state");
assert.equal(end.hash, native, "the browser ends in the native state");
assert.ok(sunk > 0.5, `${sunk} mm`);
assert.ok(compressed("tightfit.wasm") < 3 && compressed("view.js") < 2, "small enough to load");
assert.ok(end.time / seconds >= 1, "real time or faster");
await browser.close();
server.close();
