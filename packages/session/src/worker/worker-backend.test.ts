import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import type { Progress } from "@sconce/errors";
import { readPt2 } from "@sconce/formats";
import type { FakeTensor } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import { createSconce } from "../index.js";
import { backendWorker } from "../worker-entries/worker-node.js";

const f32 = (values: readonly number[]) => Tensor.from(values, [values.length], "float32");
const sconce = createSconce();
const worker = await sconce.worker(backendWorker("cpu"));
afterAll(() => worker.dispose());

const ir = (signature: string, graph: string) =>
  sconce.parseIr(`sconce-ir 1\nprogram "ATEN" { ${signature} }\n${graph}`);
const counter = ir(
  'input %b: BUFFER "count" persistent input %x: USER_INPUT output %c: BUFFER_MUTATION "count" output %y: USER_OUTPUT',
  `graph(%b: f32[2], %x: f32[2]) {
  %c: f32[2] = aten.add.Tensor(%b, %x)
  %y: f32[2] = aten.mul.Tensor(%c, 2)
  return (%c, %y)
}`,
).with({ stateDict: new Map([["count", f32([1, 2])]]) });
const chain = ir(
  "input %x: USER_INPUT output %n599: USER_OUTPUT",
  `graph(%x: f32[4]) { ${Array.from(
    { length: 600 },
    (_, i) => `%n${i}: f32[4] = aten.${i % 2 === 0 ? "sin" : "cos"}.default(%${i === 0 ? "x" : `n${i - 1}`})`,
  ).join("\n")} return (%n599) }`,
);

describe("sconce.worker", () => {
  test("gives the results of the same backend without a worker", async () => {
    const file = new URL("../../../testing/fixtures/programs/net_mlp/program.pt2", import.meta.url);
    const program = await readPt2(readFileSync(fileURLToPath(file)));
    const [there, here] = [await sconce.compile(program, worker), await sconce.compile(program)];
    const { val } = program.graph.placeholders().at(-1)!.meta;
    const shape = (val as FakeTensor).shape.map((size) => (typeof size === "number" ? size : 3));
    const count = shape.reduce((product, size) => product * size, 1);
    const inputs = [
      Tensor.from(
        Float32Array.from({ length: count }, (_, i) => Math.sin(i)),
        shape,
        "float32",
      ),
    ];
    const [first, second] = [await there.run(inputs), await here.run(inputs)];
    expect(first.map(String)).toEqual(second.map(String));
    there.dispose();
    await expect(there.run(inputs)).rejects.toMatchObject({ code: "DISPOSED" });
  });
  test("state that runs write to is there after each run", async () => {
    const executable = await sconce.compile(counter, worker);
    const x = f32([1, 10]);
    expect(String((await executable.run([x]))[0])).toContain("4., 24.");
    await executable.run([x]);
    expect(executable.state.get("count")!.toArray()).toEqual([3, 22]);
    expect(counter.stateDict.get("count")!.toArray()).toEqual([1, 2]);
    expect(x.toArray()).toEqual([1, 10]);
  });
  test("inputs that a program writes to are written", async () => {
    const program = ir(
      'input %x: USER_INPUT output %c: USER_INPUT_MUTATION "x" output %y: USER_OUTPUT',
      `graph(%x: f32[2]) {
  %c: f32[2] = aten.add.Tensor(%x, 1)
  %y: f32[2] = aten.mul.Tensor(%c, 2)
  return (%c, %y)
}`,
    );
    const executable = await sconce.compile(program, worker);
    const x = f32([1, 2]);
    await executable.run([x]);
    expect(x.toArray()).toEqual([2, 3]);
  });
  test("reports progress, and stops at a signal", async () => {
    const executable = await sconce.compile(chain, worker);
    const seen: Progress[] = [];
    const x = f32([1, 2, 3, 4]);
    await executable.run([x], { onProgress: (progress) => void seen.push(progress) });
    expect(seen[0]!.done).toBe(0);
    expect(seen.at(-1)!.done).toBe(seen.at(-1)!.total);
    const controller = new AbortController();
    const stopped = executable.run([x], {
      signal: controller.signal,
      onProgress: () => controller.abort("enough"),
    });
    await expect(stopped).rejects.toMatchObject({ code: "ABORTED", cause: "enough" });
    await expect(executable.run([x], { signal: controller.signal })).rejects.toMatchObject({
      code: "ABORTED",
    });
    expect((await executable.run([x])).length).toBe(1);
  });
  test("compile reports progress, also where all kernels wait for a run", async () => {
    const open = ir(
      'range "s0" [0, 100] input %x: USER_INPUT output %y: USER_OUTPUT',
      `graph(%x: f32[s0]) {
  %y: f32[s0] = aten.relu.default(%x)
  return (%y)
}`,
    );
    for (const program of [chain, open])
      for (const backend of [worker, "wasm"]) {
        const seen: Progress[] = [];
        await sconce.compile(program, backend, { onProgress: (progress) => void seen.push(progress) });
        expect(seen[0]).toMatchObject({ phase: "compile", done: 0, item: expect.stringMatching(/./) });
        expect(seen[0]!.total).toBeGreaterThan(0);
        expect(seen.at(-1)).toMatchObject({ done: seen[0]!.total, item: "" });
      }
  });
  test("errors are those of the backend", async () => {
    const select = ir(
      "input %x: USER_INPUT input %i: USER_INPUT output %y: USER_OUTPUT",
      `graph(%x: f32[2], %i: i64[1]) {
  %y: f32[1] = aten.index_select.default(%x, 0, %i)
  return (%y)
}`,
    );
    const inputs = [f32([1, 2]), Tensor.from([5n], [1], "int64")];
    const failures = await Promise.all(
      [worker, undefined].map(async (backend) => {
        const executable = await sconce.compile(select, backend);
        return executable.run(inputs).then(String, (error: unknown) => JSON.stringify(error));
      }),
    );
    expect(failures[0]).toMatch(/out of bounds/);
    expect(failures[0]).toBe(failures[1]);
    const other = await sconce.worker(backendWorker("tpu"));
    await expect(sconce.compile(counter, other)).rejects.toMatchObject({
      code: "WORKER_ENDED",
      message: expect.stringContaining('unknown backend "tpu"'),
    });
    const unnamed = await sconce.worker(backendWorker("cpu"), "tpu");
    await expect(sconce.compile(counter, unnamed)).rejects.toMatchObject({ code: "UNKNOWN_BACKEND" });
    unnamed.dispose();
    for (const wrong of [null, {}, "cpu"])
      expect(() => sconce.worker(wrong as never)).toThrow(/the first argument of worker/);
  });
  test("frees executables that nothing can reach", async () => {
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as () => void;
    const [own, sent] = [backendWorker("cpu"), [] as string[]];
    const post = own.postMessage.bind(own);
    own.postMessage = (message: { readonly kind: string }, transfer) => {
      sent.push(message.kind);
      post(message, transfer);
    };
    const there = await sconce.worker(own);
    await (await sconce.compile(counter, there)).run([f32([1, 2])]);
    for (let i = 0; i < 100 && !sent.includes("dispose"); i++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(sent).toEqual(["compile", "run", "dispose"]);
    there.dispose();
  });
  test("a worker that has ended is an error", async () => {
    const other = await sconce.worker(backendWorker("cpu"));
    const executable = await sconce.compile(counter, other);
    const run = executable.run([f32([1, 2])]);
    other.dispose();
    await expect(run).rejects.toMatchObject({ code: "WORKER_ENDED" });
    await expect(sconce.compile(counter, other)).rejects.toMatchObject({ code: "WORKER_ENDED" });
  });
});
