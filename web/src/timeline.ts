// The time line: phases of the task as bands, a cursor, and scrubbing.

import type { History } from "./history";

const COLORS: Record<string, string> = {
  approach: "#3a4656",
  touch: "#b7791f",
  search: "#c2571a",
  lift: "#8a4b9c",
  align: "#7c5cc4",
  insert: "#2f7fd1",
  engaged: "#2f7fd1",
  engage: "#2f7fd1",
  "back-turn": "#a3542a",
  settle: "#6b7f95",
  tighten: "#1e9e8a",
  free: "#3a4656",
  contact: "#2f7fd1",
  seated: "#1f9d55",
  done: "#1f9d55",
};
const FAILED = "#c0343f";

export class Timeline {
  readonly canvas = document.createElement("canvas");
  private span: [number, number] = [0, 1];

  constructor(private phases: string[], seek: (time: number) => void) {
    this.canvas.className = "tf-timeline";
    this.canvas.setAttribute("role", "slider");
    this.canvas.setAttribute("aria-label", "time");
    const at = (event: PointerEvent) => {
      const box = this.canvas.getBoundingClientRect();
      const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 1);
      seek(this.span[0] + share * (this.span[1] - this.span[0]));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      at(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) at(event);
    });
  }

  draw(history: History, cursor: number, duration: number) {
    const { canvas } = this;
    const ratio = Math.min(window.devicePixelRatio, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0) return;
    if (canvas.width !== Math.round(width * ratio)) [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const context = canvas.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const frames = history.frames;
    const last = frames.length ? frames[frames.length - 1].time : 0;
    const first = frames.length ? Math.min(frames[0].time, last) : 0;
    this.span = [first > 1 ? first : 0, Math.max(last, duration, 0.1)];
    const x = (time: number) => ((time - this.span[0]) / (this.span[1] - this.span[0])) * width;
    context.fillStyle = "rgba(255,255,255,.06)";
    context.fillRect(0, 6, width, height - 12);
    context.font = "600 11px ui-sans-serif, system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let i = 0; i < frames.length; ) {
      let end = i;
      while (end + 1 < frames.length && frames[end + 1].phase === frames[i].phase) end++;
      const [left, right] = [x(frames[i].time), x(frames[Math.min(end + 1, frames.length - 1)].time)];
      const name = this.phases[frames[i].phase] ?? "";
      context.fillStyle = COLORS[name] ?? FAILED;
      context.fillRect(left, 6, Math.max(right - left, 1), height - 12);
      if (right - left > context.measureText(name).width + 10) {
        context.fillStyle = "rgba(255,255,255,.92)";
        context.fillText(name, left + 6, height / 2 + 0.5);
      }
      i = end + 1;
    }
    const frame = history.at(cursor);
    if (!frame) return;
    const at = Math.min(Math.max(x(frame.time), 1), width - 1);
    context.fillStyle = "#fff";
    context.fillRect(at - 1, 0, 2, height);
    context.beginPath();
    context.arc(at, height / 2, 5, 0, 2 * Math.PI);
    context.fill();
  }
}
