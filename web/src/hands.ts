// Hands on the driven part: keys, a gizmo, a gamepad and a SpaceMouse.

import * as THREE from "three";
import { TransformControls } from "three/examples/jsm/controls/TransformControls.js";
import type { Door } from "./doors";
import type { Frame, SceneDescription } from "./protocol";
import { MM, type Stage } from "./stage";
import { matrix } from "./parts";

/** Velocity of a key [m/s, rad/s], and its share with Shift. */
const SPEED = 0.02;
const TURN = 3.2;
const SLOW = 0.15;
/** A hand that is silent for longer lets go, so it repeats itself. */
const REPEAT_MS = 90;
/** Values of a SpaceMouse at full deflection. */
const FULL = 350;

const KEYS: Record<string, [number, number]> = {
  // axis 0 to 2 moves along x, y, z; 3 to 5 turns about them
  ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, 1], ArrowDown: [1, -1],
  KeyD: [0, 1], KeyA: [0, -1], KeyW: [1, 1], KeyS: [1, -1],
  KeyR: [2, 1], KeyF: [2, -1],
  KeyQ: [5, 1], KeyE: [5, -1],
  KeyI: [3, -1], KeyK: [3, 1], KeyJ: [4, -1], KeyL: [4, 1],
};

interface HidDevice {
  opened: boolean;
  productName: string;
  open(): Promise<void>;
  addEventListener(name: "inputreport", listener: (event: { reportId: number; data: DataView }) => void): void;
}

export class Hands {
  private pressed = new Set<string>();
  private isSlow = false;
  private wasMoving = false;
  private lastSent = 0;
  private gizmo: TransformControls;
  private proxy = new THREE.Object3D();
  private isDragging = false;
  private mouse = new Float32Array(6);
  private rumbled = 0;
  part: string | null = null;
  isGizmoShown = false;

  constructor(private stage: Stage, private door: Door, root: HTMLElement) {
    stage.scene.add(this.proxy);
    this.gizmo = new TransformControls(stage.camera, stage.renderer.domElement);
    this.gizmo.setSize(0.9);
    this.gizmo.attach(this.proxy);
    this.gizmo.enabled = false;
    this.gizmo.getHelper().visible = false;
    stage.scene.add(this.gizmo.getHelper());
    this.gizmo.addEventListener("change", () => stage.dirty());
    this.gizmo.addEventListener("dragging-changed", (event) => {
      this.isDragging = event.value as boolean;
      stage.orbit.enabled = !this.isDragging;
      if (!this.isDragging) door.send({ do: "release" });
    });
    this.gizmo.addEventListener("objectChange", () => this.drag());
    const isOurs = () => root.classList.contains("tf-full") || root.contains(document.activeElement);
    window.addEventListener("keydown", (event) => {
      if (!isOurs() || isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return;
      this.isSlow = event.shiftKey;
      if (event.code in KEYS && door.isLive) {
        this.pressed.add(event.code);
        event.preventDefault();
      }
    });
    window.addEventListener("keyup", (event) => {
      this.isSlow = event.shiftKey;
      this.pressed.delete(event.code);
    });
    window.addEventListener("blur", () => this.pressed.clear());
  }

  setScene(scene: SceneDescription) {
    this.part = (scene.parts.find((part) => part.driven && part.motion !== "fixed") ?? scene.parts.find((part) => part.motion !== "fixed"))?.name ?? null;
  }

  showGizmo(isShown: boolean, mode: "translate" | "rotate") {
    this.isGizmoShown = isShown && this.door.isLive;
    this.gizmo.enabled = this.isGizmoShown;
    this.gizmo.getHelper().visible = this.isGizmoShown;
    this.gizmo.setMode(mode);
    this.gizmo.setSpace(mode === "rotate" ? "local" : "world");
    this.stage.dirty();
  }

  /** Called once per picture. */
  update(frame: Frame, driven: number, force: number) {
    if (!this.isDragging && driven >= 0) {
      matrix(frame.bodies, driven).decompose(this.proxy.position, this.proxy.quaternion, this.proxy.scale);
    }
    if (this.isDragging && performance.now() - this.lastSent > REPEAT_MS) this.drag();
    this.move(force);
  }

  private drag() {
    if (!this.isDragging || !this.part) return;
    this.lastSent = performance.now();
    const { position: p, quaternion: q } = this.proxy;
    this.door.send({ do: "drag", part: this.part, position: [p.x / MM, p.y / MM, p.z / MM], rotation: [q.x, q.y, q.z, q.w] });
  }

  private move(force: number) {
    if (!this.part || !this.door.isLive) return;
    const axes = [0, 0, 0, 0, 0, 0];
    for (const code of this.pressed) {
      const [axis, sign] = KEYS[code];
      axes[axis] += sign;
    }
    this.gamepad(axes, force);
    this.mouse.forEach((value, axis) => (axes[axis] += value));
    const share = this.isSlow ? SLOW : 1;
    const isMoving = axes.some((axis) => Math.abs(axis) > 0.02);
    const now = performance.now();
    if (!isMoving && !this.wasMoving) return;
    if (isMoving && this.wasMoving && now - this.lastSent < REPEAT_MS / 2) return;
    this.lastSent = now;
    this.wasMoving = isMoving;
    const clamp = (value: number) => Math.min(Math.max(value, -1), 1) * share;
    this.door.send({
      do: "move",
      part: this.part,
      linear: axes.slice(0, 3).map((axis) => clamp(axis) * SPEED),
      angular: axes.slice(3).map((axis) => clamp(axis) * TURN),
    });
  }

  /** Sticks move and tilt, triggers press and lift, shoulder buttons turn; the contact force is felt as rumble. */
  private gamepad(axes: number[], force: number) {
    const pad = navigator.getGamepads?.().find((pad) => pad?.connected);
    if (!pad) return;
    const stick = (index: number) => (Math.abs(pad.axes[index] ?? 0) > 0.12 ? pad.axes[index] : 0);
    const button = (index: number) => pad.buttons[index]?.value ?? 0;
    axes[0] += stick(0);
    axes[1] -= stick(1);
    axes[4] += stick(2);
    axes[3] += stick(3);
    axes[2] += button(7) - button(6);
    axes[5] += button(4) - button(5);
    const now = performance.now();
    if (force > 0.5 && now - this.rumbled > 120) {
      this.rumbled = now;
      const strength = Math.min(force / 40, 1);
      const effect = { duration: 120, weakMagnitude: strength, strongMagnitude: strength * strength };
      void pad.vibrationActuator?.playEffect("dual-rumble", effect).catch(() => {});
    }
  }

  /** Asks for a SpaceMouse; returns its name, or why there is none. */
  async spaceMouse(): Promise<string> {
    const hid = (navigator as unknown as { hid?: { requestDevice(options: object): Promise<HidDevice[]> } }).hid;
    if (!hid) return "This browser has no WebHID; use Chrome or Edge.";
    const [device] = await hid.requestDevice({ filters: [{ vendorId: 0x256f }, { vendorId: 0x046d, usagePage: 1, usage: 8 }] });
    if (!device) return "No SpaceMouse was chosen.";
    if (!device.opened) await device.open();
    device.addEventListener("inputreport", ({ reportId, data }) => {
      const value = (at: number) => Math.min(Math.max(data.getInt16(at, true) / FULL, -1), 1);
      // x to the right, y towards the user, z down; the scene has y away and z up
      const put = (first: number, at: number) => {
        [this.mouse[first], this.mouse[first + 1], this.mouse[first + 2]] = [value(at), -value(at + 2), -value(at + 4)];
      };
      if (reportId === 1) {
        put(0, 0);
        if (data.byteLength >= 12) put(3, 6);
      } else if (reportId === 2) put(3, 0);
    });
    return device.productName;
  }
}

function isTyping(event: KeyboardEvent): boolean {
  const target = event.target as HTMLElement | null;
  return target?.tagName === "TEXTAREA" || (target?.tagName === "INPUT" && (target as HTMLInputElement).type === "text");
}
