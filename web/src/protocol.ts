// Messages of the server, the worker and recordings; docs/protocol.md describes them.

export interface Channel {
  name: string;
  unit: string;
}

export interface PartDescription {
  name: string;
  kind: string;
  motion: "fixed" | "kinematic" | "free";
  driven: boolean;
  pose: number[];
  box: [number[], number[]] | null;
  symmetry: "none" | "revolved" | "screw";
  pitch: number | null;
  mass: number | null;
}

export interface ArmDescription {
  name: string;
  holds: number;
  base: number[];
  last_from_tip: number[];
  joints: { name: string; kind: string; axis: number[]; previous_from_joint: number[] }[];
  strategy: boolean;
}

export interface Lamp {
  label: string;
  channel: string;
  worst: string;
  limit: number;
}

export interface SceneDescription {
  type: "scene";
  mode?: "recording";
  label?: string;
  generation: number;
  name: string;
  description: string;
  dt: number;
  duration: number;
  friction: number | null;
  preset: string;
  presets: string[];
  clearance: number | null;
  clearance_adjustable: boolean;
  parts: PartDescription[];
  task: { kind: "insert" | "thread"; fixed: number; depth?: number; turns?: number; engaged: number } | null;
  arm: ArmDescription | null;
  channels: Channel[];
  phases: string[];
  limits: string[];
  lamps: Lamp[];
  scenes: { name: string; description: string }[];
  changes: string[];
  toml: string;
}

export interface PartMesh {
  body: number;
  positions: Float32Array; // [m]
  normals: Float32Array;
  offsets: Float32Array;
  indices: Uint32Array;
}

/** A state frame. Poses are x y z qx qy qz qw, contacts are position, normal, force and gap: ten numbers each. */
export interface Frame {
  phase: number;
  isPaused: boolean;
  hasHand: boolean;
  isOver: boolean;
  hasSetPoint: boolean;
  limits: number;
  time: number;
  step: number;
  hash: string;
  generation: number;
  channels: Float32Array;
  bodies: Float32Array;
  setPoint: Float32Array;
  links: Float32Array;
  contacts: Float32Array;
}

export const CONTACT_NUMBERS = 10;
const HEADER = 40;

export type Message =
  | { kind: "state"; frame: Frame }
  | { kind: "mesh"; mesh: PartMesh }
  | { kind: "heat"; body: number; gaps: Int16Array };

/** Reads a binary message; null for a kind or version that this page does not know. */
export function decode(buffer: ArrayBuffer): Message | null {
  const view = new DataView(buffer);
  if (view.byteLength < 8 || view.getUint8(1) !== 1) return null;
  switch (view.getUint8(0)) {
    case 1:
      return { kind: "state", frame: decodeFrame(buffer, view) };
    case 2: {
      const [vertices, triangles] = [view.getUint32(4, true), view.getUint32(8, true)];
      const column = (index: number) => new Float32Array(buffer, 12 + 12 * vertices * index, 3 * vertices);
      const indices = new Uint32Array(buffer, 12 + 36 * vertices, 3 * triangles);
      const [positions, normals, offsets] = [column(0), column(1), column(2)];
      return { kind: "mesh", mesh: { body: view.getUint16(2, true), positions, normals, offsets, indices } };
    }
    case 3: {
      const gaps = new Int16Array(buffer, 8, view.getUint32(4, true));
      return { kind: "heat", body: view.getUint16(2, true), gaps };
    }
    default:
      return null;
  }
}

function decodeFrame(buffer: ArrayBuffer, view: DataView): Frame {
  const flags = view.getUint16(4, true);
  const hex = (at: number) => view.getUint32(at, true).toString(16).padStart(8, "0");
  const [bodies, links, contacts, channels] = [28, 30, 32, 34].map((at) => view.getUint16(at, true));
  let at = HEADER;
  const take = (count: number) => {
    const numbers = new Float32Array(buffer, at, count);
    at += 4 * count;
    return numbers;
  };
  return {
    phase: view.getUint16(2, true),
    isPaused: (flags & 1) !== 0,
    hasHand: (flags & 2) !== 0,
    isOver: (flags & 4) !== 0,
    hasSetPoint: (flags & 8) !== 0,
    limits: view.getUint16(6, true),
    time: view.getFloat64(8, true),
    step: view.getUint32(16, true),
    hash: hex(24) + hex(20),
    generation: view.getUint32(36, true),
    channels: take(channels),
    bodies: take(7 * bodies),
    setPoint: take(7),
    links: take(7 * links),
    contacts: take(CONTACT_NUMBERS * contacts),
  };
}

export type Command =
  | { do: "play" | "pause" | "reset" | "release" | "automatic" }
  | { do: "step"; count: number }
  | { do: "speed"; factor: number }
  | { do: "scene"; name: string }
  | { do: "toml"; text: string }
  | { do: "set"; changes: string[] }
  | { do: "clearance"; gap: number }
  | { do: "move"; part: string; linear: number[]; angular: number[] }
  | { do: "drag"; part: string; position: number[]; rotation: number[] }
  | { do: "heat"; part: string | null };
