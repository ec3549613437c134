// The simulator in a worker: posts the same messages as the server of `tightfit view`; docs/protocol.md describes them.

const FRAME_MS = 1000 / 60;
const HEAT_MS = 200;
/** Longest time that is caught up with: after a pause, such as the opening of a scene, the simulation does not jump. */
const MOST_MS = 100;
/** A hand that is silent for longer lets go. */
const SILENCE_MS = 600;

let simulator = null;
let generation = 0;
let isNew = true;
let lastHand = 0;
const waiting = [];

function write(text) {
  for (const byte of new TextEncoder().encode(text)) simulator.input(byte);
}

/** A copy of the output: the module's memory may move. */
function output() {
  return simulator.memory.buffer.slice(simulator.output(), simulator.output() + simulator.output_length());
}

function text() {
  return new TextDecoder().decode(output());
}

function post(bytes) {
  postMessage(bytes, [bytes]);
}

function showScene() {
  generation = simulator.generation();
  simulator.description();
  postMessage(text());
  for (let index = 0; simulator.mesh(index) > 0; index++) post(output());
}

function obey(message) {
  const command = JSON.parse(message);
  if (command.do === "move") lastHand = [...command.linear, ...command.angular].some((value) => value !== 0) ? performance.now() : 0;
  if (command.do === "drag") lastHand = performance.now();
  write(message);
  if (simulator.command() === 0) postMessage(JSON.stringify({ type: "error", message: text() }));
  isNew = true;
}

onmessage = ({ data }) => (simulator ? obey(data) : waiting.push(data));

/** Compiles while it loads, where the server names the kind of the file. */
async function load() {
  try {
    return (await WebAssembly.instantiateStreaming(fetch("tightfit.wasm"), {})).instance.exports;
  } catch {
    const response = await fetch("tightfit.wasm");
    return (await WebAssembly.instantiate(await response.arrayBuffer(), {})).instance.exports;
  }
}

async function start() {
  const scene = new URLSearchParams(self.location.search).get("scene") ?? "bolting";
  simulator = await load();
  write(scene);
  if (simulator.open() === 0) return postMessage(JSON.stringify({ type: "error", message: text() }));
  showScene();
  waiting.splice(0).forEach(obey);
  let last = performance.now();
  let lastHeat = 0;
  setInterval(() => {
    const now = performance.now();
    if (lastHand > 0 && now - lastHand > SILENCE_MS) {
      simulator.release();
      lastHand = 0;
    }
    isNew = simulator.advance(Math.min(now - last, MOST_MS) / 1000, 1000) > 0 || isNew;
    last = now;
    if (simulator.generation() !== generation) showScene();
    if (!isNew) return;
    isNew = false;
    simulator.frame();
    post(output());
    if (now - lastHeat > HEAT_MS && simulator.heat() > 0) {
      lastHeat = now;
      post(output());
    }
  }, FRAME_MS);
}

start().catch((error) => postMessage(JSON.stringify({ type: "error", message: `the simulator could not start: ${error.message}` })));
