// A scene and a view of it in the part of an address after `#`.

import type { Command, SceneDescription } from "./protocol";

export interface Link {
  commands: Command[];
  cut: number | null;
  exaggerate: number | null;
  /** Time that is shown [s]. */
  time: number | null;
  /** How many times nearer the camera stands. */
  zoom: number;
  /** Whether panels are left out. */
  isBare: boolean;
}

/** Address of this page that opens the scene with its changes. */
export function linkOf(scene: SceneDescription): string {
  const values = new URLSearchParams();
  if (scene.scenes.some(({ name }) => name === scene.name)) values.set("scene", scene.name);
  else values.set("toml", scene.toml);
  scene.changes.forEach((change) => values.append("set", change));
  return `${location.origin}${location.pathname}${location.search}#${values}`;
}

export function readLink(hash: string): Link {
  const values = new URLSearchParams(hash.replace(/^#/, ""));
  const number = (name: string) => {
    const value = Number(values.get(name) ?? NaN);
    return Number.isFinite(value) ? value : null;
  };
  const [scene, toml, changes] = [values.get("scene"), values.get("toml"), values.getAll("set")];
  const commands: Command[] = [];
  if (scene) commands.push({ do: "scene", name: scene });
  if (toml) commands.push({ do: "toml", text: toml });
  if (changes.length > 0) commands.push({ do: "set", changes });
  return { commands, cut: number("cut"), exaggerate: number("exaggerate"), time: number("time"), zoom: number("zoom") ?? 1, isBare: values.has("bare") };
}
