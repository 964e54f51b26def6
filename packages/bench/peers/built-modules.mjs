/**
 * @file Built modules beside the backend `wasm`: `node built-modules.mjs [MODEL]...`. Prints bytes
 * with gzip, the first result in a new process after the last byte came and with all bytes given at
 * once, and the time of a run beside that of the backend, one after the other.
 */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { wasmBackend } from "@sconce/backend-wasm";
import { buildModule } from "@sconce/build";
import { exportProgram, torch } from "@sconce/capture";
import { openPt2File } from "@sconce/formats/node";
import { Tensor } from "@sconce/tensor";
import { FULL_SIZE } from "../dist/models.js";

const OWN = fileURLToPath(import.meta.url);
/** Runs of each, and the time from which on fewer do, in milliseconds. */
const [PAIRS, LIMIT] = [40, 15_000];
const least = (times) => Math.min(...times);

/** Gives bytes in parts, as a download does, and calls when the last one was taken. */
function download(bytes, ended) {
  const part = 2 ** 18;
  let at = 0;
  return new Response(
    new ReadableStream(
      {
        pull(controller) {
          controller.enqueue(bytes.slice(at, at + part));
          at += part;
          if (at < bytes.length) return;
          controller.close();
          ended();
        },
      },
      { highWaterMark: 0 },
    ),
  );
}

/** In a new process: reads the files, and times what is left until the first result. */
if (process.argv[2] === "--first") {
  const [folder, name, shape, way] = process.argv.slice(3);
  const [wasm, weights] = ["model.wasm", "model.safetensors"].map((file) => readFileSync(join(folder, file)));
  const sizes = JSON.parse(shape);
  const data = new Float32Array(sizes.reduce((total, size) => total * size, 1)).fill(0.5);
  let start = performance.now();
  const { load } = await import(pathToFileURL(join(folder, "model.mjs")).href);
  const ended = () => {
    start = performance.now();
  };
  const model = await load({ wasm, weights: way === "download" ? download(weights, ended) : weights });
  await model.run({ [name]: { data, shape: sizes } });
  console.log(performance.now() - start);
  process.exit();
}

const digits = new URL("../../testing/fixtures/programs/digits/program.pt2", import.meta.url);
const MODELS = {
  digits: async () => ({ program: await openPt2File(digits), name: "image", shape: [1, 1, 8, 8] }),
  resnet18: async () => {
    const shape = [1, 3, 224, 224];
    const program = exportProgram(FULL_SIZE.resnet18.make().eval(), [torch.ones(shape)]);
    return { program, name: "x", shape };
  },
};

async function written(program, options, use) {
  const folder = mkdtempSync(join(tmpdir(), "sconce-built-"));
  try {
    const { files, report } = await buildModule(program, options);
    for (const [name, bytes] of files) writeFileSync(join(folder, name), bytes);
    return await use(folder, report);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function firstResult(folder, name, shape, way) {
  const times = [];
  for (let i = 0; i < 7; i++) {
    const { stdout } = spawnSync(process.execPath, [
      OWN,
      "--first",
      folder,
      name,
      JSON.stringify(shape),
      way,
    ]);
    times.push(Number(stdout));
  }
  return times.sort((a, b) => a - b)[3];
}

async function besideBackend(program, folder, name, shape) {
  const { load } = await import(pathToFileURL(join(folder, "model.mjs")).href);
  const model = await load();
  const executable = await wasmBackend({ threads: 1, relaxed: false }).compile(program);
  const data = Float32Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, at) => Math.sin(at));
  const tensor = Tensor.from(data, shape, "float32");
  const [own, backend] = [[], []];
  const timed = async (times, run) => {
    const start = performance.now();
    await run();
    times.push(performance.now() - start);
  };
  const end = performance.now() + LIMIT;
  for (let pair = 0; pair < PAIRS && (pair < 3 || performance.now() < end); pair++) {
    await timed(own, () => model.run({ [name]: { data, shape } }));
    await timed(backend, () => executable.run([tensor]));
  }
  return { own: least(own), backend: least(backend) };
}

const chosen = process.argv.slice(2);
for (const model of chosen.length > 0 ? chosen : Object.keys(MODELS)) {
  const { program, name, shape } = await MODELS[model]();
  const sizes = ({ files }) => files.map((file) => `${file.name} ${file.gzipBytes} B`).join(", ");
  await written(program, { packed: true }, async (folder, report) => {
    console.log(`${model}, packed, gzip: ${sizes(report)}`);
    for (const [way, title] of [
      ["download", "after the last byte"],
      ["given", "with all bytes given at once"],
    ])
      console.log(
        `${model}, packed, first result ${title}: ${firstResult(folder, name, shape, way).toFixed(1)} ms`,
      );
  });
  await written(program, {}, async (folder, report) => {
    console.log(`${model}, gzip: ${sizes(report)}`);
    const { own, backend } = await besideBackend(program, folder, name, shape);
    const ratio = (own / backend).toFixed(2);
    console.log(`${model}: ${own.toFixed(3)} ms a run, backend ${backend.toFixed(3)} ms, ratio ${ratio}`);
  });
  await written(program, { targets: ["js"] }, async (folder, report) => {
    console.log(`${model}, js, gzip: ${sizes(report)}`);
    const { own, backend } = await besideBackend(program, folder, name, shape);
    console.log(`${model}, js: ${own.toFixed(3)} ms a run, ${(own / backend).toFixed(1)} of the backend`);
  });
}
