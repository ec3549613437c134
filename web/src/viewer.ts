// One view: stage, parts, plots, time line and controls around one door.

import { button, download, element, select } from "./dom";
import type { Door, Listener } from "./doors";
import { Drawing } from "./drawing";
import { quantity } from "./format";
import { Hands } from "./hands";
import { Lamps } from "./lamps";
import { linkOf, readLink } from "./link";
import { Panel, type Gizmo, type Look, type PanelOwner } from "./panel";
import { Playback } from "./playback";
import { PLOTS, Plot } from "./plots";
import type { Frame, Message, SceneDescription } from "./protocol";
import { Stage } from "./stage";
import { Timeline } from "./timeline";

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 5];
/** Time between two drawings of the plots [ms]. */
const PLOT_MS = 66;

export class Viewer implements Listener, PanelOwner {
  readonly door: Door;
  private stage: Stage;
  private hands: Hands;
  private panel: Panel;
  private playback: Playback;
  private scene: SceneDescription | null = null;
  private drawing: Drawing | null = null;
  private plots: Plot[] = [];
  private timeline: Timeline | null = null;
  private look: Look = {
    cut: { depth: 0, angle: 0, inner: true },
    exaggeration: 1,
    isHeat: false,
    visible: { forces: true, normals: false, wrench: true, trail: true },
  };
  private gizmo: Gizmo = "off";
  private lastPicture = 0;
  private lastPlots = 0;
  private firstPicture = 0;
  /** Whether the picture is older than what it shows. */
  private isStale = true;
  /** Whether the camera looks for the scene when its first frame comes. */
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
  private bar = element("div", { class: "tf-bar" });
  private clock = element("output", { class: "tf-clock" });
  private playButton = button("▶", "Play or pause (Space)", () => this.togglePlay(), "tf-play");
  private liveButton = button("● live", "Return to the present", () => this.playback.follow(), "tf-live");
  private note = element("div", { class: "tf-note", hidden: true });
  private readout = element("div", { class: "tf-readout" });
  private hint = element("div", { class: "tf-hint" });
  private timelineHolder = element("div", { class: "tf-timeline-holder" });

  constructor(private root: HTMLElement, open: (listener: Listener) => Door) {
    root.classList.add("tf-root");
    const top = element("header", { class: "tf-top" }, element("div", { class: "tf-title" }, this.title, this.subtitle), this.lamps.element, this.status);
    root.append(this.canvas, top);
    this.stage = new Stage(this.canvas);
    this.door = open(this);
    this.playback = new Playback(this.door.isLive, () => (this.isStale = true));
    this.panel = new Panel(this, this.look);
    root.append(this.panel.element, this.plotList, this.hint, this.readout, this.bar, this.note);
    this.hands = new Hands(this.stage, this.door, root);
    root.classList.toggle("tf-live-door", this.door.isLive);
    this.buildBar();
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
    const isSame = this.scene?.name === description.name;
    this.scene = description;
    this.playback.restart(description.channels);
    this.drawing?.dispose();
    this.drawing = new Drawing(this.stage, description);
    this.drawing.setLook(this.look);
    this.timeline = new Timeline(description.phases, (time) => this.seek(time));
    this.timelineHolder.replaceChildren(this.timeline.canvas);
    this.plots = PLOTS.filter((spec) => description.task || spec.title !== "Depth").map((spec) => new Plot(spec, (time) => this.seek(time)));
    this.plotList.replaceChildren(...this.plots.map((plot) => plot.element));
    this.title.textContent = description.label ? `${description.name} · ${description.label}` : description.name;
    this.subtitle.textContent = description.description;
    this.hint.textContent = this.door.isLive ? hintOf(description) : "";
    document.body.classList.contains("tf-page") && (document.title = `${description.name} – Tightfit`);
    if (!isSame) [this.isFocus, this.isClose] = [true, false];
    this.hands.setScene(description);
    this.panel.setScene(description);
    this.lamps.build(description);
    if (this.look.isHeat) this.sendHeat();
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
      this.drawing?.add(message.mesh, this.look);
      this.isStale = true;
    } else if (message.kind === "heat") {
      this.drawing?.parts.showHeat(message.body, message.gaps);
      this.isStale = true;
    } else {
      this.receive(message.frame);
    }
  }

  private receive(frame: Frame) {
    if (frame.generation !== this.scene!.generation) return;
    const event = this.playback.receive(frame);
    if (event !== "added") this.drawing?.contacts.forget();
    if (event === "first") this.begin(frame);
    if (frame.hasHand) this.hint.textContent = "";
  }

  private begin(frame: Frame) {
    if (this.isFocus) this.drawing?.frameCamera(frame, this.isClose);
    else this.drawing?.begin(frame);
    this.isFocus = false;
  }

  // ---- picture

  private picture() {
    const now = performance.now();
    const passed = Math.min((now - this.lastPicture) / 1000, 0.2);
    this.lastPicture = now;
    if (!this.scene) return;
    this.playback.advance(passed);
    const { frame, history, isFollowing } = this.playback;
    if (frame) {
      const force = Math.hypot(...["x", "y", "z"].map((axis) => history.value(frame, `force_${axis}`)));
      this.hands.update(frame, this.drawing?.driven ?? -1, isFollowing ? force : 0);
      if (this.isStale) {
        this.showFrame(frame);
        this.stage.dirty();
      }
      if (now - this.lastPlots > PLOT_MS) this.drawPlots(frame);
    }
    if (this.stage.render() && this.firstPicture === 0) this.firstPicture = performance.now();
  }

  private drawPlots(frame: Frame) {
    const { history, cursor } = this.playback;
    this.lastPlots = performance.now();
    this.plots.forEach((plot) => plot.draw(history, cursor));
    this.timeline?.draw(history, cursor, this.door.isLive && !frame.hasHand ? this.scene!.duration : 0);
  }

  private showFrame(frame: Frame) {
    this.isStale = false;
    const { history, cursor } = this.playback;
    this.drawing?.show(frame, history, cursor, this.look);
    this.showNumbers(frame, (name) => history.value(frame, name));
  }

  private showNumbers(frame: Frame, value: (name: string) => number) {
    this.clock.textContent = `${frame.time.toFixed(2)} s`;
    const parts = [this.scene!.phases[frame.phase] ?? "", `${value("active")} contacts`];
    if (value("real_time_factor") > 0) parts.push(`${Number(value("real_time_factor").toPrecision(2))}× real time`);
    if (frame.hasHand) {
      const hand = ["x", "y", "z"].map((axis) => value(`hand_force_${axis}`));
      parts.push(`hand ${quantity(Math.hypot(...hand), "N")}`);
    }
    this.readout.textContent = parts.filter(Boolean).join("  ·  ");
    this.lamps.show(this.scene!, value);
    this.updatePlayButton();
  }

  // ---- time

  /** Shows the state at a time [s]. */
  seek(time: number, isPartner = false) {
    this.playback.seek(time);
    if (!isPartner) this.others().forEach((partner) => partner.seek(time, true));
  }

  private others() {
    return this.partners.filter((partner) => partner !== this);
  }

  private nudge(steps: number) {
    if (this.door.isLive && this.playback.isFollowing && steps > 0) this.door.send({ do: "step", count: steps });
    else this.playback.nudge(steps);
  }

  private toStart() {
    if (this.door.isLive) this.door.send({ do: "reset" });
    else this.seek(0);
  }

  togglePlay(isPartner = false) {
    if (this.door.isLive && this.playback.isFollowing) this.door.send({ do: this.playback.isRunning ? "pause" : "play" });
    else this.playback.toggle();
    this.updatePlayButton();
    if (!isPartner) this.others().forEach((partner) => partner.togglePlay(true));
  }

  private updatePlayButton() {
    this.playButton.textContent = this.playback.isRunning ? "❚❚" : "▶";
    this.liveButton.classList.toggle("on", this.playback.isFollowing);
  }

  // ---- controls

  private buildBar() {
    const speed = select("speed", SPEEDS.map((value) => [String(value), `${value}×`]), (value) => {
      this.playback.speed = Number(value);
      this.door.send({ do: "speed", factor: this.playback.speed });
    });
    speed.input.value = "1";
    const buttons = [
      button("⟲", this.door.isLive ? "Start again" : "To the start", () => this.toStart(), "tf-reset"),
      button("◂", "One step back (,)", () => this.nudge(-1)),
      this.playButton,
      button("▸", "One step on (.)", () => this.nudge(1)),
    ];
    this.bar.append(...buttons, this.clock, this.timelineHolder, speed.element);
    if (this.door.isLive) this.bar.append(this.liveButton);
  }

  setLook(change: Partial<Look>) {
    const wasHeat = this.look.isHeat;
    this.look = { ...this.look, ...change };
    this.panel.setLook(this.look);
    this.drawing?.setLook(this.look);
    if (this.look.isHeat !== wasHeat) {
      this.drawing?.setHeat(this.look.isHeat);
      this.sendHeat();
    }
    this.isStale = true;
  }

  private sendHeat() {
    const part = this.scene?.parts[this.drawing?.driven ?? -1]?.name ?? null;
    this.door.send({ do: "heat", part: this.look.isHeat ? part : null });
  }

  nextGizmo() {
    const next = { off: "translate", translate: "rotate", rotate: "off" } as const;
    this.gizmo = next[this.gizmo];
    this.hands.showGizmo(this.gizmo !== "off", this.gizmo === "rotate" ? "rotate" : "translate");
    this.panel.setGizmo(this.gizmo);
  }

  connectSpaceMouse() {
    this.hands.spaceMouse().then((text) => this.problem(text), (error) => this.problem(String(error)));
  }

  /** Shows everything; with an arm, the parts and everything by turns. */
  refocus() {
    this.isClose = !this.isClose;
    if (this.playback.frame) this.drawing?.frameCamera(this.playback.frame, this.isClose);
  }

  private key(event: KeyboardEvent) {
    const target = event.target as HTMLElement;
    const isOurs = this.root.classList.contains("tf-full") || this.root.contains(document.activeElement);
    if (!isOurs || event.ctrlKey || event.metaKey || event.altKey || target.tagName === "SELECT") return;
    const { look } = this;
    const actions: Record<string, () => void> = {
      Space: () => this.togglePlay(),
      Period: () => this.nudge(1),
      Comma: () => this.nudge(-1),
      Backspace: () => this.toStart(),
      KeyG: () => this.nextGizmo(),
      KeyV: () => this.refocus(),
      KeyC: () => this.setLook({ cut: { ...look.cut, depth: look.cut.depth > 0 ? 0 : 1 } }),
      KeyH: () => this.door.isLive && this.setLook({ isHeat: !look.isHeat }),
      KeyX: () => this.setLook({ exaggeration: look.exaggeration > 1 ? 1 : this.panel.largestGap ** 0.8 }),
    };
    const action = actions[event.code];
    if (!action) return;
    action();
    event.preventDefault();
  }

  // ---- files and links

  screenshot() {
    this.stage.renderInFull();
    this.canvas.toBlob((blob) => {
      if (!blob) return;
      const address = URL.createObjectURL(blob);
      download(address, `${this.scene?.name ?? "tightfit"}.png`);
      setTimeout(() => URL.revokeObjectURL(address), 10000);
    });
  }

  /** The scene in the address, so that another page with a simulator opens it. */
  async share() {
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
    if (link.cut !== null) this.setLook({ cut: { ...this.look.cut, depth: link.cut } });
    if (link.exaggerate !== null) this.setLook({ exaggeration: link.exaggerate });
    if (link.isBare) this.root.classList.add("tf-bare");
    // the frames of a recording follow the scene
    setTimeout(() => {
      if (link.zoom > 0) this.stage.zoom(link.zoom);
      if (link.time !== null) this.seek(link.time);
    });
  }

  /** Draws the state at a time [s] now, in full resolution, with plots and time line. */
  private draw(time: number) {
    this.seek(time);
    const { frame } = this.playback;
    if (!frame) return;
    this.showFrame(frame);
    this.drawPlots(frame);
    this.stage.renderInFull();
  }

  /** What page tests and `tightfit render` use. */
  private publish() {
    const { playback } = this;
    const tests = {
      ready: () => this.scene !== null && playback.history.frames.length > 0,
      frame: () => playback.frame,
      frames: () => playback.history.frames.length,
      value: (name: string) => (playback.frame ? playback.history.value(playback.frame, name) : NaN),
      scene: () => this.scene,
      firstPicture: () => this.firstPicture,
      arrows: () => this.drawing?.contacts.shown ?? 0,
      seek: (time: number) => this.seek(time),
      draw: (time: number) => this.draw(time),
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

/** The first thing that a visitor may try. */
function hintOf(scene: SceneDescription): string {
  const part = scene.parts.find((part) => part.driven && part.motion !== "fixed");
  if (!part) return "";
  const turn = part.pitch ? `hold E or Q to turn the ${part.name}` : `A D W S move the ${part.name}`;
  return `${turn}  ·  F presses, R lifts  ·  C cuts it open`;
}
