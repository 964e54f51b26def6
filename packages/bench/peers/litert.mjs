/** @file LiteRT.js: `node litert.mjs THREADS`. */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import vm from "node:vm";
import { NETWORKS, product, randomNumbers, tokenIds } from "./networks.mjs";
import { serve } from "./serve.mjs";
import { TfliteLayers, TYPES } from "./tflite.mjs";

const threads = Number(process.argv[2]);
/** A module with one instruction of relaxed SIMD. */
const RELAXED = [
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 15, 1, 13, 0, 65, 1, 253, 15, 65, 2,
  253, 15, 253, 128, 2, 11,
];
const single = WebAssembly.validate(Uint8Array.from(RELAXED)) ? "internal" : "compat_internal";
const variant = threads > 1 ? "threaded_internal" : single;
const wasm = join(dirname(fileURLToPath(import.meta.resolve("@litertjs/core"))), "../wasm");
const loader = join(wasm, `litert_wasm_${variant}.js`);

// The package loads its module as a page's worker does; this makes Node look like one.
const wrapped = vm.runInThisContext(
  `(function (require, module, exports, __filename, __dirname) {${readFileSync(loader, "utf8")}\n})`,
  { filename: loader },
);
const loaded = { exports: {} };
wrapped(createRequire(pathToFileURL(loader)), loaded, loaded.exports, loader, wasm);
globalThis.self = globalThis;
globalThis.importScripts = () => {};
globalThis.Module = { locateFile: (name) => join(wasm, name), print: () => {}, printErr: () => {} };
Object.defineProperty(globalThis, "ModuleFactory", { get: () => loaded.exports, set: () => {} });
const litert = await import("@litertjs/core");
await litert.loadLiteRt(pathToFileURL(loader).href, { threads: threads > 1 });

serve(async (model) => {
  const network = NETWORKS[model];
  const layers = new TfliteLayers();
  const type = network.integers ? TYPES.int32 : TYPES.float32;
  // The second operand of a product is a constant in this format.
  const shapes = model.startsWith("matmul") ? network.inputs.slice(0, 1) : network.inputs;
  const tensors = shapes.map((shape) => layers.tensor(shape, type));
  const bytes = layers.write(tensors, network.run(layers, ...tensors, tensors[0]));
  const compiled = await litert.loadAndCompile(bytes, { accelerator: "wasm" });
  const inputs = shapes.map((shape) => {
    const values = network.integers ? tokenIds(product(shape)) : randomNumbers(product(shape), 3);
    return new litert.Tensor(values, shape);
  });
  return {
    async run() {
      for (const result of await compiled.run(inputs)) result.delete();
    },
    dispose() {
      for (const input of inputs) input.delete();
      compiled.delete();
    },
  };
});
