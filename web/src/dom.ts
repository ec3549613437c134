// Small helpers for elements.

type Properties = Record<string, unknown>;

export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const one = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") one.className = value as string;
    else if (name.startsWith("on")) one.addEventListener(name.slice(2), value as EventListener);
    else if (name.startsWith("aria-") || name === "for" || name.startsWith("data-")) one.setAttribute(name, String(value));
    else (one as unknown as Properties)[name] = value;
  }
  one.append(...children);
  return one;
}

export function button(label: string, title: string, onclick: () => void, name = ""): HTMLButtonElement {
  // a button that keeps the focus would take the space key
  return element("button", { type: "button", title, class: name, onclick, onmousedown: (event: Event) => event.preventDefault() }, label);
}

export interface Slider {
  element: HTMLElement;
  input: HTMLInputElement;
  set(value: number): void;
}

/** A slider from 0 to 1 with its own scale; `text` shows the value. */
export function slider(
  label: string,
  scale: { to: (share: number) => number; from: (value: number) => number },
  text: (value: number) => string,
  oninput: (value: number) => void,
  onchange?: (value: number) => void,
): Slider {
  const value = element("output");
  const input = element("input", { type: "range", min: "0", max: "1", step: "0.001", "aria-label": label });
  const read = () => scale.to(Number(input.value));
  const show = () => (value.textContent = text(read()));
  input.addEventListener("input", () => {
    show();
    oninput(read());
  });
  input.addEventListener("change", () => onchange?.(read()));
  return {
    element: element("label", { class: "tf-slider" }, element("span", {}, label), value, input),
    input,
    set(number: number) {
      input.value = String(scale.from(number));
      show();
    },
  };
}

export function toggle(label: string, title: string, isOn: boolean, onchange: (isOn: boolean) => void) {
  const input = element("input", { type: "checkbox", checked: isOn });
  input.addEventListener("change", () => onchange(input.checked));
  return { element: element("label", { class: "tf-toggle", title }, input, element("span", {}, label)), input };
}

export function select(label: string, options: [string, string][], onchange: (value: string) => void) {
  const input = element("select", { "aria-label": label });
  const fill = (options: [string, string][], chosen: string) => {
    input.replaceChildren(...options.map(([value, text]) => element("option", { value, selected: value === chosen }, text)));
    input.value = chosen;
  };
  fill(options, options[0]?.[0] ?? "");
  input.addEventListener("change", () => {
    onchange(input.value);
    input.blur();
  });
  return { element: element("label", { class: "tf-select" }, element("span", {}, label), input), input, fill };
}

export const linear = (low: number, high: number) => ({
  to: (share: number) => low + share * (high - low),
  from: (value: number) => (value - low) / (high - low),
});

export const logarithmic = (low: number, high: number) => ({
  to: (share: number) => low * (high / low) ** share,
  from: (value: number) => Math.log(value / low) / Math.log(high / low),
});

export function download(address: string, name: string) {
  element("a", { href: address, download: name }).click();
}
