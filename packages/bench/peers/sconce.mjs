/**
 * @file Sconce: `node sconce.mjs BACKEND THREADS [host]`. Inputs and results stay in the memory of
 * the backend, as in most other runtimes; with `host` each run copies them.
 */
import { readFileSync } from "node:fs";
import { createSconce, readPt2 } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { inputsOf, modelFile, serve } from "./serve.mjs";

const [name, threads, place] = [process.argv[2], Number(process.argv[3]), process.argv[4]];
const session = createSconce({ backends: name === "cpu" ? [] : [await loadBackend(name, { threads })] });
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
