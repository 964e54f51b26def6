/** @file Sconce: `node sconce.mjs BACKEND THREADS`. */
import { readFileSync } from "node:fs";
import { createSconce, readPt2 } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { inputsOf, modelFile, serve } from "./serve.mjs";

const [name, threads] = [process.argv[2], Number(process.argv[3])];
const session = createSconce({ backends: name === "cpu" ? [] : [await loadBackend(name, { threads })] });

serve(async (model) => {
  const program = await readPt2(readFileSync(modelFile(model, "pt2")));
  const inputs = inputsOf(model).map(({ dtype, shape, data }) => Tensor.from(data, shape, dtype));
  const executable = await session.compile(program, name);
  return {
    run: () => executable.run(inputs),
    output: async () => (await executable.run(inputs))[0].data,
    dispose: () => executable.dispose(),
  };
});
