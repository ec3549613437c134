// Which instant of a run is shown: the present of a live run, an instant that the reader chose, or one that plays on.

import { History } from "./history";
import type { Channel, Frame } from "./protocol";

export class Playback {
  history = new History([]);
  /** Index of the frame that is shown. */
  cursor = 0;
  /** Whether the latest frame of a live run is shown. */
  isFollowing = true;
  /** Whether frames that are there already play on. */
  isPlaying = false;
  /** Simulated time per real time. */
  speed = 1;
  private time = 0;

  constructor(private isLive: boolean, private changed: () => void) {}

  /** Begins with an empty run. */
  restart(channels: Channel[]) {
    this.history = new History(channels);
    this.cursor = 0;
    if (!this.isLive) [this.isFollowing, this.isPlaying] = [false, false];
    this.changed();
  }

  get frame(): Frame | undefined {
    return this.history.at(this.cursor);
  }

  get isRunning(): boolean {
    const { frame } = this;
    return this.isFollowing ? !(frame?.isPaused || frame?.isOver) : this.isPlaying;
  }

  /** Adds a frame; tells whether a run begins with it. */
  receive(frame: Frame): "first" | "restarted" | "added" {
    const isFirst = this.history.frames.length === 0;
    const result = isFirst ? "first" : "added";
    const isNew = this.history.push(frame) === "restarted";
    if (isNew || isFirst) {
      this.cursor = 0;
      if (this.isLive) this.isFollowing = true;
      this.changed();
    }
    if (this.isFollowing && this.isLive) this.show(this.last);
    return isNew ? "restarted" : result;
  }

  /** Shows the state at a time [s]. */
  seek(time: number) {
    const index = this.history.indexAt(time);
    this.isFollowing = this.isLive && index >= this.last;
    this.isPlaying = false;
    this.time = time;
    this.show(index);
  }

  /** Returns to the present. */
  follow() {
    [this.isFollowing, this.isPlaying] = [true, false];
    this.show(Math.max(this.last, 0));
  }

  /** Goes some frames on or back. */
  nudge(frames: number) {
    [this.isFollowing, this.isPlaying] = [false, false];
    this.show(Math.min(Math.max(this.cursor + frames, 0), this.last));
  }

  /** Plays on from the cursor, from the start where it is at the end; or stops. */
  toggle() {
    this.isPlaying = !this.isPlaying;
    if (this.cursor >= this.last) this.cursor = 0;
    this.time = this.frame?.time ?? 0;
  }

  /** Plays on for some real time [s]. */
  advance(passed: number) {
    if (!this.isPlaying || this.isFollowing) return;
    this.time += passed * this.speed;
    const next = this.history.indexAt(this.time);
    if (next !== this.cursor) this.show(next);
    if (this.cursor < this.last) return;
    this.isPlaying = false;
    if (this.isLive) this.follow();
  }

  private get last(): number {
    return this.history.frames.length - 1;
  }

  private show(index: number) {
    this.cursor = index;
    this.changed();
  }
}
