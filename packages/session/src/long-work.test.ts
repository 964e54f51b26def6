import { readFileSync } from "node:fs";
import type { Progress } from "@sconce/errors";
import { edit } from "@sconce/ir";
import { definePass } from "@sconce/passes";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { createSconce } from "./index.js";

const NODES = 700;
const OPERATORS = ["silu", "relu", "gelu", "hardswish"];
const chain = Array.from(
  { length: NODES },
  (_, i) => `%n${i}: f32[4] = aten.${OPERATORS[i % 4]}.default(%${i === 0 ? "x" : `n${i - 1}`})`,
).join("\n");
const last = `n${NODES - 1}`;
const sconce = createSconce();
const program = sconce.parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT output %${last}: USER_OUTPUT }
graph(%x: f32[4]) { ${chain} return (%${last}) }`);
const PIPELINE = "decompose,canonicalize,repeat(fold-constants,cse),dce";
const bytes = readFileSync(new URL("../../testing/fixtures/programs/net_mlp/program.pt2", import.meta.url));

/** How often a timer ran while some work went on. */
async function ticksDuring(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await work().finally(() => clearInterval(timer));
  return ticks;
}

const isMonotonic = (seen: readonly Progress[]): boolean =>
  seen.every(({ done, total }, i) => done <= total && done >= (seen[i - 1]?.done ?? 0));

const WORK = {
  transformAsync: (options: object) => sconce.transformAsync(program, PIPELINE, options),
  runDecompositionsAsync: (options: object) => sconce.runDecompositionsAsync(program, undefined, options),
  load: (options: object) => sconce.load(bytes, options),
};

describe.each(Object.entries(WORK))("%s", (call, work) => {
  test("reports progress, which never decreases and ends at the total", async () => {
    const seen: Progress[] = [];
    await work({ onProgress: (progress: Progress) => seen.push(progress) });
    expect(seen.length).toBeGreaterThan(1);
    expect(isMonotonic(seen)).toBe(true);
    expect(seen[0]!.done).toBe(0);
    expect(seen.at(-1)).toMatchObject({ done: seen[0]!.total, item: "" });
  });

  test("stops when the signal was raised before", async () => {
    const reason = new Error("never mind");
    const aborted = work({ signal: AbortSignal.abort(reason) });
    await expect(aborted).rejects.toMatchObject({ code: "ABORTED", cause: reason });
  });

  test("stops when the signal is raised by onProgress", async () => {
    const abort = new AbortController();
    const aborted = work({ signal: abort.signal, onProgress: () => abort.abort("enough") });
    await expect(aborted).rejects.toMatchObject({ code: "ABORTED", cause: "enough" });
  });

  test("names an error of onProgress as the user's", async () => {
    const onProgress = (): void => {
      throw new Error("mine");
    };
    await expect(work({ onProgress })).rejects.toMatchObject({
      code: "OBSERVER_FAILED",
      message: `the onProgress that was given to ${call} threw: mine`,
      cause: { message: "mine" },
    });
  });
});

describe("bisectAsync", () => {
  const wrong = definePass({
    name: "wrong",
    doc: "Calls neg for relu.",
    run: (given) =>
      given.with({
        graph: edit(given.graph, (editor) => {
          for (const node of given.graph.nodes())
            if (node.target === "aten.relu.default")
              editor.replaceNode(node.name, { target: "aten.neg.default" });
        }),
      }),
  });
  const small = sconce.parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %b: USER_OUTPUT }
graph(%x: f32[4]) {
  %a: f32[4] = aten.relu.default(%x)
  %b: f32[4] = aten.exp.default(%a)
  return (%b)
}`);

  test("finds what bisect finds, and reports progress", async () => {
    const seen: Progress[] = [];
    const found = await sconce.bisectAsync(small, [wrong], { onProgress: (one) => seen.push(one) });
    expect(found.culprit?.pass).toBe("wrong");
    expect(found.culprit?.reproducer.program.graph.size).toBe(
      sconce.bisect(small, [wrong]).culprit?.reproducer.program.graph.size,
    );
    expect(isMonotonic(seen)).toBe(true);
    expect(seen.length).toBeGreaterThan(1);
  });

  test("stops when its signal is raised", async () => {
    const abort = new AbortController();
    const options = { signal: abort.signal, onProgress: () => abort.abort("enough") };
    await expect(sconce.bisectAsync(small, [wrong], options)).rejects.toMatchObject({ code: "ABORTED" });
    const unknown = sconce.bisectAsync(small, [wrong], { maxTriez: 1 } as never);
    await expect(unknown).rejects.toMatchObject({ code: "UNKNOWN_OPTION" });
  });
});

test("what is transformed with pauses is what is transformed without", async () => {
  const asynchronous = await sconce.transformAsync(program, PIPELINE);
  expect(String(asynchronous)).toBe(String(sconce.transform(program, PIPELINE)));
  expect(asynchronous.history.map(({ pass }) => pass)).toEqual(
    sconce.transform(program, PIPELINE).history.map(({ pass }) => pass),
  );
});

test("timers run while passes do", async () => {
  expect(await ticksDuring(async () => sconce.transform(program, PIPELINE))).toBe(0);
  expect(await ticksDuring(() => sconce.transformAsync(program, PIPELINE))).toBeGreaterThan(1);
});

test("a signal that is raised within a pass stops it there", async () => {
  const abort = new AbortController();
  // Runs at the first pause.
  setTimeout(() => abort.abort(), 0);
  const work = sconce.transformAsync(program, "decompose", { signal: abort.signal });
  await expect(work).rejects.toMatchObject({ code: "ABORTED" });
  expect(program.dialect).toBe("TRAINING");
});

test("two transformations at once do not meet", async () => {
  const own = definePass({ name: "own", doc: "Returns the program.", run: (given) => given });
  const [one, two] = await Promise.all([
    sconce.transformAsync(program, "decompose,cse"),
    sconce.transformAsync(program, [own]),
  ]);
  expect(String(one)).toBe(String(sconce.transform(program, "decompose,cse")));
  expect(two).toBe(program);
});

test("a custom pass may run in pieces", async () => {
  const pieces: string[] = [];
  const pass = definePass({
    name: "slow",
    doc: "Yields.",
    run: (given) => given,
    *steps(given) {
      pieces.push("a");
      yield;
      pieces.push("b");
      return given;
    },
  });
  expect(await sconce.transformAsync(program, [pass])).toBe(program);
  expect(sconce.transform(program, [pass])).toBe(program);
  expect(pieces).toEqual(["a", "b", "a", "b"]);
});

test("compile and run stop, and name an error of onProgress as the user's", async () => {
  const lowered = sconce.parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[2]) { %y: f32[2] = aten.relu.default(%x) return (%y) }`);
  const signal = AbortSignal.abort("no");
  await expect(sconce.compile(lowered, "cpu", { signal })).rejects.toMatchObject({
    code: "ABORTED",
    message: "the compilation was canceled",
    cause: "no",
  });
  const executable = await sconce.compile(lowered);
  const onProgress = (): void => {
    throw new Error("mine");
  };
  await expect(executable.run([Tensor.empty([2], "float32")], { onProgress })).rejects.toMatchObject({
    code: "OBSERVER_FAILED",
    message: "the onProgress that was given to run threw: mine",
  });
});
