// Page tests: node page.mjs PROGRAM MODULES CHROMIUM PICTURES
//
// Every state is saved as a picture. The tests look at what the page shows, not at its code.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { difference, openBrowser, openPage, picture, serve, serveHaptics } from "./browser.mjs";

const [program, modules, chromiumPath, pictures] = process.argv.slice(2).map((name) => path.resolve(name));
mkdirSync(pictures, { recursive: true });
const browser = await openBrowser(modules, chromiumPath);
const failures = [];

async function test(name, body) {
  if (process.env.ONLY && !new RegExp(process.env.ONLY).test(name)) return;
  const start = Date.now();
  try {
    await body();
    console.log(`ok    ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
  } catch (error) {
    failures.push(name);
    console.log(`FAIL  ${name}: ${error.stack}`);
  }
}

const value = (page, name) => page.evaluate((name) => window.tightfit[0].value(name), name);
const frame = (page) => page.evaluate(() => {
  const { time, step, phase, isPaused, isOver, hasHand, bodies } = window.tightfit[0].frame();
  return { time, step, phase, isPaused, isOver, hasHand, bodies: [...bodies] };
});
const send = (page, command) => page.evaluate((command) => window.tightfit[0].send(command), command);
// a busy machine draws a scene with an arm once in seconds
const until = (page, condition, argument) => page.waitForFunction(condition, argument, { timeout: 60000, polling: 50 });
const shot = async (page, name) => {
  await picture(page);
  return page.screenshot({ path: path.join(pictures, `${name}.png`) });
};
const opened = (page, name) => until(page, (name) => window.tightfit[0].scene()?.name === name && window.tightfit[0].ready(), name);

const live = await serve(program, "bolting");
const page = await openPage(browser, live.address);

await test("the scene loads with both parts", async () => {
  const scene = await page.evaluate(() => window.tightfit[0].scene());
  assert.equal(scene.name, "bolting");
  assert.equal(scene.parts.length, 2);
  console.log(`      first picture after ${page.firstPicture} ms`);
  await shot(page, "scene");
});

await test("contact arrows appear on contact, and lamps and plots show numbers", async () => {
  await until(page, () => window.tightfit[0].arrows() > 0);
  await until(page, () => window.tightfit[0].frame().time > 2);
  const lamps = await page.locator(".tf-lamp").count();
  assert.ok(lamps >= 5, `${lamps} lamps`);
  assert.equal(await page.locator(".tf-lamp.bad").count(), 0);
  const inked = await page.evaluate(() => [...document.querySelectorAll(".tf-plot canvas")].map((canvas) => {
    const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
    return data.filter((_, index) => index % 4 === 3).filter((alpha) => alpha > 0).length;
  }));
  assert.ok(inked.length >= 5 && inked.every((count) => count > 100), `plots have ${inked} pixels`);
  await shot(page, "contact");
});

await test("cutaway, exaggerated gaps and heat map change the picture", async () => {
  await send(page, { do: "pause" });
  await until(page, () => window.tightfit[0].frame().isPaused);
  const plain = await shot(page, "plain");
  await page.keyboard.press("c");
  const cut = await shot(page, "cutaway");
  const byCut = await difference(page, plain, cut);
  await page.keyboard.press("x");
  const large = await shot(page, "exaggerated");
  const byGap = await difference(page, cut, large);
  await page.keyboard.press("x");
  await page.keyboard.press("h");
  await page.waitForTimeout(400);
  const heat = await shot(page, "heat-map");
  const byHeat = await difference(page, cut, heat);
  await page.keyboard.press("h");
  await page.keyboard.press("c");
  console.log(`      changed pixels: cutaway ${byCut.toFixed(3)}, gaps ${byGap.toFixed(3)}, heat ${byHeat.toFixed(3)}`);
  assert.ok(byCut > 0.01 && byGap > 0.003 && byHeat > 0.005);
});

await test("the nut moves down its thread while E is pressed, and stops with the key", async () => {
  await send(page, { do: "scene", name: "bolting-engaged" });
  await opened(page, "bolting-engaged");
  const before = await frame(page);
  await page.keyboard.down("e");
  await until(page, () => window.tightfit[0].frame().hasHand);
  await page.waitForTimeout(1500);
  await page.keyboard.up("e");
  await shot(page, "turned-by-keys");
  const after = await frame(page);
  assert.ok(after.hasHand);
  const sunk = (before.bodies[7 + 2] - after.bodies[7 + 2]) * 1000;
  console.log(`      the nut went down by ${sunk.toFixed(2)} mm`);
  assert.ok(sunk > 0.5, `${sunk} mm`);
  await page.waitForTimeout(700);
  const [first, second] = [await frame(page), (await page.waitForTimeout(300), await frame(page))];
  assert.ok(Math.abs(first.bodies[9] - second.bodies[9]) < 2e-4, "it stops");
});

await test("a gamepad turns the nut and rumbles; a SpaceMouse turns it back", async () => {
  await page.evaluate(() => {
    window.rumbles = 0;
    const button = (value) => ({ value, pressed: value > 0 });
    const pad = {
      connected: true,
      axes: [0, 0, 0, 0],
      buttons: Array.from({ length: 16 }, (_, index) => button(index === 5 || index === 6 ? 1 : 0)),
      vibrationActuator: { playEffect: async () => window.rumbles++ },
    };
    navigator.getGamepads = () => [null, pad];
  });
  const height = async () => (await frame(page)).bodies[7 + 2];
  const start = await height();
  await until(page, (start) => window.tightfit[0].frame().bodies[7 + 2] < start - 4e-4, start);
  await page.evaluate(() => (navigator.getGamepads = () => [null, null]));
  const sunk = (start - (await height())) * 1000;
  const rumbles = await page.evaluate(() => window.rumbles);
  console.log(`      down by ${sunk.toFixed(2)} mm, ${rumbles} rumbles`);
  assert.ok(sunk > 0.3, `${sunk} mm`);
  assert.ok(rumbles > 0, "contact is felt");

  await page.evaluate(() => {
    const device = {
      opened: true,
      productName: "SpaceMouse Compact",
      addEventListener: (_, listener) => {
        window.spaceMouse = (reportId, ...values) => {
          const data = new DataView(new ArrayBuffer(6));
          values.forEach((value, index) => data.setInt16(2 * index, value, true));
          listener({ reportId, data });
        };
      },
    };
    Object.defineProperty(navigator, "hid", { value: { requestDevice: async () => [device] }, configurable: true });
  });
  await page.locator(".tf-space-mouse").click();
  await page.locator(".tf-note").filter({ hasText: "SpaceMouse Compact" }).waitFor({ timeout: 5000 });
  const low = await height();
  // its third axis points down: a negative turn about it unscrews
  await page.evaluate(() => window.spaceMouse(2, 0, 0, -350));
  await until(page, (low) => window.tightfit[0].frame().bodies[7 + 2] > low + 4e-4, low);
  await shot(page, "space-mouse");
  await page.evaluate(() => window.spaceMouse(2, 0, 0, 0));
  const raised = ((await height()) - low) * 1000;
  console.log(`      up by ${raised.toFixed(2)} mm`);
  assert.ok(raised > 0.3, `${raised} mm`);
});

await test("pause, step, reset and the time line work", async () => {
  await send(page, { do: "pause" });
  await until(page, () => window.tightfit[0].frame().isPaused);
  await page.locator(".tf-reset").click();
  await until(page, () => window.tightfit[0].frame().step === 0);
  const { step } = await frame(page);
  await page.keyboard.press(".");
  await until(page, (step) => window.tightfit[0].frame().step === step + 1, step);
  await page.keyboard.press(",");
  await until(page, (step) => window.tightfit[0].frame().step <= step, step);
  await page.locator(".tf-live").click();
  await until(page, (step) => window.tightfit[0].frame().step === step + 1, step);
});

await test("the gizmo and scenes of every kind open without an error", async () => {
  await page.keyboard.press("g");
  await shot(page, "gizmo");
  await page.keyboard.press("g");
  await page.keyboard.press("g");
  const scenes = await page.evaluate(() => window.tightfit[0].scene().scenes.map(({ name }) => name));
  await send(page, { do: "play" });
  assert.ok(scenes.length >= 10);
  for (const name of ["bolting-arm", "square-key", "balls-on-slab", "block-on-table"]) {
    await send(page, { do: "scene", name });
    await opened(page, name);
    await page.waitForTimeout(500);
    await shot(page, `scene-${name}`);
  }
});

await test("friction and methods can be changed; a wrong command is refused with its reason", async () => {
  await send(page, { do: "scene", name: "peg-in-hole" });
  await opened(page, "peg-in-hole");
  await page.locator("select[aria-label=methods]").selectOption("standard");
  await until(page, () => window.tightfit[0].scene().preset === "standard");
  await send(page, { do: "set", changes: ["friction=-1"] });
  await page.locator(".tf-note").filter({ hasText: "friction" }).waitFor({ timeout: 5000 });
});

await test("the live page has no error", () => assert.deepEqual(page.problems, []));
await page.close();
live.stop();

await test("the page holds the nut of the haptic loop", async () => {
  const server = await serveHaptics(program, "bolting-engaged", "--seconds", "120");
  const page = await openPage(browser, server.address);
  const start = (await frame(page)).bodies[7 + 2];
  await page.keyboard.down("e");
  await until(page, () => window.tightfit[0].frame().hasHand);
  await page.waitForTimeout(2000);
  await shot(page, "haptics-browser");
  await page.keyboard.up("e");
  const sunk = (start - (await frame(page)).bodies[7 + 2]) * 1000;
  console.log(`      the nut went down by ${sunk.toFixed(2)} mm`);
  assert.ok(sunk > 0.3, `${sunk} mm`);
  assert.deepEqual(page.problems, []);
  await page.close();
  server.stop();
});

await test("a log plays back and seeks", async () => {
  const log = path.join(pictures, "run.csv");
  execFileSync(program, ["run", "peg-in-hole", "--log", log], { stdio: "ignore" });
  const server = await serve(program, log);
  const page = await openPage(browser, server.address);
  await until(page, () => window.tightfit[0].frames() > 400);
  for (const time of [2, 0.5, 4.1]) {
    await page.evaluate((time) => window.tightfit[0].seek(time), time);
    assert.ok(Math.abs((await frame(page)).time - time) < 0.0101);
  }
  assert.ok((await value(page, "depth")) > 0.02, "the peg is in its hole at the end");
  await shot(page, "log");
  const box = await page.locator(".tf-timeline").boundingBox();
  await page.mouse.click(box.x + box.width * 0.25, box.y + box.height / 2);
  const { time } = await frame(page);
  assert.ok(time > 0.8 && time < 1.3, `${time} s`);
  assert.deepEqual(page.problems, []);
  await page.close();
  server.stop();
});

await test("the view of a report scrubs; compared presets scrub together", async () => {
  const report = path.join(pictures, "compare.html");
  execFileSync(program, ["compare", "peg-in-hole", "--presets", "tight,standard", "--report", report], { stdio: "ignore" });
  const page = await openPage(browser, pathToFileURL(report).href);
  assert.equal(await page.evaluate(() => window.tightfit.length), 2);
  await page.evaluate(() => window.tightfit[0].seek(1.5));
  const times = await page.evaluate(() => window.tightfit.map((view) => view.frame().time));
  assert.ok(times.every((time) => Math.abs(time - 1.5) < 0.0101), `${times}`);
  await shot(page, "report-compare");
  assert.deepEqual(page.problems, []);
  await page.close();
});

await browser.close();
console.log(`pictures: ${pictures}`);
if (failures.length > 0) {
  console.log(`${failures.length} page tests failed`);
  process.exit(1);
}
