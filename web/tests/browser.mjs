// A headless browser, the program as a server, and pictures of what the page shows.

import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import path from "node:path";

const FLAGS = [
  "--headless", "--no-sandbox", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader",
  "--ignore-gpu-blocklist",
];

/** Opens a browser; `modules` is the folder with node_modules/playwright-core. */
export async function openBrowser(modules, chromiumPath) {
  const { chromium } = createRequire(path.join(modules, "package.json"))("playwright-core");
  return chromium.launch({ executablePath: chromiumPath, args: FLAGS });
}

/** A page that collects its errors. */
export async function openPage(browser, address, size = { width: 1000, height: 640 }) {
  const page = await browser.newPage({ viewport: size });
  page.problems = [];
  page.on("console", (message) => {
    if (message.type() === "error") page.problems.push(message.text());
  });
  page.on("pageerror", (error) => page.problems.push(error.message));
  await page.goto(address);
  await page.waitForFunction(() => window.tightfit?.[0]?.ready(), null, { timeout: 30000 });
  await picture(page);
  page.firstPicture = Math.round(await page.evaluate(() => window.tightfit[0].firstPicture()));
  return page;
}

/** Waits until the page has drawn what it knows. */
export function picture(page) {
  return page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)))));
}

/** Starts `tightfit view …` on a free port; resolves with its address. */
export function serve(program, scene, ...more) {
  return start(program, ["view", scene, ...more], "stdout");
}

/** Starts `tightfit haptics … --device browser` on a free port; resolves with its address. */
export function serveHaptics(program, scene, ...more) {
  return start(program, ["haptics", scene, "--device", "browser", ...more], "stderr");
}

function start(program, words, stream) {
  const stdio = stream === "stdout" ? ["ignore", "pipe", "inherit"] : ["ignore", "ignore", "pipe"];
  const child = spawn(program, [...words, "--port", "0"], { stdio });
  const address = new Promise((resolve, reject) => {
    let text = "";
    child[stream].on("data", (data) => {
      text += data;
      const found = text.match(/http:\S+/);
      if (found) resolve(found[0]);
    });
    child.on("exit", (code) => reject(new Error(`tightfit ${words[0]} ended with ${code}`)));
  });
  return address.then((address) => ({ address, stop: () => child.kill() }));
}

/** Share of pixels of the 3-D view that differ between two pictures of equal size [-]. */
export async function difference(page, before, after) {
  return page.evaluate(
    async ([before, after]) => {
      const pixels = async (data) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext("2d");
        context.drawImage(image, 0, 0);
        return context.getImageData(0, 0, image.width, image.height).data;
      };
      const [a, b] = [await pixels(before), await pixels(after)];
      let count = 0;
      for (let i = 0; i < a.length; i += 4) {
        if (Math.abs(a[i] - b[i]) + Math.abs(a[i + 1] - b[i + 1]) + Math.abs(a[i + 2] - b[i + 2]) > 24) count++;
      }
      return count / (a.length / 4);
    },
    [before, after].map((buffer) => buffer.toString("base64")),
  );
}
