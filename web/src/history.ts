// The frames of a run so far. A live run keeps the latest ones; a recording keeps all.

import type { Channel, Frame } from "./protocol";

const MOST = 12000;

export class History {
  frames: Frame[] = [];
  private indices = new Map<string, number>();

  constructor(channels: Channel[]) {
    channels.forEach((channel, index) => this.indices.set(channel.name, index));
  }

  channel(name: string): number {
    return this.indices.get(name) ?? -1;
  }

  value(frame: Frame, name: string): number {
    return frame.channels[this.channel(name)] ?? 0;
  }

  /** Adds a frame; a frame from before the last one begins a new run. */
  push(frame: Frame): "added" | "restarted" {
    const last = this.frames[this.frames.length - 1];
    if (last && frame.step < last.step) {
      this.frames = [frame];
      return "restarted";
    }
    if (last && frame.step === last.step) this.frames[this.frames.length - 1] = frame;
    else this.frames.push(frame);
    if (this.frames.length > MOST) this.frames = this.frames.filter((_, index) => index % 2 === 0);
    return "added";
  }

  at(index: number): Frame | undefined {
    return this.frames[Math.min(Math.max(index, 0), this.frames.length - 1)];
  }

  /** Index of the last frame up to a time [s]. */
  indexAt(time: number): number {
    let [low, high] = [0, this.frames.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.frames[middle].time <= time + 1e-9) low = middle;
      else high = middle - 1;
    }
    return low;
  }
}
