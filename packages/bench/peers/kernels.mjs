/**
 * @file The time of each kernel of a model on the backend `wasm`: `node kernels.mjs MODEL [SIDE]`,
 * with the side of Winograd's tiles. The limit is the time of the multiplications alone.
 */
import { readFileSync } from "node:fs";
import { wasmBackend } from "@sconce/backend-wasm";
import { createSconce, readPt2 } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { inputsOf, modelFile } from "./serve.mjs";

/** What vector instructions of WebAssembly reach on the machine of docs/performance.md. */
const GFLOPS = 58;
const RUNS = 40;
const [model = "resnet18", side = "2"] = process.argv.slice(2);
const winograd = Number(side);

const program = await readPt2(readFileSync(modelFile(model, "pt2")));
const executable = await createSconce().compile(program, wasmBackend({ threads: 1, winograd }));
const inputs = await Promise.all(
  inputsOf(model).map(({ dtype, shape, data }) => executable.toDevice(Tensor.from(data, shape, dtype))),
);
const sources = new Map(executable.placement().nodes.map(({ node, source }) => [node, source]));

/** Describes a call of the program, with its multiplications and additions in units of 1e9. */
function describe(name) {
  const node = program.graph.find(sources.get(name) ?? "");
  const [x, w] = [0, 1].map((at) => program.graph.find(node?.args[at]?.name ?? "")?.meta.val?.shape);
  const out = node?.meta.val?.shape;
  const product = (sizes) => sizes.reduce((total, size) => total * Number(size), 1);
  if (/conv2d/.test(node?.target ?? "")) {
    const [results, channels, high, wide] = w;
    const stride = Math.round(x[2] / out[2]);
    const isTiled = winograd > 0 && high === 3 && stride === 1 && channels >= 16 && results >= 16;
    const tiles = Math.ceil(out[2] / winograd) * Math.ceil(out[3] / winograd);
    const places = isTiled ? out[0] * tiles * (winograd + 2) ** 2 * results : product(out) * high * wide;
    const text = `${high}x${wide}${stride > 1 ? ` of stride ${stride}` : ""}, ${channels} to ${results}`;
    return { text: `${text}, ${out[2]}x${out[3]}`, work: (2 * places * channels) / 1e9 };
  }
  if (/linear/.test(node?.target ?? ""))
    return { text: `product with ${w.join("x")}`, work: (2 * product(out) * w[1]) / 1e9 };
  return { text: node?.target.replace(/^aten\.|\..*$/g, "") ?? name, work: 0 };
}

const least = [];
for (let run = 0; run < RUNS; run++) {
  for (const result of await executable.run(inputs, { results: "device" })) result.dispose();
  executable.profile().forEach(({ node, milliseconds }, at) => {
    least[at] = { node, milliseconds: Math.min(least[at]?.milliseconds ?? Infinity, milliseconds) };
  });
}

const rows = new Map();
for (const { node, milliseconds } of least) {
  // Of nests that one kernel computes, the one with most work gives its name.
  const { text, work } = node
    .split(", ")
    .map(describe)
    .reduce((a, b) => (b.work > a.work ? b : a));
  const row = rows.get(text) ?? { count: 0, time: 0, work: 0 };
  rows.set(text, { count: row.count + 1, time: row.time + milliseconds, work: row.work + work });
}
const total = least.reduce((sum, { milliseconds }) => sum + milliseconds, 0);
const limit = [...rows.values()].reduce((sum, { work }) => sum + (work * 1000) / GFLOPS, 0);
console.log("| kernel | count | ms | share of the time | limit, ms |\n| --- | --: | --: | --: | --: |");
for (const [text, { count, time, work }] of [...rows].sort((a, b) => b[1].time - a[1].time)) {
  const least = work === 0 ? "" : ((work * 1000) / GFLOPS).toFixed(2);
  console.log(
    `| ${text} | ${count} | ${time.toFixed(2)} | ${((100 * time) / total).toFixed(0)} % | ${least} |`,
  );
}
console.log(`| all | ${least.length} | ${total.toFixed(1)} | | ${limit.toFixed(1)} |`);
process.exit(0);
