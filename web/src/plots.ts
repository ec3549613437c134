// Small plots of channels over time; a click seeks.

import { quantity, scaleOf } from "./format";
import type { History } from "./history";

export interface Curve {
  channels: string[];
  label: string;
  color: string;
}

export interface PlotSpec {
  title: string;
  curves: Curve[];
  /** Values as they are, or the length of a vector. */
  unit: string;
  logarithmic?: boolean;
  stacked?: boolean;
}

export const PLOTS: PlotSpec[] = [
  {
    title: "Contact force",
    unit: "N",
    curves: [
      { channels: ["force_x"], label: "x", color: "#ff6b6b" },
      { channels: ["force_y"], label: "y", color: "#4ade80" },
      { channels: ["force_z"], label: "z", color: "#5aa9ff" },
    ],
  },
  {
    title: "Contact torque",
    unit: "N·m",
    curves: [
      { channels: ["torque_x"], label: "x", color: "#ff6b6b" },
      { channels: ["torque_y"], label: "y", color: "#4ade80" },
      { channels: ["torque_z"], label: "z", color: "#5aa9ff" },
    ],
  },
  { title: "Depth", unit: "m", curves: [{ channels: ["depth"], label: "", color: "#f2c14e" }] },
  { title: "Penetration", unit: "m", curves: [{ channels: ["penetration"], label: "", color: "#ff8fab" }] },
  {
    title: "Energy",
    unit: "J",
    curves: [
      { channels: ["kinetic_energy"], label: "kinetic", color: "#5aa9ff" },
      { channels: ["contact_work"], label: "contact work", color: "#ffa94d" },
    ],
  },
  {
    title: "Step time",
    unit: "s",
    stacked: true,
    curves: [
      { channels: ["detection_time"], label: "detect", color: "#3b82f6" },
      { channels: ["clustering_time"], label: "cluster", color: "#a78bfa" },
      { channels: ["solving_time"], label: "solve", color: "#f59e0b" },
      { channels: ["integration_time"], label: "move", color: "#10b981" },
    ],
  },
];

export class Plot {
  readonly element = document.createElement("figure");
  private canvas = document.createElement("canvas");
  private value = document.createElement("span");

  constructor(private spec: PlotSpec, private seek: (time: number) => void) {
    this.element.className = "tf-plot";
    const caption = document.createElement("figcaption");
    const title = document.createElement("b");
    title.textContent = spec.title;
    const legend = document.createElement("span");
    legend.className = "tf-legend";
    for (const curve of spec.curves.filter((curve) => curve.label)) {
      const one = document.createElement("i");
      one.textContent = curve.label;
      one.style.color = curve.color;
      legend.append(one);
    }
    this.value.className = "tf-value";
    caption.append(title, legend, this.value);
    this.element.append(caption, this.canvas);
    const at = (event: PointerEvent) => {
      const box = this.canvas.getBoundingClientRect();
      const [from, until] = this.span;
      this.seek(from + ((event.clientX - box.left) / box.width) * (until - from));
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      at(event);
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (event.buttons) at(event);
    });
  }

  private span: [number, number] = [0, 1];

  draw(history: History, cursor: number) {
    const { canvas, spec } = this;
    const ratio = Math.min(window.devicePixelRatio, 2);
    const [width, height] = [canvas.clientWidth, canvas.clientHeight];
    if (width === 0) return;
    if (canvas.width !== Math.round(width * ratio)) [canvas.width, canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
    const context = canvas.getContext("2d")!;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    const frames = history.frames;
    if (frames.length === 0) return;
    const indices = spec.curves.map((curve) => history.channel(curve.channels[0]));
    const last = frames[frames.length - 1].time;
    this.span = [frames[0].time, Math.max(last, frames[0].time + 0.5)];
    const [from, until] = this.span;
    // at most two points per pixel
    const stride = Math.max(1, Math.floor(frames.length / (2 * width)));
    let [low, high] = [0, 0];
    for (let i = 0; i < frames.length; i += stride) {
      let sum = 0;
      for (const index of indices) {
        const value = frames[i].channels[index];
        if (!Number.isFinite(value)) continue;
        sum += value;
        low = Math.min(low, value);
        high = Math.max(high, spec.stacked ? sum : value);
      }
    }
    if (high - low < 1e-12) high = low + 1e-12;
    const pad = 0.06 * (high - low);
    const x = (time: number) => ((time - from) / (until - from)) * width;
    const y = (value: number) => height - 2 - ((value - low + pad) / (high - low + 2 * pad)) * (height - 4);
    context.strokeStyle = "rgba(255,255,255,.13)";
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(0, y(0));
    context.lineTo(width, y(0));
    context.stroke();
    const base = new Float32Array(frames.length);
    spec.curves.forEach((curve, which) => {
      context.strokeStyle = curve.color;
      context.lineWidth = 1.4;
      context.lineJoin = "round";
      context.beginPath();
      let isDrawing = false;
      const upper: [number, number][] = [];
      for (let i = 0; i < frames.length; i += stride) {
        const value = frames[i].channels[indices[which]] + (spec.stacked ? base[i] : 0);
        if (!Number.isFinite(value)) {
          isDrawing = false;
          continue;
        }
        const point: [number, number] = [x(frames[i].time), y(value)];
        if (isDrawing) context.lineTo(...point);
        else context.moveTo(...point);
        upper.push([i, value]);
        isDrawing = true;
      }
      if (spec.stacked) {
        for (let k = upper.length - 1; k >= 0; k--) context.lineTo(x(frames[upper[k][0]].time), y(base[upper[k][0]]));
        context.closePath();
        context.fillStyle = curve.color + "b0";
        context.fill();
        upper.forEach(([i, value]) => (base[i] = value));
      } else {
        context.stroke();
        if (spec.curves.length === 1) {
          context.lineTo(x(last), y(0));
          context.lineTo(x(from), y(0));
          context.fillStyle = curve.color + "22";
          context.fill();
        }
      }
    });
    const scale = scaleOf(Math.max(Math.abs(low), Math.abs(high)), spec.unit);
    context.fillStyle = "rgba(200,212,226,.62)";
    context.font = "10px ui-sans-serif, system-ui, sans-serif";
    context.fillText(`${(high / scale.factor).toPrecision(3)} ${scale.unit}`, 3, 10);
    const frame = history.at(cursor);
    if (frame) {
      context.strokeStyle = "rgba(255,255,255,.5)";
      context.beginPath();
      context.moveTo(x(frame.time) + 0.5, 0);
      context.lineTo(x(frame.time) + 0.5, height);
      context.stroke();
      const values = indices.map((index) => frame.channels[index]);
      const shown = spec.stacked
        ? values.reduce((sum, value) => sum + value, 0)
        : values.length === 3
          ? Math.hypot(...values)
          : values[0];
      this.value.textContent = quantity(shown, spec.unit);
    }
  }
}
