import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";

const BUILT = new URL("../../dist/", import.meta.url).href;
const FORMATS = new URL("../../../formats/dist/", import.meta.url).href;
const TENSOR = new URL("../../../tensor/dist/index.js", import.meta.url).href;
const MEBI = 2 ** 20;
/** 3 GiB in three weights. */
const ELEMENTS = 2 ** 28;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sconce-large-"));
});
afterAll(() => rm(folder, { recursive: true }));

/** Runs a script in its own process; returns the most memory that it took, and its results. */
async function measured(script: string): Promise<{ memory: number; result: unknown }> {
  const head = `
import { createSconce } from "${BUILT}index.js";
import { savePt2File } from "${BUILT}files/save-node.js";
import { openPt2File } from "${FORMATS}node.js";
import { Storage, Tensor } from "${TENSOR}";
const seen = [];
const onProgress = ({ done, total }) => void seen.push([done, total]);
const ended = () => ({ reports: seen.length, last: seen.at(-1), sorted: seen.every(([done], i) => i === 0 || seen[i - 1][0] <= done) });
const show = (result) => console.log(JSON.stringify({ memory: process.resourceUsage().maxRSS * 1024, result }));
`;
  const child = spawn(process.execPath, ["--input-type=module", "-e", head + script]);
  let [out, err] = ["", ""];
  child.stdout.on("data", (text: Buffer) => (out += text.toString()));
  child.stderr.on("data", (text: Buffer) => (err += text.toString()));
  const [code] = (await once(child, "close")) as [number];
  expect([code, err]).toEqual([0, ""]);
  return JSON.parse(out) as { memory: number; result: unknown };
}

const names = ["a", "b", "c"];
const IR = `sconce-ir 1
program "TRAINING" {
${names.map((name) => `  parameter "${name}": f32[${ELEMENTS}]`).join("\n")}
${names.map((name) => `  input %p_${name}: PARAMETER "${name}"`).join("\n")}
  input %x: USER_INPUT
  output %y: USER_OUTPUT
  call "" ((*), {}) -> * names ["x"]
}
graph(${names.map((name) => `%p_${name}: f32[${ELEMENTS}]`).join(", ")}, %x: f32[1]) {
  %y: f32[1] = aten.relu.default(%x)
  return (%y)
}`;

test("a program of 3 GiB is written and copied with less than 200 MB of memory, with progress", async () => {
  const [first, second] = [join(folder, "first.pt2"), join(folder, "second.pt2")];
  const idle = await measured(`
const program = createSconce().parseIr(${JSON.stringify(IR.replaceAll(String(ELEMENTS), "4"))}, { tensors: new Map(${JSON.stringify(names)}.map((name) => [name, Tensor.empty([4], "float32")])) });
await savePt2File(program, ${JSON.stringify(join(folder, "small.pt2"))});
show(0);`);
  const written = await measured(`
class Zeros extends Storage {
  get byteLength() { return ${4 * ELEMENTS}; }
  *pieces() {
    const piece = new Uint8Array(2 ** 22);
    for (let at = 0; at < ${4 * ELEMENTS}; at += piece.length) yield piece;
  }
}
const tensors = new Map(${JSON.stringify(names)}.map((name) => [name, new Tensor({ dtype: "float32", shape: [${ELEMENTS}], storage: new Zeros(new Uint8Array()) })]));
const program = createSconce().parseIr(${JSON.stringify(IR)}, { tensors });
await savePt2File(program, ${JSON.stringify(first)}, { onProgress });
show(ended());`);
  const copied = await measured(`
const program = await openPt2File(${JSON.stringify(first)}, { weights: "lazy" });
await savePt2File(program, ${JSON.stringify(second)}, { onProgress });
show(ended());`);
  const { size } = await stat(first);
  expect(size).toBeGreaterThan(12 * ELEMENTS);
  for (const { memory, result } of [written, copied]) {
    expect(memory - idle.memory).toBeLessThan(200 * MEBI);
    const { reports, last, sorted } = result as { reports: number; last: [number, number]; sorted: boolean };
    expect(reports).toBeGreaterThan(700);
    expect([last[0], sorted]).toEqual([last[1], true]);
  }
  expect((await readdir(folder)).sort()).toEqual(["first.pt2", "second.pt2", "small.pt2"]);
  console.log([idle, written, copied].map(({ memory }) => `${Math.round(memory / MEBI)} MiB`).join(", "));
});
