// Numbers with units that people read.

const PREFIXES: [number, string][] = [
  [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"], [1e-15, "f"],
];

/** Three digits and a prefix: 1.3e-6 m is 1.30 µm. */
export function quantity(value: number, unit: string): string {
  if (!Number.isFinite(value)) return "–";
  if (unit === "-") return Number.isInteger(value) ? String(value) : value.toPrecision(3);
  if (Math.abs(value) < 5e-16) return `0 ${unit}`;
  const size = Math.abs(value);
  const [factor, prefix] = PREFIXES.find(([factor]) => size >= factor * 0.9995) ?? PREFIXES[PREFIXES.length - 1];
  return `${digits(value / factor)} ${prefix}${unit}`;
}

function digits(value: number): string {
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

/** A value of an axis with one prefix for the whole axis. */
export function scaleOf(largest: number, unit: string): { factor: number; unit: string } {
  if (unit === "-" || !(largest > 0)) return { factor: 1, unit };
  const [factor, prefix] = PREFIXES.find(([factor]) => largest >= factor * 0.9995) ?? PREFIXES[PREFIXES.length - 1];
  return { factor, unit: prefix + unit };
}
