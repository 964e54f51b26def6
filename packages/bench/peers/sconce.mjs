/**
 * @file Sconce: `node sconce.mjs BACKEND THREADS [device|host] [TILE]`. Inputs and results stay in
 * the memory of the backend, as in most other runtimes; with `host` each run copies them. TILE is
 * the side of Winograd's tiles.
 */
import { readFileSync } from "node:fs";
import { wasmBackend } from "@sconce/backend-wasm";
import { createSconce, readPt2 } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { inputsOf, modelFile, serve } from "./serve.mjs";

const [name, threads, place] = [process.argv[2], Number(process.argv[3]), process.argv[4]];
const tile = process.argv[5];
const backends = {
  cpu: () => [],
  wasm: () => [wasmBackend({ threads, winograd: Number(tile ?? 2) })],
  gpujs: async () => [await loadBackend("gpujs")],
};
const session = createSconce({ backends: await backends[name]() });
const options = place === "host" ? {} : { results: "device" };

serve(async (model) => {
  const program = await readPt2(readFileSync(modelFile(model, "pt2")));
  const given = inputsOf(model).map(({ dtype, shape, data }) => Tensor.from(data, shape, dtype));
  const executable = await session.compile(program, name);
  const inputs =
    place === "host" ? given : await Promise.all(given.map((tensor) => executable.toDevice(tensor)));
  return {
    async run() {
      for (const result of await executable.run(inputs, options)) result.dispose();
    },
    output: async () => (await executable.run(inputs))[0].data,
    dispose: () => executable.dispose(),
  };
});
