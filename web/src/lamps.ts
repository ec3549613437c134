// The certificate as a row of lamps, each with its worst value since the start.

import { element } from "./dom";
import { quantity } from "./format";
import type { SceneDescription } from "./protocol";

export class Lamps {
  readonly element = element("div", { class: "tf-lamps" });

  build(scene: SceneDescription) {
    const lamp = (label: string) => element("span", { class: "tf-lamp good" }, element("i"), element("b", {}, label), element("em"));
    this.element.replaceChildren(...scene.lamps.map(({ label }) => lamp(label)));
  }

  show(scene: SceneDescription, value: (name: string) => number) {
    scene.lamps.forEach((lamp, index) => {
      const pill = this.element.children[index] as HTMLElement | undefined;
      if (!pill) return;
      const [worst, now] = [value(lamp.worst), value(lamp.channel)];
      const unit = scene.channels.find((channel) => channel.name === lamp.worst)?.unit ?? "-";
      pill.className = `tf-lamp ${worst > lamp.limit ? "bad" : "good"}`;
      (pill.lastElementChild as HTMLElement).textContent = quantity(worst, unit);
      pill.title = `${lamp.label}: now ${quantity(now, unit)}, worst since the start ${quantity(worst, unit)}, limit ${quantity(lamp.limit, unit)}`;
    });
  }
}
