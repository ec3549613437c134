// The parts: true surfaces, materials, cutaway with caps, exaggerated gaps and the heat map.

import * as THREE from "three";
import type { Frame, PartDescription, PartMesh, SceneDescription } from "./protocol";
import { MM } from "./stage";

interface Finish {
  color: number;
  metalness: number;
  roughness: number;
  cap: number;
}

const FINISHES: Record<string, Finish> = {
  bolt: { color: 0xb9c2cc, metalness: 1, roughness: 0.3, cap: 0x8b97a5 },
  hole: { color: 0x9aa7b8, metalness: 1, roughness: 0.42, cap: 0x7d8b9d },
  nut: { color: 0xd9a441, metalness: 1, roughness: 0.28, cap: 0xc98a1d },
  peg: { color: 0xd9a441, metalness: 1, roughness: 0.26, cap: 0xc98a1d },
  ball: { color: 0xe2e6ea, metalness: 1, roughness: 0.12, cap: 0xb9c2cc },
  fixed: { color: 0x9aa7b8, metalness: 0.9, roughness: 0.42, cap: 0x7d8b9d },
  free: { color: 0xd08a4e, metalness: 0.85, roughness: 0.36, cap: 0xb8733a },
};

function finishOf(part: PartDescription): Finish {
  if (part.motion === "fixed" && (part.kind === "peg" || part.kind === "nut")) return FINISHES.fixed;
  if (part.motion !== "fixed" && (part.kind === "hole" || part.kind === "bolt")) return FINISHES.free;
  return FINISHES[part.kind] ?? FINISHES[part.motion === "fixed" ? "fixed" : "free"];
}

interface Solid {
  index: number;
  part: PartDescription;
  group: THREE.Group;
  surface: THREE.Mesh<THREE.BufferGeometry, THREE.Material>;
  material: THREE.MeshStandardMaterial;
  heated: THREE.MeshStandardMaterial;
  stencils: THREE.Mesh[];
  cap: THREE.Mesh<THREE.PlaneGeometry, THREE.MeshStandardMaterial>;
  shrink: { value: number };
}

export interface Cut {
  /** 0 shows everything, 1 cuts through the axis, 2 removes it all. */
  depth: number;
  /** Direction of the cut about z [rad]. */
  angle: number;
  /** Whether the inner part is cut too. */
  inner: boolean;
}

export class Parts {
  readonly root = new THREE.Group();
  readonly box = new THREE.Box3();
  private solids: Solid[] = [];
  private plane = new THREE.Plane(new THREE.Vector3(0, 1, 0), 1e9);
  private cut: Cut = { depth: 0, angle: 0, inner: true };
  private exaggeration = 1;
  private heatBody = -1;
  private hasStand = false;

  constructor(private scene: SceneDescription) {
    for (const part of scene.parts) {
      if (part.kind === "half-space") this.root.add(table(part));
      if (!part.box) continue;
      const box = new THREE.Box3(vector(part.box[0], MM), vector(part.box[1], MM));
      this.box.union(box.applyMatrix4(matrix(part.pose, 0)));
    }
    if (this.box.isEmpty()) this.box.set(new THREE.Vector3(-50, -50, 0), new THREE.Vector3(50, 50, 50));
  }

  add(mesh: PartMesh) {
    const part = this.scene.parts[mesh.body];
    if (!part || this.solids.some((solid) => solid.index === mesh.body)) return;
    const finish = finishOf(part);
    const geometry = new THREE.BufferGeometry();
    const scaled = mesh.positions.map((value) => value * MM);
    geometry.setAttribute("position", new THREE.BufferAttribute(scaled, 3));
    geometry.setAttribute("normal", new THREE.BufferAttribute(mesh.normals, 3));
    geometry.setAttribute("outward", new THREE.BufferAttribute(mesh.offsets, 3));
    geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(scaled.length).fill(0.3), 3));
    geometry.setIndex(new THREE.BufferAttribute(mesh.indices, 1));
    geometry.computeBoundingSphere();
    const shrink = { value: 0 };
    const material = new THREE.MeshStandardMaterial({
      color: finish.color,
      metalness: finish.metalness,
      roughness: finish.roughness,
      side: THREE.FrontSide,
      clipShadows: true,
    });
    const heated = new THREE.MeshStandardMaterial({ vertexColors: true, metalness: 0.1, roughness: 0.55, clipShadows: true });
    [material, heated].forEach((one) => offsetShader(one, shrink));
    const surface = new THREE.Mesh<THREE.BufferGeometry, THREE.Material>(geometry, material);
    surface.castShadow = surface.receiveShadow = true;
    surface.frustumCulled = false;
    const order = 1 + 3 * this.solids.length;
    surface.renderOrder = order + 2.5;
    const group = new THREE.Group();
    group.add(surface);
    const stencils = [THREE.BackSide, THREE.FrontSide].map((side) => {
      const operation = side === THREE.BackSide ? THREE.IncrementWrapStencilOp : THREE.DecrementWrapStencilOp;
      const stencil = new THREE.MeshBasicMaterial({
        side,
        colorWrite: false,
        depthWrite: false,
        depthTest: false,
        stencilWrite: true,
        stencilFunc: THREE.AlwaysStencilFunc,
        stencilFail: operation,
        stencilZFail: operation,
        stencilZPass: operation,
      });
      offsetShader(stencil, shrink);
      const one = new THREE.Mesh(geometry, stencil);
      one.renderOrder = order;
      one.frustumCulled = false;
      one.visible = false;
      group.add(one);
      return one;
    });
    const cap = new THREE.Mesh(
      new THREE.PlaneGeometry(1, 1),
      new THREE.MeshStandardMaterial({
        color: finish.cap,
        metalness: 0.25,
        roughness: 0.75,
        side: THREE.DoubleSide,
        stencilWrite: true,
        stencilRef: 0,
        stencilFunc: THREE.NotEqualStencilFunc,
        stencilFail: THREE.ReplaceStencilOp,
        stencilZFail: THREE.ReplaceStencilOp,
        stencilZPass: THREE.ReplaceStencilOp,
      }),
    );
    hatch(cap.material);
    cap.renderOrder = order + 1;
    cap.visible = false;
    cap.onAfterRender = (renderer) => renderer.clearStencil();
    this.root.add(group, cap);
    this.solids.push({ index: mesh.body, part, group, surface, material, heated, stencils, cap, shrink });
    this.applyCut();
    this.setExaggeration(this.exaggeration);
  }

  /** A column from the floor [mm] to the fixed part, once. */
  standOn(floor: number) {
    const fixed = this.scene.parts.find((part) => part.motion === "fixed" && part.box);
    if (!fixed?.box || this.hasStand) return;
    const bottom = (fixed.pose[2] + fixed.box[0][2]) * MM;
    if (bottom - floor < 5) return;
    this.hasStand = true;
    const radius = Math.max(fixed.box[1][0], fixed.box[1][1]) * MM;
    const material = new THREE.MeshStandardMaterial({ color: 0x2f3742, metalness: 0.5, roughness: 0.5 });
    const column = new THREE.Mesh(new THREE.CylinderGeometry(radius * 1.25, radius * 1.6, bottom - floor - 10, 64), material);
    const plate = new THREE.Mesh(new THREE.CylinderGeometry(radius * 2, radius * 2, 10, 64), material);
    column.position.z = (bottom - 10 + floor) / 2;
    plate.position.z = bottom - 5;
    for (const one of [column, plate]) {
      [one.position.x, one.position.y] = [fixed.pose[0] * MM, fixed.pose[1] * MM];
      one.rotation.x = Math.PI / 2;
      one.castShadow = one.receiveShadow = true;
      this.root.add(one);
    }
  }

  /** Moves the parts to the poses of a frame. */
  show(frame: Frame) {
    for (const solid of this.solids) {
      const pose = matrix(frame.bodies, solid.index);
      solid.group.matrixAutoUpdate = false;
      solid.group.matrix.copy(this.exaggeration > 1 ? this.exaggerated(frame, solid, pose) : pose);
      solid.group.matrixWorldNeedsUpdate = true;
    }
    if (this.cut.depth > 0) this.placeCaps();
  }

  setCut(cut: Cut) {
    this.cut = cut;
    this.applyCut();
  }

  /** Gaps appear this many times as large: the driven part shrinks, and its deviation from the axis grows. */
  setExaggeration(factor: number) {
    this.exaggeration = factor;
    const gap = this.scene.clearance ?? 0;
    for (const solid of this.solids) {
      solid.shrink.value = solid.part.driven ? -(factor - 1) * gap * MM : 0;
    }
  }

  /** Colours of a part by its gap [0.1 µm]. */
  showHeat(body: number, gaps: Int16Array) {
    const solid = this.solids.find((one) => one.index === body);
    if (!solid) return;
    const colors = solid.surface.geometry.getAttribute("color") as THREE.BufferAttribute;
    const array = colors.array as Float32Array;
    const count = Math.min(gaps.length, colors.count);
    for (let index = 0; index < count; index++) heatColor(gaps[index] / 10, array, 3 * index);
    colors.needsUpdate = true;
  }

  heat(body: number) {
    this.heatBody = body;
    const isOn = body >= 0;
    for (const solid of this.solids) {
      const isHeated = solid.index === this.heatBody;
      solid.surface.material = isHeated ? solid.heated : solid.material;
      // the others would hide the mating surfaces
      const isFaint = isOn && !isHeated;
      solid.material.transparent = isFaint;
      solid.material.opacity = isFaint ? 0.14 : 1;
      solid.material.depthWrite = !isFaint;
      solid.surface.castShadow = !isFaint;
      solid.material.needsUpdate = true;
    }
    this.applyCut();
  }

  /** Fixed parts of the task do not move; the driven part deviates from it by the pose between both. */
  private exaggerated(frame: Frame, solid: Solid, pose: THREE.Matrix4): THREE.Matrix4 {
    const task = this.scene.task;
    if (!task || !solid.part.driven) return pose;
    const fixed = matrix(frame.bodies, task.fixed);
    const relative = fixed.clone().invert().multiply(pose);
    const position = new THREE.Vector3();
    const rotation = new THREE.Quaternion();
    relative.decompose(position, rotation, new THREE.Vector3());
    const k = this.exaggeration;
    const yaw = 2 * Math.atan2(rotation.z, rotation.w);
    const turn = new THREE.Quaternion().setFromAxisAngle(new THREE.Vector3(0, 0, 1), yaw);
    const tilt = rotation.clone().multiply(turn.clone().invert());
    const angle = 2 * Math.acos(Math.min(1, Math.abs(tilt.w)));
    const axis = new THREE.Vector3(tilt.x, tilt.y, tilt.z).multiplyScalar(Math.sign(tilt.w) || 1);
    if (axis.lengthSq() > 0) axis.normalize();
    const larger = new THREE.Quaternion().setFromAxisAngle(axis, Math.min(angle * k, 0.6));
    position.x *= k;
    position.y *= k;
    const pitch = (this.scene.parts[task.fixed].pitch ?? 0) * MM;
    if (task.kind === "thread" && pitch) {
      const nominal = (pitch * yaw) / (2 * Math.PI);
      const off = position.z - nominal - pitch * Math.round((position.z - nominal) / pitch);
      // a nut that is not on its thread yet has no phase
      if (Math.abs(off) < 0.12 * Math.abs(pitch)) position.z += (k - 1) * off;
    }
    return fixed.multiply(new THREE.Matrix4().compose(position, larger.multiply(turn), new THREE.Vector3(1, 1, 1)));
  }

  private applyCut() {
    const { depth, angle, inner } = this.cut;
    const isCut = depth > 0;
    const normal = new THREE.Vector3(-Math.sin(angle), Math.cos(angle), 0);
    const center = this.taskCenter();
    const radius = this.taskRadius();
    // material in front of the plane is removed
    this.plane.setFromNormalAndCoplanarPoint(normal, center.clone().addScaledVector(normal, radius * (depth - 1)));
    for (const solid of this.solids) {
      const isOuter = solid.part.kind === "hole" || solid.part.kind === "nut" || (solid.part.motion === "fixed" && solid.part.kind !== "bolt");
      const applies = isCut && (inner || isOuter);
      const planes = applies ? [this.plane] : [];
      for (const material of [solid.material, solid.heated, ...solid.stencils.map((one) => one.material as THREE.Material)]) {
        material.clippingPlanes = planes;
        material.side = material === solid.material && applies ? THREE.FrontSide : material.side;
        material.needsUpdate = true;
      }
      const isCapped = applies && !solid.material.transparent;
      solid.stencils.forEach((one) => (one.visible = isCapped));
      solid.cap.visible = isCapped;
    }
    this.placeCaps();
  }

  private placeCaps() {
    const center = this.plane.projectPoint(this.taskCenter(), new THREE.Vector3());
    const facing = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.plane.normal.clone().negate());
    for (const solid of this.solids) {
      solid.cap.position.copy(center);
      solid.cap.quaternion.copy(facing);
      solid.cap.scale.setScalar(this.taskRadius() * 12);
    }
  }

  private taskBody(): Solid | undefined {
    const task = this.scene.task;
    return this.solids.find((solid) => (task ? solid.index === task.fixed : solid.part.driven)) ?? this.solids[0];
  }

  private taskCenter(): THREE.Vector3 {
    const solid = this.taskBody();
    if (!solid) return new THREE.Vector3();
    return new THREE.Vector3().setFromMatrixPosition(matrix(solid.part.pose, 0));
  }

  private taskRadius(): number {
    const radii = this.scene.parts.filter((part) => part.box).map((part) => Math.hypot(part.box![1][0], part.box![1][1]) * 0.72 * MM);
    return Math.max(10, ...radii);
  }

  dispose() {
    for (const solid of this.solids) {
      solid.surface.geometry.dispose();
      [solid.material, solid.heated, solid.cap.material].forEach((one) => one.dispose());
      solid.stencils.forEach((one) => (one.material as THREE.Material).dispose());
      solid.cap.geometry.dispose();
    }
  }
}

/** Matrix of pose `index` in a list of poses, in millimetres. */
export function matrix(poses: ArrayLike<number>, index: number): THREE.Matrix4 {
  const at = 7 * index;
  const position = new THREE.Vector3(poses[at] * MM, poses[at + 1] * MM, poses[at + 2] * MM);
  const rotation = new THREE.Quaternion(poses[at + 3], poses[at + 4], poses[at + 5], poses[at + 6]);
  return new THREE.Matrix4().compose(position, rotation, new THREE.Vector3(1, 1, 1));
}

export function vector(numbers: ArrayLike<number>, scale = 1): THREE.Vector3 {
  return new THREE.Vector3(numbers[0] * scale, numbers[1] * scale, numbers[2] * scale);
}

/** Moves every vertex along its offset direction. */
function offsetShader(material: THREE.Material, shrink: { value: number }) {
  material.onBeforeCompile = (shader) => {
    shader.uniforms.shrink = shrink;
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nattribute vec3 outward;\nuniform float shrink;")
      .replace("#include <begin_vertex>", "#include <begin_vertex>\ntransformed += outward * shrink;");
  };
}

/** Section lines on a cap, as on a drawing. */
function hatch(material: THREE.MeshStandardMaterial) {
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 place;")
      .replace("#include <project_vertex>", "#include <project_vertex>\nplace = (modelMatrix * vec4(transformed, 1.0)).xyz;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>", "#include <common>\nvarying vec3 place;")
      .replace(
        "#include <color_fragment>",
        `#include <color_fragment>
        float along = (place.x + place.y + place.z) / 2.2;
        float width = max(fwidth(along), 1e-4);
        float stripe = abs(fract(along) - 0.5);
        diffuseColor.rgb *= mix(0.80, 1.0, smoothstep(0.06, 0.06 + width, stripe) * 0.9 + 0.1 * step(1.0, width));`,
      );
  };
}

/** Blue far, green near, yellow within 5 µm, red inside; [µm] to linear colour. */
export function heatColor(gap: number, into: Float32Array | number[], at: number) {
  const stops: [number, number[]][] = [
    [-5, [0.75, 0.02, 0.25]],
    [0, [0.95, 0.12, 0.04]],
    [3, [0.95, 0.55, 0.02]],
    [15, [0.75, 0.8, 0.08]],
    [40, [0.08, 0.55, 0.25]],
    [150, [0.03, 0.25, 0.5]],
    [1000, [0.05, 0.08, 0.16]],
    [3200, [0.1, 0.11, 0.13]],
  ];
  let above = stops.findIndex(([limit]) => gap < limit);
  if (above < 0) above = stops.length;
  const high = stops[Math.min(above, stops.length - 1)];
  const low = stops[Math.max(above - 1, 0)];
  const t = high[0] > low[0] ? Math.min(1, Math.max(0, (gap - low[0]) / (high[0] - low[0]))) : 0;
  for (let i = 0; i < 3; i++) into[at + i] = low[1][i] + (high[1][i] - low[1][i]) * t;
}

/** Everything below z = 0 of a half-space, as a table top. */
function table(part: PartDescription): THREE.Object3D {
  const material = new THREE.MeshStandardMaterial({ color: 0x39424e, metalness: 0.2, roughness: 0.8 });
  const top = new THREE.Mesh(new THREE.BoxGeometry(600, 600, 12), material);
  top.position.z = -6;
  top.receiveShadow = true;
  const group = new THREE.Group();
  group.add(top);
  group.applyMatrix4(matrix(part.pose, 0));
  return group;
}
