/** @file ONNX Runtime: `node ort.mjs node|web THREADS`. */
import { readFileSync } from "node:fs";
import { inputsOf, modelFile, serve } from "./serve.mjs";

const [kind, threads] = [process.argv[2], Number(process.argv[3])];
const ort = await import(kind === "node" ? "onnxruntime-node" : "onnxruntime-web");
if (kind === "web") ort.env.wasm.numThreads = threads;

serve(async (model) => {
  const file = modelFile(model, "onnx");
  const session = await ort.InferenceSession.create(kind === "node" ? file : readFileSync(file), {
    executionProviders: [kind === "node" ? "cpu" : "wasm"],
    graphOptimizationLevel: "all",
    intraOpNumThreads: threads,
    interOpNumThreads: 1,
  });
  const feeds = Object.fromEntries(
    inputsOf(model).map(({ dtype, shape, data }, i) => [`x${i}`, new ort.Tensor(dtype, data, shape)]),
  );
  return {
    run: () => session.run(feeds),
    output: async () => (await session.run(feeds)).y.data,
    dispose: () => session.release(),
  };
});
