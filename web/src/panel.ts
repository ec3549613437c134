// The panel of controls: scene, look inside, hands, contacts, files.

import type { Visible } from "./contacts";
import { button, download, element, linear, logarithmic, select, slider, toggle } from "./dom";
import type { Door } from "./doors";
import { quantity } from "./format";
import type { Cut } from "./parts";
import type { SceneDescription } from "./protocol";

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

export type Gizmo = "off" | "translate" | "rotate";

/** How the scene is drawn. */
export interface Look {
  cut: Cut;
  /** Factor of gaps. */
  exaggeration: number;
  isHeat: boolean;
  visible: Visible;
}

/** What the panel asks of the view around it. */
export interface PanelOwner {
  readonly door: Door;
  setLook(change: Partial<Look>): void;
  nextGizmo(): void;
  connectSpaceMouse(): void;
  screenshot(): void;
  share(): void;
  refocus(): void;
}

export class Panel {
  readonly element = element("aside", { class: "tf-panel", "aria-label": "controls" });
  /** Largest factor of gaps that leaves the shapes recognisable. */
  largestGap = 100;
  private scene: SceneDescription | null = null;
  private cut = slider("cutaway", linear(0, 1.6), (value) => (value < 0.005 ? "off" : `${Math.round((value / 1.6) * 100)} %`), (value) => this.setCut({ depth: value < 0.005 ? 0 : value }));
  private exaggerate = slider("exaggerate gaps", { to: (share) => this.largestGap ** share, from: (value) => Math.log(value) / Math.log(this.largestGap) }, (value) => (value < 1.05 ? "off" : `× ${value.toPrecision(2)}`), (value) => this.owner.setLook({ exaggeration: value < 1.05 ? 1 : value }));
  private heat = toggle("heat map of gap and penetration", "Colours of the driven part by its gap (H)", false, (isHeat) => this.owner.setLook({ isHeat }));
  private scenes = select("scene", [], (name) => this.owner.door.send({ do: "scene", name }));
  private presets = select("methods", [], (name) => this.change("method", `{ preset = "${name}" }`));
  private friction = slider("friction μ", linear(0, 0.8), (value) => value.toFixed(2), () => {}, (value) => this.change("friction", value.toFixed(3)));
  private clearance = slider("clearance", logarithmic(2e-6, 500e-6), (value) => quantity(value, "m"), () => {}, (gap) => this.owner.door.send({ do: "clearance", gap }));
  private gizmo = button("gizmo: off", "Drag the part by handles (G)", () => this.owner.nextGizmo());

  constructor(private owner: PanelOwner, private look: Look) {
    const { isLive } = owner.door;
    if (isLive) this.add("Scene", this.scenes.element, this.presets.element, this.friction.element, this.clearance.element);
    this.addLook(isLive);
    if (isLive) this.addHands();
    this.addContacts();
    this.addFiles(isLive);
  }

  private add(title: string, ...children: (Node | string)[]) {
    this.element.append(element("div", {}, element("h2", {}, title), ...children));
  }

  private addLook(isLive: boolean) {
    const angle = slider("direction", linear(-180, 180), (value) => `${Math.round(value)}°`, (value) => this.setCut({ angle: (value * Math.PI) / 180 }));
    angle.set(0);
    this.cut.set(0);
    this.exaggerate.set(1);
    const inner = toggle("cut the inner part too", "Off: only the outer part is cut", true, (inner) => this.setCut({ inner }));
    const heat = isLive ? [this.heat.element, heatLegend()] : [];
    this.add("Look inside", this.cut.element, angle.element, inner.element, this.exaggerate.element, ...heat);
  }

  private addHands() {
    const mouse = button("SpaceMouse", "Connect a SpaceMouse", () => this.owner.connectSpaceMouse(), "tf-space-mouse");
    const automatic = button("automatic", "Give the part back to the scene's drive", () => this.owner.door.send({ do: "automatic" }));
    const help = element("dl", { class: "tf-keys" }, ...HELP.flatMap(([keys, text]) => [element("dt", {}, keys), element("dd", {}, text)]));
    const keys = element("details", { open: true }, element("summary", {}, "keys"), help);
    this.add("Hands", element("div", { class: "tf-row" }, this.gizmo, mouse, automatic), keys);
  }

  private addContacts() {
    const layer = (label: string, name: keyof Visible, title: string) =>
      toggle(label, title, this.look.visible[name], (isOn) => this.owner.setLook({ visible: { ...this.look.visible, [name]: isOn } })).element;
    this.add(
      "Contacts",
      layer("points and forces", "forces", "Force of each contact on the driven part"),
      layer("normals", "normals", "Normals of contacts that carry force"),
      layer("net wrench and hand", "wrench", "Contact force red, torque violet, hand green"),
      layer("trail", "trail", "Path of the driven part's frame"),
    );
  }

  private addFiles(isLive: boolean) {
    const files = [button("picture", "Save a picture of the view", () => this.owner.screenshot(), "tf-shot")];
    if (isLive) {
      files.push(button("link", "Copy a link to this scene", () => this.owner.share()));
      const address = this.owner.door.logAddress();
      if (address) files.push(button("log", "Save the run so far as a log", () => download(address, "tightfit-run.csv")));
    }
    files.push(button("frame", "Show everything, or the parts alone (V)", () => this.owner.refocus()));
    this.add("Keep", element("div", { class: "tf-row" }, ...files));
  }

  /** Fills the controls with what the scene has. */
  setScene(scene: SceneDescription) {
    this.scene = scene;
    const names = scene.scenes.map(({ name }) => name);
    if (!names.includes(scene.name)) names.push(scene.name);
    this.scenes.fill(names.map((name): [string, string] => [name, name]), scene.name);
    this.presets.fill(scene.presets.map((name): [string, string] => [name, name]), scene.preset);
    if (scene.friction !== null) this.friction.set(scene.friction);
    const { clearance } = this;
    clearance.element.hidden = scene.clearance === null;
    clearance.input.disabled = !scene.clearance_adjustable;
    clearance.element.title = scene.clearance_adjustable ? "Gap between the centred parts" : "Set by the dimensions in the scene file";
    if (scene.clearance !== null) clearance.set(scene.clearance);
    this.largestGap = largestGap(scene);
    this.exaggerate.element.hidden = scene.clearance === null;
    this.exaggerate.set(Math.min(this.look.exaggeration, this.largestGap));
  }

  /** Shows how the scene is drawn. */
  setLook(look: Look) {
    this.look = look;
    this.cut.set(look.cut.depth);
    this.exaggerate.set(Math.min(look.exaggeration, this.largestGap));
    this.heat.input.checked = look.isHeat;
  }

  setGizmo(gizmo: Gizmo) {
    const names = { off: "off", translate: "move", rotate: "turn" };
    this.gizmo.textContent = `gizmo: ${names[gizmo]}`;
  }

  private setCut(change: Partial<Cut>) {
    this.owner.setLook({ cut: { ...this.look.cut, ...change } });
  }

  /** Replaces one value of the scene and keeps the other changes. */
  private change(key: string, value: string) {
    const others = (this.scene?.changes ?? []).filter((change) => change.split("=")[0].trim() !== key);
    this.owner.door.send({ do: "set", changes: [...others, `${key}=${value}`] });
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
