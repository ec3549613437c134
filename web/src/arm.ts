// An arm drawn from its joints: housings along the axes, tubes between them.

import * as THREE from "three";
import type { ArmDescription } from "./protocol";
import { MM } from "./stage";
import { matrix, vector } from "./parts";

const SHELL = new THREE.MeshStandardMaterial({ color: 0xe3e7ec, metalness: 0.1, roughness: 0.35 });
const JOINT = new THREE.MeshStandardMaterial({ color: 0x2b3036, metalness: 0.55, roughness: 0.42 });
const ACCENT = new THREE.MeshStandardMaterial({ color: 0x3d8bff, metalness: 0.3, roughness: 0.4, emissive: 0x0a2a66, emissiveIntensity: 0.5 });

export class Arm {
  readonly root = new THREE.Group();
  readonly box = new THREE.Box3();
  private links: THREE.Group[] = [];

  constructor(arm: ArmDescription) {
    const base = new THREE.Group();
    base.applyMatrix4(matrix(arm.base, 0));
    const first = vector(arm.joints[0].previous_from_joint, MM);
    base.add(plinth(72, 40), tube(new THREE.Vector3(0, 0, 20), first.clone().multiplyScalar(0.8), 62, 58));
    this.root.add(base);
    const lengths = arm.joints.map((joint) => vector(joint.previous_from_joint).length() * MM);
    const scale = Math.max(...lengths, 60) / 384;
    arm.joints.forEach((joint, index) => {
      const link = new THREE.Group();
      link.matrixAutoUpdate = false;
      const share = index / arm.joints.length;
      const radius = (60 - 18 * share) * scale;
      const last = index === arm.joints.length - 1;
      if (!last) link.add(housing(vector(joint.axis), radius, radius * 2));
      const next = last ? vector(arm.last_from_tip, MM) : vector(arm.joints[index + 1].previous_from_joint, MM);
      if (next.length() > 10) {
        link.add(last ? hand(next, radius) : tube(new THREE.Vector3(), next, radius * 0.86, radius * 0.8));
      }
      this.links.push(link);
      this.root.add(link);
    });
    this.root.traverse((one) => {
      if (one instanceof THREE.Mesh) one.castShadow = one.receiveShadow = true;
    });
  }

  show(links: Float32Array) {
    this.links.forEach((link, index) => {
      if (links.length < 7 * (index + 1)) return;
      link.matrix.copy(matrix(links, index));
      link.matrixWorldNeedsUpdate = true;
    });
    this.root.updateMatrixWorld(true);
    this.box.setFromObject(this.root);
  }
}

function along(object: THREE.Object3D, direction: THREE.Vector3) {
  object.quaternion.setFromUnitVectors(new THREE.Vector3(0, 1, 0), direction.clone().normalize());
  return object;
}

/** A tube with round ends from one point to another. */
function tube(from: THREE.Vector3, to: THREE.Vector3, wide: number, narrow: number): THREE.Object3D {
  const span = to.clone().sub(from);
  const group = new THREE.Group();
  const body = new THREE.Mesh(new THREE.CylinderGeometry(narrow, wide, span.length(), 48), SHELL);
  along(body, span);
  body.position.copy(from).addScaledVector(span, 0.5);
  const ends = [
    [from, wide],
    [to, narrow],
  ].map(([at, radius]) => {
    const ball = new THREE.Mesh(new THREE.SphereGeometry(radius as number, 40, 24), SHELL);
    ball.position.copy(at as THREE.Vector3);
    return ball;
  });
  group.add(body, ...ends);
  return group;
}

/** A joint: a barrel along its axis with dark caps. */
function housing(axis: THREE.Vector3, radius: number, length: number): THREE.Object3D {
  const group = new THREE.Group();
  const barrel = new THREE.Mesh(new THREE.CylinderGeometry(radius, radius, length, 56), SHELL);
  group.add(barrel);
  for (const side of [-1, 1]) {
    const cap = new THREE.Mesh(new THREE.CylinderGeometry(radius * 0.94, radius * 0.94, radius * 0.16, 56), JOINT);
    cap.position.y = (side * length) / 2;
    group.add(cap);
  }
  const ring = new THREE.Mesh(new THREE.TorusGeometry(radius * 1.005, radius * 0.022, 12, 64), ACCENT);
  ring.rotation.x = Math.PI / 2;
  ring.position.y = length * 0.36;
  group.add(ring);
  return along(group, axis);
}

function plinth(radius: number, height: number): THREE.Object3D {
  const foot = new THREE.Mesh(new THREE.CylinderGeometry(radius * 1.35, radius * 1.5, height, 64), JOINT);
  foot.rotation.x = Math.PI / 2;
  foot.position.z = height / 2;
  return foot;
}

/** A gripper with two fingers that ends at the tip. */
function hand(tip: THREE.Vector3, radius: number): THREE.Object3D {
  const group = new THREE.Group();
  const length = tip.length();
  const palm = new THREE.Mesh(new THREE.CylinderGeometry(radius * 0.7, radius * 0.95, length, 48), JOINT);
  palm.position.y = length / 2;
  const ring = new THREE.Mesh(new THREE.TorusGeometry(radius * 0.86, radius * 0.03, 12, 64), ACCENT);
  ring.rotation.x = Math.PI / 2;
  ring.position.y = length * 0.3;
  group.add(palm, ring);
  return along(group, tip);
}

/** Fingers from the tip of the arm to the part that it holds, in world axes. */
export class Fingers {
  readonly root = new THREE.Group();

  show(tip: THREE.Matrix4, part: THREE.Matrix4, radius: number, height: number) {
    const from = new THREE.Vector3().setFromMatrixPosition(tip);
    const at = new THREE.Vector3().setFromMatrixPosition(part).addScaledVector(new THREE.Vector3(0, 0, 1), height);
    const key = [radius, from.distanceTo(at).toFixed(0)].join();
    if (this.root.userData.key !== key) {
      this.root.clear();
      this.root.userData.key = key;
      const span = from.distanceTo(at);
      const plate = new THREE.Mesh(new THREE.CylinderGeometry(radius * 0.9, radius * 0.9, 14, 48), JOINT);
      plate.position.y = 2;
      this.root.add(plate);
      for (let finger = 0; finger < 3; finger++) {
        const angle = (finger * 2 * Math.PI) / 3;
        const bar = new THREE.Mesh(new THREE.BoxGeometry(12, span + 12, 20), JOINT);
        bar.position.set(Math.cos(angle) * (radius + 6), span / 2 + 4, Math.sin(angle) * (radius + 6));
        bar.rotation.y = -angle;
        const arm = new THREE.Mesh(new THREE.BoxGeometry(radius, 14, 20), JOINT);
        arm.position.set((Math.cos(angle) * radius) / 2 + Math.cos(angle) * 8, 2, (Math.sin(angle) * radius) / 2 + Math.sin(angle) * 8);
        arm.rotation.y = -angle;
        this.root.add(bar, arm);
      }
      this.root.traverse((one) => {
        if (one instanceof THREE.Mesh) one.castShadow = true;
      });
    }
    const turn = new THREE.Quaternion().setFromRotationMatrix(tip);
    this.root.position.copy(from);
    const upright = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), new THREE.Vector3(0, 0, 1));
    this.root.quaternion.copy(turn).multiply(upright);
  }
}
