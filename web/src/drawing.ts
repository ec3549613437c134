// What is drawn of a scene: parts, arm, contacts, and where the camera stands.

import * as THREE from "three";
import { Arm, Fingers } from "./arm";
import { Contacts } from "./contacts";
import type { History } from "./history";
import type { Look } from "./panel";
import { Parts, matrix } from "./parts";
import type { Frame, PartMesh, SceneDescription } from "./protocol";
import { MM, type Stage } from "./stage";

/** Most points of a trail. */
const TRAIL = 600;

export class Drawing {
  readonly parts: Parts;
  readonly contacts: Contacts;
  private arm: Arm | null;
  private fingers = new Fingers();
  /** Index of the driven part, -1 where there is none. */
  readonly driven: number;

  constructor(private stage: Stage, private description: SceneDescription) {
    this.driven = description.parts.findIndex((part) => part.driven);
    this.parts = new Parts(description);
    this.arm = description.arm ? new Arm(description.arm) : null;
    this.contacts = new Contacts(this.parts.box.getSize(new THREE.Vector3()).length() * 0.5);
    stage.scene.add(this.parts.root, this.contacts.root);
    if (this.arm) stage.scene.add(this.arm.root, this.fingers.root);
  }

  dispose() {
    this.stage.scene.remove(this.parts.root, this.contacts.root, this.fingers.root);
    if (this.arm) this.stage.scene.remove(this.arm.root);
    this.parts.dispose();
  }

  setLook(look: Look) {
    this.parts.setCut(look.cut);
    this.parts.setExaggeration(look.exaggeration);
  }

  /** Colours the driven part by its gap; builds materials anew. */
  setHeat(isHeat: boolean) {
    this.parts.heat(isHeat ? this.driven : -1);
  }

  /** Adds a part; materials follow how the scene is drawn. */
  add(mesh: PartMesh, look: Look) {
    this.parts.add(mesh);
    this.setLook(look);
    this.setHeat(look.isHeat);
  }

  /** Begins with the first frame; returns the height of the ground [mm]. */
  begin(frame: Frame): number {
    const feet = this.description.parts.filter((part) => part.box && part.motion === "fixed").map((part) => (part.pose[2] + part.box![0][2]) * MM);
    const ground = Math.min(...feet, this.parts.box.min.z);
    if (!this.arm) return ground;
    this.arm.show(frame.links);
    const floor = Math.min(ground, (this.description.arm!.base[2] ?? 0) * MM);
    this.parts.standOn(floor);
    return floor;
  }

  show(frame: Frame, history: History, cursor: number, look: Look) {
    this.parts.show(frame);
    this.showArm(frame);
    const pose = matrix(frame.bodies, Math.max(this.driven, 0));
    this.contacts.show(frame, new THREE.Vector3().setFromMatrixPosition(pose), (name) => history.value(frame, name), look.visible);
    if (look.visible.trail && this.driven >= 0) this.showTrail(history.frames, cursor);
  }

  private showArm(frame: Frame) {
    const arm = this.description.arm;
    if (!this.arm || !arm) return;
    this.arm.show(frame.links);
    const held = this.description.parts[arm.holds];
    if (!held?.box) return;
    const radius = Math.max(held.box[1][0], held.box[1][1]) * MM;
    const tip = matrix(frame.links, frame.links.length / 7 - 1);
    const [low, high] = [held.box[0][2] * MM, held.box[1][2] * MM];
    this.fingers.show(tip, matrix(frame.bodies, arm.holds), radius, high - Math.min(0.7 * (high - low), 25));
  }

  private showTrail(frames: Frame[], cursor: number) {
    const stride = Math.max(1, Math.ceil(cursor / TRAIL));
    const points: THREE.Vector3[] = [];
    for (let i = cursor % stride; i <= cursor; i += stride) {
      const at = 7 * this.driven;
      const { bodies } = frames[i];
      points.push(new THREE.Vector3(bodies[at] * MM, bodies[at + 1] * MM, bodies[at + 2] * MM));
    }
    this.contacts.setTrail(points);
  }

  /** Points the camera at everything, or at the parts alone. */
  frameCamera(frame: Frame, isClose: boolean) {
    const ground = this.begin(frame);
    const parts = this.parts.box.clone();
    const all = this.arm ? parts.clone().union(this.arm.box) : parts;
    const isWide = this.arm !== null && !isClose;
    this.stage.frame(all, isWide ? all : parts, ground, isWide);
  }
}
