// One script and one style sheet, embedded by crates/viewer. The names have no hash: the program serves them itself.
// `view.sources` holds the hashes of the sources and of what was built from them; `cargo xtask page` compares them.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { defineConfig } from "vite";

const ASSETS = "../crates/viewer/assets";

/** FNV-1a with 64 bits: the check in xtask needs no library for it. */
function hash(bytes) {
  let value = 0xcbf29ce484222325n;
  for (const byte of bytes) value = BigInt.asUintN(64, (value ^ BigInt(byte)) * 0x100000001b3n);
  return value.toString(16).padStart(16, "0");
}

const stamp = {
  name: "stamp",
  closeBundle() {
    const sources = ["package-lock.json", "package.json", "vite.config.js", ...readdirSync("src").map((name) => `src/${name}`)].sort();
    const lines = sources.map((name) => `${hash(readFileSync(name))} web/${name}`);
    const built = ["view.css", "view.js"].map((name) => `${hash(readFileSync(`${ASSETS}/${name}`))} crates/viewer/assets/${name}`);
    writeFileSync(`${ASSETS}/view.sources`, [...lines, ...built].join("\n") + "\n");
  },
};

export default defineConfig({
  plugins: [stamp],
  build: {
    target: "es2022",
    outDir: ASSETS,
    emptyOutDir: false,
    sourcemap: false,
    cssCodeSplit: false,
    lib: { entry: "src/main.ts", name: "TightfitView", formats: ["iife"], fileName: () => "view.js", cssFileName: "view" },
  },
});
