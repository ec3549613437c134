// Contact points with normals and forces, the net wrench, the hand's force and the trail.

import * as THREE from "three";
import { CONTACT_NUMBERS, type Frame } from "./protocol";
import { MM } from "./stage";

const MOST = 512;
const Y = new THREE.Vector3(0, 1, 0);

export interface Visible {
  forces: boolean;
  normals: boolean;
  wrench: boolean;
  trail: boolean;
}

/** Arrows of one kind, drawn as instances: solid where visible, faint where parts hide them. */
class Arrows {
  readonly root = new THREE.Group();
  private shafts: THREE.InstancedMesh[];
  private heads: THREE.InstancedMesh[];
  private count = 0;

  constructor(private width: number, most: number) {
    const make = (geometry: THREE.BufferGeometry) =>
      [false, true].map((isGhost) => {
        const material = new THREE.MeshBasicMaterial({
          transparent: isGhost,
          opacity: isGhost ? 0.28 : 1,
          depthTest: !isGhost,
          depthWrite: !isGhost,
          toneMapped: false,
        });
        const mesh = new THREE.InstancedMesh(geometry, material, most);
        mesh.instanceColor = new THREE.InstancedBufferAttribute(new Float32Array(3 * most), 3);
        mesh.frustumCulled = false;
        mesh.renderOrder = isGhost ? 900 : 800;
        mesh.count = 0;
        this.root.add(mesh);
        return mesh;
      });
    this.shafts = make(new THREE.CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0));
    this.heads = make(new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0));
  }

  begin() {
    this.count = 0;
  }

  put(from: THREE.Vector3, along: THREE.Vector3, length: number, color: THREE.Color, width = this.width) {
    if (!(length > 0)) return;
    const index = this.count++;
    const turn = new THREE.Quaternion().setFromUnitVectors(Y, along);
    const head = Math.min(length * 0.45, width * 5);
    const shaft = new THREE.Matrix4().compose(from, turn, new THREE.Vector3(width, length - head, width));
    const tip = from.clone().addScaledVector(along, length - head);
    const cone = new THREE.Matrix4().compose(tip, turn, new THREE.Vector3(width * 2.4, head, width * 2.4));
    this.shafts.forEach((mesh) => mesh.setMatrixAt(index, shaft));
    this.heads.forEach((mesh) => mesh.setMatrixAt(index, cone));
    [...this.shafts, ...this.heads].forEach((mesh) => mesh.setColorAt(index, color));
  }

  end() {
    for (const mesh of [...this.shafts, ...this.heads]) {
      mesh.count = this.count;
      mesh.instanceMatrix.needsUpdate = true;
      if (mesh.instanceColor) mesh.instanceColor.needsUpdate = true;
    }
  }
}

export class Contacts {
  readonly root = new THREE.Group();
  /** Number of contacts that carry force in the frame that is shown. */
  shown = 0;
  private forces: Arrows;
  private normals: Arrows;
  private net: Arrows;
  private dots: THREE.InstancedMesh;
  private torque = new THREE.Mesh(
    new THREE.BufferGeometry(),
    new THREE.MeshBasicMaterial({ color: 0xc792ff, transparent: true, opacity: 0.85, depthTest: false, toneMapped: false }),
  );
  private trail = new THREE.Line(
    new THREE.BufferGeometry(),
    new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.9, depthTest: false, toneMapped: false }),
  );
  private largest = 1;

  /** `size` is the size of the parts [mm]. */
  constructor(private size: number) {
    this.forces = new Arrows(size * 0.0045, MOST);
    this.normals = new Arrows(size * 0.0018, MOST);
    this.net = new Arrows(size * 0.01, 4);
    const dot = new THREE.MeshBasicMaterial({ toneMapped: false, depthTest: false, transparent: true, opacity: 0.9 });
    this.dots = new THREE.InstancedMesh(new THREE.SphereGeometry(1, 12, 8), dot, MOST);
    this.dots.frustumCulled = false;
    this.dots.renderOrder = 950;
    this.dots.count = 0;
    this.torque.renderOrder = 960;
    this.trail.renderOrder = 940;
    this.trail.frustumCulled = false;
    this.root.add(this.forces.root, this.normals.root, this.net.root, this.dots, this.torque, this.trail);
  }

  show(frame: Frame, driven: THREE.Vector3, value: (name: string) => number, visible: Visible) {
    const { contacts } = frame;
    const count = Math.min(contacts.length / CONTACT_NUMBERS, MOST);
    const color = new THREE.Color();
    let most = 0;
    for (let i = 0; i < count; i++) {
      const at = CONTACT_NUMBERS * i;
      most = Math.max(most, Math.hypot(contacts[at + 6], contacts[at + 7], contacts[at + 8]));
    }
    // the scale follows the largest force and forgets it slowly
    this.largest = Math.max(most, this.largest * 0.995, 0.2);
    [this.forces, this.normals, this.net].forEach((arrows) => arrows.begin());
    this.shown = 0;
    let dots = 0;
    for (let i = 0; i < count; i++) {
      const at = CONTACT_NUMBERS * i;
      const place = new THREE.Vector3(contacts[at] * MM, contacts[at + 1] * MM, contacts[at + 2] * MM);
      const normal = new THREE.Vector3(contacts[at + 3], contacts[at + 4], contacts[at + 5]);
      const force = new THREE.Vector3(contacts[at + 6], contacts[at + 7], contacts[at + 8]);
      const newtons = force.length();
      const share = Math.sqrt(newtons / this.largest);
      forceColor(share, color);
      if (newtons > 0) this.shown++;
      if (visible.forces && (newtons > 0 || visible.normals)) {
        const dot = this.size * (newtons > 0 ? 0.008 : 0.003);
        this.dots.setMatrixAt(dots, new THREE.Matrix4().makeScale(dot, dot, dot).setPosition(place));
        this.dots.setColorAt(dots, newtons > 0 ? color : color.setHex(0x5c7f99));
        dots++;
        if (newtons > 1e-4 * this.largest) {
          forceColor(share, color);
          this.forces.put(place, force.clone().normalize(), this.size * (0.05 + 0.3 * share), color);
        }
      }
      if (visible.normals && newtons > 0) this.normals.put(place, normal, this.size * 0.14, color.setHex(0x56d4ff));
    }
    this.dots.count = dots;
    this.dots.instanceMatrix.needsUpdate = true;
    if (this.dots.instanceColor) this.dots.instanceColor.needsUpdate = true;
    this.showNet(driven, value, visible.wrench, color);
    [this.forces, this.normals, this.net].forEach((arrows) => arrows.end());
    this.trail.visible = visible.trail;
  }

  private showNet(driven: THREE.Vector3, value: (name: string) => number, isVisible: boolean, color: THREE.Color) {
    const three = (name: string) => new THREE.Vector3(value(`${name}_x`), value(`${name}_y`), value(`${name}_z`));
    const [force, torque, hand] = [three("force"), three("torque"), three("hand_force")];
    this.torque.visible = isVisible && torque.length() > 1e-4;
    if (!isVisible) return;
    const put = (vector: THREE.Vector3, hex: number) => {
      const newtons = vector.length();
      if (newtons < 1e-3) return;
      const length = this.size * Math.min(0.15 + 0.28 * Math.log10(1 + newtons), 1.1);
      this.net.put(driven, vector.clone().normalize(), length, color.setHex(hex));
    };
    put(force, 0xff4d6d);
    put(hand, 0x4ade80);
    if (this.torque.visible) {
      const turn = Math.min(0.15 + 0.35 * Math.log10(1 + 20 * torque.length()), 0.9) * 2 * Math.PI;
      this.torque.geometry.dispose();
      this.torque.geometry = new THREE.TorusGeometry(this.size * 0.42, this.size * 0.008, 8, 72, turn);
      this.torque.position.copy(driven);
      this.torque.quaternion.setFromUnitVectors(new THREE.Vector3(0, 0, 1), torque.normalize());
    }
  }

  /** The path of the driven part's frame [mm]. */
  setTrail(points: THREE.Vector3[]) {
    const positions = new Float32Array(points.length * 3);
    const colors = new Float32Array(points.length * 3);
    const color = new THREE.Color();
    points.forEach((point, index) => {
      point.toArray(positions, 3 * index);
      const age = index / Math.max(points.length - 1, 1);
      color.setHSL(0.52, 0.9, 0.15 + 0.45 * age).toArray(colors, 3 * index);
    });
    this.trail.geometry.dispose();
    this.trail.geometry = new THREE.BufferGeometry();
    this.trail.geometry.setAttribute("position", new THREE.BufferAttribute(positions, 3));
    this.trail.geometry.setAttribute("color", new THREE.BufferAttribute(colors, 3));
  }

  forget() {
    this.largest = 1;
  }
}

/** From cyan for small forces over yellow to red. */
function forceColor(share: number, color: THREE.Color) {
  return color.setHSL(0.5 - 0.5 * Math.min(Math.max(share, 0), 1), 0.95, 0.55);
}
