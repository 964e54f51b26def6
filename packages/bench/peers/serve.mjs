/**
 * @file The line protocol of all peers: one JSON request a line on standard input, one JSON answer
 * a line on standard output. An answer `{skip}` says why a peer does not run a model.
 *
 * - `{"command": "load", "model"}`: makes a model ready
 * - `{"command": "bench", "milliseconds"}`: runs it repeatedly, and answers `{times, cpu}`: the
 *   milliseconds of each run, and the mean CPU time of a run
 * - `{"command": "output", "file"}`: writes the first output of one run as raw float32
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";

/** The folder of `models.py`. */
export const folder = process.env["BENCH_MODELS"] ?? join(import.meta.dirname ?? ".", "cache");
const models = JSON.parse(readFileSync(join(folder, "models.json"), "utf8"));

/** A file of a model, by its ending. */
export const modelFile = (model, ending) => join(folder, `${model}.${ending}`);

/** The inputs of a model: dtype, shape and values. */
export const inputsOf = (model) =>
  models[model].inputs.map(({ dtype, shape }, i) => {
    const bytes = Uint8Array.from(readFileSync(modelFile(model, `x${i}.bin`)));
    const data = new (dtype === "int64" ? BigInt64Array : Float32Array)(bytes.buffer);
    return { dtype, shape, data };
  });

/** A burst has two runs at least, unless one takes longer than this. */
const LONG_MILLISECONDS = 1000;

async function burst(run, milliseconds) {
  const times = [];
  const before = process.cpuUsage();
  const begin = performance.now();
  const time = () => performance.now() - begin;
  while (time() < milliseconds || times.length === 0 || (times.length < 2 && time() < LONG_MILLISECONDS)) {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(before);
  return { times, cpu: (user + system) / 1000 / times.length };
}

/**
 * Answers requests until the input ends. `load(model)` resolves to `{ run, output?, dispose? }`, or
 * to a reason not to run the model.
 */
export function serve(load) {
  let loaded;
  const commands = {
    async load({ model }) {
      await loaded?.dispose?.();
      loaded = undefined;
      const result = await load(model);
      if (typeof result === "string") return { skip: result };
      loaded = result;
      return {};
    },
    bench: ({ milliseconds }) => burst(loaded.run, milliseconds),
    async output({ file }) {
      if (loaded.output === undefined) return { skip: "it has other random weights" };
      const values = await loaded.output();
      writeFileSync(file, new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
      return {};
    },
  };
  const answer = async (line) => {
    const request = JSON.parse(line);
    try {
      return await commands[request.command](request);
    } catch (error) {
      return { skip: String(error?.message ?? error).slice(0, 300) };
    }
  };
  let queue = Promise.resolve();
  createInterface({ input: process.stdin })
    .on("line", (line) => {
      queue = queue.then(async () => void process.stdout.write(`@${JSON.stringify(await answer(line))}\n`));
    })
    .on("close", () => process.exit(0));
}
