// One view: stage, parts, plots, time line and controls around one door.

import * as THREE from "three";
import { Arm, Fingers } from "./arm";
import { Contacts, type Visible } from "./contacts";
import { button, download, element, linear, logarithmic, select, slider, toggle } from "./dom";
import type { Door, Listener } from "./doors";
import { quantity } from "./format";
import { Hands } from "./hands";
import { History } from "./history";
import { Lamps } from "./lamps";
import { linkOf, readLink } from "./link";
import { Parts, matrix, type Cut } from "./parts";
import { PLOTS, Plot } from "./plots";
import type { Frame, Message, SceneDescription } from "./protocol";
import { MM, Stage } from "./stage";
import { Timeline } from "./timeline";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5];
const HELP: [string, string][] = [
  ["Q / E", "turn left / right"],
  ["A D W S or arrows", "move across"],
  ["R / F", "lift / press"],
  ["I K J L", "tilt"],
  ["Shift", "slower"],
  ["Space", "play or pause"],
  [". and ,", "one step on or back"],
  ["G", "gizmo: move, turn, off"],
  ["C · H · X · V", "cutaway · heat map · gaps · frame"],
];

export class Viewer implements Listener {
  private stage: Stage;
  private hands!: Hands;
  private door!: Door;
  private scene: SceneDescription | null = null;
  private parts: Parts | null = null;
  private arm: Arm | null = null;
  private fingers = new Fingers();
  private contacts: Contacts | null = null;
  private history = new History([]);
  private plots: Plot[] = [];
  private timeline: Timeline | null = null;
  private cursor = 0;
  private isFollowing = true;
  private isPlaying = false;
  private speed = 1;
  private playTime = 0;
  private lastPicture = 0;
  private lastPlots = 0;
  private isStale = true;
  private firstPicture = 0;
  private gizmo: "off" | "translate" | "rotate" = "off";
  private visible: Visible = { forces: true, normals: false, wrench: true, trail: true };
  private cut: Cut = { depth: 0, angle: 0, inner: true };
  private exaggeration = 1;
  /** Largest factor of gaps that leaves the shapes recognisable. */
  private largestGap = 100;
  private isHeat = false;
  private isFocus = true;
  private isClose = false;
  /** Views that scrub along, this one among them. */
  partners: Viewer[] = [];

  private canvas = element("canvas", { class: "tf-canvas", tabIndex: 0 });
  private title = element("h1");
  private subtitle = element("p");
  private status = element("span", { class: "tf-status" });
  private lamps = new Lamps();
  private plotList = element("aside", { class: "tf-plots", "aria-label": "plots" });
  private panel = element("aside", { class: "tf-panel", "aria-label": "controls" });
  private bar = element("div", { class: "tf-bar" });
  private clock = element("output", { class: "tf-clock" });
  private playButton = button("▶", "Play or pause (Space)", () => this.togglePlay(), "tf-play");
  private liveButton = button("● live", "Return to the present", () => this.follow(), "tf-live");
  private note = element("div", { class: "tf-note", hidden: true });
  private readout = element("div", { class: "tf-readout" });
  private timelineHolder = element("div", { class: "tf-timeline-holder" });
  private controls: {
    cut?: ReturnType<typeof slider>;
    exaggerate?: ReturnType<typeof slider>;
    heat?: ReturnType<typeof toggle>;
    gizmo?: HTMLButtonElement;
    scenes?: ReturnType<typeof select>;
    presets?: ReturnType<typeof select>;
    friction?: ReturnType<typeof slider>;
    clearance?: ReturnType<typeof slider>;
    speed?: ReturnType<typeof select>;
  } = {};

  constructor(private root: HTMLElement, open: (listener: Listener) => Door) {
    root.classList.add("tf-root");
    const top = element("header", { class: "tf-top" }, element("div", { class: "tf-title" }, this.title, this.subtitle), this.lamps.element, this.status);
    root.append(this.canvas, top, this.panel, this.plotList, this.readout, this.bar, this.note);
    this.stage = new Stage(this.canvas);
    this.door = open(this);
    this.hands = new Hands(this.stage, this.door, root);
    root.classList.toggle("tf-live-door", this.door.isLive);
    this.buildBar();
    this.buildPanel();
    new ResizeObserver(() => this.stage.resize()).observe(root);
    this.stage.resize();
    window.addEventListener("keydown", (event) => this.key(event));
    const loop = () => {
      requestAnimationFrame(loop);
      this.picture();
    };
    loop();
    this.publish();
  }

  // ---- messages

  opened(description: SceneDescription) {
    this.setScene(description);
  }

  connection(isOpen: boolean) {
    this.status.textContent = isOpen ? "" : "not connected";
    this.root.classList.toggle("tf-lost", !isOpen);
  }

  problem(text: string) {
    this.note.textContent = text;
    this.note.hidden = false;
    clearTimeout(Number(this.note.dataset.timer));
    this.note.dataset.timer = String(window.setTimeout(() => (this.note.hidden = true), 8000));
  }

  message(message: Message) {
    if (!this.scene) return;
    if (message.kind === "mesh") {
      this.parts?.add(message.mesh);
      this.parts?.heat(this.isHeat ? this.drivenIndex() : -1);
      this.isStale = true;
    } else if (message.kind === "heat") {
      this.parts?.showHeat(message.body, message.gaps);
      this.isStale = true;
    } else {
      this.receive(message.frame);
    }
  }

  private receive(frame: Frame) {
    if (frame.generation !== this.scene!.generation) return;
    const isFirst = this.history.frames.length === 0;
    const result = this.history.push(frame);
    if (result === "restarted" || isFirst) {
      this.cursor = 0;
      this.contacts?.forget();
      if (this.door.isLive) this.isFollowing = true;
    }
    if (this.isFollowing && this.door.isLive) {
      this.cursor = this.history.frames.length - 1;
      this.isStale = true;
    }
    if (isFirst) {
      this.frameCamera(frame);
      this.isStale = true;
    }
  }

  private setScene(description: SceneDescription) {
    const isSame = this.scene?.name === description.name;
    this.scene = description;
    this.history = new History(description.channels);
    this.cursor = 0;
    if (this.parts) {
      this.stage.scene.remove(this.parts.root);
      this.parts.dispose();
    }
    if (this.arm) this.stage.scene.remove(this.arm.root);
    this.stage.scene.remove(this.fingers.root);
    if (this.contacts) this.stage.scene.remove(this.contacts.root);
    this.parts = new Parts(description);
    this.stage.scene.add(this.parts.root);
    this.arm = description.arm ? new Arm(description.arm) : null;
    if (this.arm) this.stage.scene.add(this.arm.root, this.fingers.root);
    this.contacts = new Contacts(this.parts.box.getSize(new THREE.Vector3()).length() * 0.5);
    this.stage.scene.add(this.contacts.root);
    this.timeline = new Timeline(description.phases, (time) => this.seek(time));
    this.timelineHolder.replaceChildren(this.timeline.canvas);
    this.plots = PLOTS.filter((spec) => description.task || spec.title !== "Depth").map((spec) => new Plot(spec, (time) => this.seek(time)));
    this.plotList.replaceChildren(...this.plots.map((plot) => plot.element));
    this.title.textContent = description.label ? `${description.name} · ${description.label}` : description.name;
    this.subtitle.textContent = description.description;
    document.body.classList.contains("tf-page") && (document.title = `${description.name} – Tightfit`);
    if (!isSame) [this.isFocus, this.isClose] = [true, false];
    this.parts.setCut(this.cut);
    this.parts.setExaggeration(this.exaggeration);
    this.hands.setScene(description);
    this.fillPanel(description);
    this.lamps.build(description);
    if (this.isHeat) this.sendHeat();
    if (!this.door.isLive) {
      this.isFollowing = false;
      this.isPlaying = false;
    }
    this.isStale = true;
  }

  // ---- picture

  private picture() {
    const now = performance.now();
    const passed = Math.min((now - this.lastPicture) / 1000, 0.2);
    this.lastPicture = now;
    if (!this.scene) return;
    if (this.isPlaying && !this.isFollowing) this.playOn(passed);
    const frame = this.history.at(this.cursor);
    if (frame) {
      const force = Math.hypot(...["x", "y", "z"].map((axis) => this.history.value(frame, `force_${axis}`)));
      this.hands.update(frame, this.drivenIndex(), this.isFollowing ? force : 0);
      if (this.isStale) {
        this.isStale = false;
        this.showFrame(frame);
        this.stage.dirty();
      }
      if (now - this.lastPlots > 66) {
        this.lastPlots = now;
        this.plots.forEach((plot) => plot.draw(this.history, this.cursor));
        this.timeline?.draw(this.history, this.cursor, this.door.isLive && !frame.hasHand ? this.scene.duration : 0);
      }
    }
    if (this.stage.render() && this.firstPicture === 0) this.firstPicture = performance.now();
  }

  private playOn(passed: number) {
    this.playTime += passed * this.speed;
    const next = this.history.indexAt(this.playTime);
    if (next !== this.cursor) {
      this.cursor = next;
      this.isStale = true;
    }
    if (this.cursor >= this.history.frames.length - 1) {
      this.isPlaying = false;
      if (this.door.isLive) this.follow();
    }
    this.updatePlayButton();
  }

  private showFrame(frame: Frame) {
    this.parts?.show(frame);
    const driven = this.drivenIndex();
    const pose = matrix(frame.bodies, Math.max(driven, 0));
    if (this.arm && this.scene?.arm) {
      this.arm.show(frame.links);
      const held = this.scene.parts[this.scene.arm.holds];
      if (held?.box) {
        const radius = Math.max(held.box[1][0], held.box[1][1]) * MM;
        const tip = matrix(frame.links, frame.links.length / 7 - 1);
        const [low, high] = [held.box[0][2] * MM, held.box[1][2] * MM];
        this.fingers.show(tip, matrix(frame.bodies, this.scene.arm.holds), radius, high - Math.min(0.7 * (high - low), 25));
      }
    }
    this.contacts?.show(frame, new THREE.Vector3().setFromMatrixPosition(pose), (name) => this.history.value(frame, name), this.visible);
    if (this.visible.trail && driven >= 0) this.showTrail(driven);
    this.showNumbers(frame);
  }

  private showTrail(driven: number) {
    const frames = this.history.frames;
    const stride = Math.max(1, Math.ceil(this.cursor / 600));
    const points: THREE.Vector3[] = [];
    for (let i = this.cursor % stride; i <= this.cursor; i += stride) {
      const at = 7 * driven;
      const { bodies } = frames[i];
      points.push(new THREE.Vector3(bodies[at] * MM, bodies[at + 1] * MM, bodies[at + 2] * MM));
    }
    this.contacts?.setTrail(points);
  }

  private showNumbers(frame: Frame) {
    const value = (name: string) => this.history.value(frame, name);
    this.clock.textContent = `${frame.time.toFixed(2)} s`;
    const parts: string[] = [];
    parts.push(this.scene!.phases[frame.phase] ?? "");
    parts.push(`${value("active")} contacts`);
    if (value("real_time_factor") > 0) parts.push(`${Number(value("real_time_factor").toPrecision(2))}× real time`);
    if (frame.hasHand) {
      const hand = ["x", "y", "z"].map((axis) => value(`hand_force_${axis}`));
      parts.push(`hand ${quantity(Math.hypot(...hand), "N")}`);
    }
    this.readout.textContent = parts.filter(Boolean).join("  ·  ");
    this.lamps.show(this.scene!, value);
    this.updatePlayButton();
  }

  private frameCamera(frame: Frame) {
    const parts = this.parts!.box.clone();
    let ground = Math.min(...this.scene!.parts.filter((part) => part.box && part.motion === "fixed").map((part) => (part.pose[2] + part.box![0][2]) * MM), parts.min.z);
    const all = parts.clone();
    if (this.arm) {
      this.arm.show(frame.links);
      all.union(this.arm.box);
      ground = Math.min(ground, (this.scene!.arm!.base[2] ?? 0) * MM);
      this.parts!.standOn(ground);
    }
    const isWide = this.arm !== null && !this.isClose;
    if (this.isFocus) this.stage.frame(all, isWide ? all : parts, ground, isWide);
    this.isFocus = false;
  }

  // ---- time

  private drivenIndex(): number {
    return this.scene?.parts.findIndex((part) => part.driven) ?? -1;
  }

  /** Shows the state at a time [s]. */
  seek(time: number, isPartner = false) {
    this.cursor = this.history.indexAt(time);
    const isLast = this.cursor >= this.history.frames.length - 1;
    this.isFollowing = this.door.isLive && isLast;
    this.isPlaying = false;
    this.playTime = time;
    this.isStale = true;
    if (!isPartner) this.others().forEach((partner) => partner.seek(time, true));
  }

  private others() {
    return this.partners.filter((partner) => partner !== this);
  }

  private follow() {
    this.isFollowing = true;
    this.isPlaying = false;
    this.cursor = Math.max(this.history.frames.length - 1, 0);
    this.isStale = true;
  }

  private nudge(steps: number) {
    if (this.door.isLive && this.isFollowing && steps > 0) return this.door.send({ do: "step", count: steps });
    this.isFollowing = false;
    this.isPlaying = false;
    this.cursor = Math.min(Math.max(this.cursor + steps, 0), this.history.frames.length - 1);
    this.isStale = true;
  }

  togglePlay(isPartner = false) {
    const frame = this.history.at(this.cursor);
    if (this.door.isLive && this.isFollowing) {
      this.door.send({ do: frame?.isPaused || frame?.isOver ? "play" : "pause" });
    } else {
      this.isPlaying = !this.isPlaying;
      if (this.cursor >= this.history.frames.length - 1) this.cursor = 0;
      this.playTime = this.history.at(this.cursor)?.time ?? 0;
      this.updatePlayButton();
    }
    if (!isPartner) this.others().forEach((partner) => partner.togglePlay(true));
  }

  private updatePlayButton() {
    const frame = this.history.at(this.cursor);
    const isRunning = this.isFollowing ? !(frame?.isPaused || frame?.isOver) : this.isPlaying;
    this.playButton.textContent = isRunning ? "❚❚" : "▶";
    this.liveButton.classList.toggle("on", this.isFollowing);
  }

  // ---- controls

  private buildBar() {
    const speed = select("speed", SPEEDS.map((value) => [String(value), `${value}×`]), (value) => {
      this.speed = Number(value);
      this.door.send({ do: "speed", factor: this.speed });
    });
    speed.input.value = "1";
    this.controls.speed = speed;
    const reset = button("⟲", this.door.isLive ? "Start again" : "To the start", () =>
      this.door.isLive ? this.door.send({ do: "reset" }) : this.seek(0), "tf-reset");
    const buttons = [
      reset,
      button("◂", "One step back (,)", () => this.nudge(-1)),
      this.playButton,
      button("▸", "One step on (.)", () => this.nudge(1)),
    ];
    this.bar.append(...buttons, this.clock, this.timelineHolder, speed.element);
    if (this.door.isLive) this.bar.append(this.liveButton);
  }

  private section(title: string, ...children: (Node | string)[]) {
    return element("div", {}, element("h2", {}, title), ...children);
  }

  private buildPanel() {
    const { controls } = this;
    const isLive = this.door.isLive;
    if (isLive) {
      controls.scenes = select("scene", [], (name) => this.door.send({ do: "scene", name }));
      controls.presets = select("methods", [], (name) => this.change("method", `{ preset = "${name}" }`));
      controls.friction = slider("friction μ", linear(0, 0.8), (value) => value.toFixed(2), () => {}, (value) => this.change("friction", value.toFixed(3)));
      controls.clearance = slider("clearance", logarithmic(2e-6, 500e-6), (value) => quantity(value, "m"), () => {}, (gap) => this.door.send({ do: "clearance", gap }));
      this.panel.append(this.section("Scene", controls.scenes.element, controls.presets.element, controls.friction.element, controls.clearance.element));
    }
    controls.cut = slider("cutaway", linear(0, 1.6), (value) => (value < 0.005 ? "off" : `${Math.round((value / 1.6) * 100)} %`), (value) => this.setCut({ depth: value < 0.005 ? 0 : value }));
    const angle = slider("direction", linear(-180, 180), (value) => `${Math.round(value)}°`, (value) => this.setCut({ angle: (value * Math.PI) / 180 }));
    angle.set(0);
    controls.cut.set(0);
    const inner = toggle("cut the inner part too", "Off: only the outer part is cut", true, (inner) => this.setCut({ inner }));
    controls.exaggerate = slider("exaggerate gaps", { to: (share) => this.largestGap ** share, from: (value) => Math.log(value) / Math.log(this.largestGap) }, (value) => (value < 1.05 ? "off" : `× ${value.toPrecision(2)}`), (value) => this.setExaggeration(value < 1.05 ? 1 : value));
    controls.exaggerate.set(1);
    const view: Node[] = [controls.cut.element, angle.element, inner.element, controls.exaggerate.element];
    if (isLive) {
      controls.heat = toggle("heat map of gap and penetration", "Colours of the driven part by its gap (H)", false, (isOn) => this.setHeat(isOn));
      view.push(controls.heat.element, heatLegend());
    }
    this.panel.append(this.section("Look inside", ...view));
    const layer = (label: string, name: keyof Visible, title: string) =>
      toggle(label, title, this.visible[name], (isOn) => {
        this.visible[name] = isOn;
        this.isStale = true;
      }).element;
    this.panel.append(
      this.section(
        "Contacts",
        layer("points and forces", "forces", "Force of each contact on the driven part"),
        layer("normals", "normals", "Normals of contacts that carry force"),
        layer("net wrench and hand", "wrench", "Contact force red, torque violet, hand green"),
        layer("trail", "trail", "Path of the driven part's frame"),
      ),
    );
    if (isLive) {
      controls.gizmo = button("gizmo: off", "Drag the part by handles (G)", () => this.nextGizmo());
      const mouse = button("SpaceMouse", "Connect a SpaceMouse", () => {
        this.hands.spaceMouse().then((text) => this.problem(text), (error) => this.problem(String(error)));
      });
      const automatic = button("automatic", "Give the part back to the scene's drive", () => this.door.send({ do: "automatic" }));
      const help = element("dl", { class: "tf-keys" }, ...HELP.flatMap(([keys, text]) => [element("dt", {}, keys), element("dd", {}, text)]));
      this.panel.append(this.section("Hands", element("div", { class: "tf-row" }, controls.gizmo, mouse, automatic), element("details", { open: true }, element("summary", {}, "keys"), help)));
    }
    const files = [button("picture", "Save a picture of the view", () => this.screenshot(), "tf-shot")];
    if (isLive) {
      files.push(button("link", "Copy a link to this scene", () => void this.share()));
      const address = this.door.logAddress();
      if (address) files.push(button("log", "Save the run so far as a log", () => download(address, "tightfit-run.csv")));
    }
    files.push(button("frame", "Show everything, or the parts alone (V)", () => this.refocus()));
    this.panel.append(this.section("Keep", element("div", { class: "tf-row" }, ...files)));
  }

  private fillPanel(scene: SceneDescription) {
    const { controls } = this;
    controls.scenes?.fill(
      [...scene.scenes.map(({ name }): [string, string] => [name, name]), ...(scene.scenes.some(({ name }) => name === scene.name) ? [] : [[scene.name, scene.name] as [string, string]])],
      scene.name,
    );
    controls.presets?.fill(scene.presets.map((name): [string, string] => [name, name]), scene.preset);
    if (scene.friction !== null) controls.friction?.set(scene.friction);
    if (controls.clearance) {
      controls.clearance.element.hidden = scene.clearance === null;
      controls.clearance.input.disabled = !scene.clearance_adjustable;
      controls.clearance.element.title = scene.clearance_adjustable ? "Gap between the centred parts" : "Set by the dimensions in the scene file";
      if (scene.clearance !== null) controls.clearance.set(scene.clearance);
    }
    this.largestGap = largestGap(scene);
    if (controls.exaggerate) controls.exaggerate.element.hidden = scene.clearance === null;
    controls.exaggerate?.set(Math.min(this.exaggeration, this.largestGap));
  }

  /** Replaces one value of the scene and keeps the other changes. */
  private change(key: string, value: string) {
    const others = (this.scene?.changes ?? []).filter((change) => change.split("=")[0].trim() !== key);
    this.door.send({ do: "set", changes: [...others, `${key}=${value}`] });
  }

  setCut(change: Partial<Cut>) {
    this.cut = { ...this.cut, ...change };
    this.parts?.setCut(this.cut);
    this.isStale = true;
  }

  private setExaggeration(factor: number) {
    this.exaggeration = factor;
    this.parts?.setExaggeration(factor);
    this.isStale = true;
  }

  private setHeat(isOn: boolean) {
    this.isHeat = isOn;
    if (this.controls.heat) this.controls.heat.input.checked = isOn;
    this.parts?.heat(isOn ? this.drivenIndex() : -1);
    this.sendHeat();
    this.isStale = true;
  }

  private sendHeat() {
    const part = this.scene?.parts[this.drivenIndex()]?.name ?? null;
    this.door.send({ do: "heat", part: this.isHeat ? part : null });
  }

  private nextGizmo() {
    const next = { off: "translate", translate: "rotate", rotate: "off" } as const;
    this.gizmo = next[this.gizmo];
    this.hands.showGizmo(this.gizmo !== "off", this.gizmo === "rotate" ? "rotate" : "translate");
    const names = { off: "off", translate: "move", rotate: "turn" };
    if (this.controls.gizmo) this.controls.gizmo.textContent = `gizmo: ${names[this.gizmo]}`;
  }

  /** Shows everything; with an arm, the parts and everything by turns. */
  private refocus() {
    this.isFocus = true;
    this.isClose = !this.isClose;
    const frame = this.history.at(this.cursor);
    if (frame) this.frameCamera(frame);
  }

  private key(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    const isOurs = this.root.classList.contains("tf-full") || this.root.contains(document.activeElement);
    if (!isOurs || event.ctrlKey || event.metaKey || event.altKey || target.tagName === "SELECT") return;
    const actions: Record<string, () => void> = {
      Space: () => this.togglePlay(),
      Period: () => this.nudge(1),
      Comma: () => this.nudge(-1),
      Backspace: () => (this.door.isLive ? this.door.send({ do: "reset" }) : this.seek(0)),
      KeyG: () => this.nextGizmo(),
      KeyV: () => this.refocus(),
      KeyC: () => {
        const depth = this.cut.depth > 0 ? 0 : 1;
        this.controls.cut?.set(depth);
        this.setCut({ depth });
      },
      KeyH: () => this.door.isLive && this.setHeat(!this.isHeat),
      KeyX: () => {
        const factor = this.exaggeration > 1 ? 1 : this.largestGap ** 0.8;
        this.controls.exaggerate?.set(factor);
        this.setExaggeration(factor);
      },
    };
    const action = actions[event.code];
    if (!action) return;
    action();
    event.preventDefault();
  }

  private screenshot() {
    this.stage.dirty();
    this.stage.render();
    this.canvas.toBlob((blob) => {
      if (!blob) return;
      const address = URL.createObjectURL(blob);
      download(address, `${this.scene?.name ?? "tightfit"}.png`);
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    });
  }

  /** The scene in the address, so that another page with a simulator opens it. */
  private async share() {
    if (!this.scene) return;
    const address = linkOf(this.scene);
    history.replaceState(null, "", address);
    try {
      await navigator.clipboard.writeText(address);
      this.problem("The link is copied.");
    } catch {
      this.problem("The link is in the address line.");
    }
  }

  /** Opens what the address names. */
  openLink(hash: string) {
    const link = readLink(hash);
    link.commands.forEach((command) => this.door.send(command));
    if (link.cut !== null) {
      this.controls.cut?.set(link.cut);
      this.setCut({ depth: link.cut });
    }
    if (link.exaggerate !== null) {
      this.controls.exaggerate?.set(link.exaggerate);
      this.setExaggeration(link.exaggerate);
    }
    if (link.isBare) this.root.classList.add("tf-bare");
    // the frames of a recording follow the scene
    const { time } = link;
    if (time !== null) setTimeout(() => this.seek(time));
  }

  /** What page tests and `tightfit render` read. */
  private publish() {
    const tests = {
      ready: () => this.scene !== null && this.history.frames.length > 0,
      frame: () => this.history.at(this.cursor),
      frames: () => this.history.frames.length,
      value: (name: string) => {
        const frame = this.history.at(this.cursor);
        return frame ? this.history.value(frame, name) : NaN;
      },
      scene: () => this.scene,
      firstPicture: () => this.firstPicture,
      arrows: () => this.contacts?.shown ?? 0,
      seek: (time: number) => this.seek(time),
      send: (command: Parameters<Door["send"]>[0]) => this.door.send(command),
      camera: (position: number[], target: number[]) => {
        this.stage.camera.position.fromArray(position);
        this.stage.orbit.target.fromArray(target);
        this.stage.dirty();
      },
    };
    const list = ((window as unknown as { tightfit?: object[] }).tightfit ??= []);
    list.push(tests);
  }
}

/** Gaps may grow to a fifth of a thread's pitch, or a twentieth of the part. */
function largestGap(scene: SceneDescription): number {
  const part = scene.parts.find((part) => part.driven);
  if (!scene.clearance || !part?.box) return 100;
  const room = part.pitch ? Math.abs(part.pitch) * 0.2 : part.box[1][0] * 0.1;
  return Math.min(Math.max(room / scene.clearance, 2), 100);
}

function heatLegend(): HTMLElement {
  return element("div", { class: "tf-heat" }, element("i"), element("span", {}, "inside"), element("span", {}, "0"), element("span", {}, "15 µm"), element("span", {}, "150 µm"), element("span", {}, "1 mm"));
}
