import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type LongWorkOptions, PAUSE_MS, type Progress, type WorkPhase } from "@sconce/errors";
import { readPt2 } from "@sconce/formats";
import { openPt2File } from "@sconce/formats/node";
import { type Backend, type CompileOptions, type Executable, edit } from "@sconce/ir";
import { definePass } from "@sconce/passes";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test, vi } from "vitest";
import { loadBackend } from "./backends.js";
import { createSconce, Sconce } from "./index.js";

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
const FILE = fileURLToPath(new URL("../../testing/fixtures/programs/net_mlp/program.pt2", import.meta.url));
const bytes = readFileSync(FILE);

/** Runs work on a clock that asks for a pause after each piece, however fast the machine is. */
function withPauses<T>(work: () => Promise<T>): Promise<T> {
  let now = performance.now();
  const clock = vi.spyOn(performance, "now").mockImplementation(() => (now += 2 * PAUSE_MS));
  return work().finally(() => clock.mockRestore());
}

/** How often a timer ran while some work went on, with all its pauses. */
async function ticksDuring(work: () => Promise<unknown>): Promise<number> {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  await withPauses(work).finally(() => clearInterval(timer));
  return ticks;
}

const lowered = sconce.parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %b: USER_OUTPUT
  call "" ((*), {}) -> (*) names ["x"] }
graph(%x: f32[4]) {
  %a: f32[4] = aten.relu.default(%x)
  %b: f32[4] = aten.exp.default(%a)
  return (%b)
}`);
const x = Tensor.from([0.5, -1, 2, -2]);
const gpujs = await loadBackend("gpujs:cpu");
const executable = await sconce.compile(lowered);
const onDevice = await sconce.compile(lowered, gpujs);
const module = await sconce.module(lowered);
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
/** A backend that reports nothing, or more than there is. */
const backendThat = (report: (options: CompileOptions) => void): Backend => ({
  ...sconce.backend("cpu"),
  name: "mine",
  compile: (given, options = {}) => {
    report(options);
    return sconce.backend("cpu").compile(given);
  },
});
const silent = backendThat(() => {});
const boasting = backendThat(({ onProgress }) => {
  for (const done of [1, 3, 2, 9]) onProgress?.({ phase: "run", done, total: 4, item: "part" });
});

/**
 * Every entry point of long work: the phase of its progress, the name that errors give it, and how
 * it is called.
 */
const WORK: readonly (readonly [
  call: string,
  phase: WorkPhase,
  named: string,
  work: (options: LongWorkOptions) => Promise<unknown>,
])[] = [
  ["load", "load", "load", (options) => sconce.load(bytes, options)],
  ["readPt2", "load", "load", (options) => readPt2(bytes, options)],
  ["openPt2File", "load", "load", (options) => openPt2File(FILE, options)],
  [
    "transformAsync",
    "transform",
    "transformAsync",
    (options) => sconce.transformAsync(program, PIPELINE, options),
  ],
  [
    "runDecompositionsAsync",
    "transform",
    "runDecompositionsAsync",
    (options) => sconce.runDecompositionsAsync(program, undefined, options),
  ],
  ["bisectAsync", "bisect", "bisectAsync", (options) => sconce.bisectAsync(lowered, [wrong], options)],
  ["compile on cpu", "compile", "compile", (options) => sconce.compile(lowered, "cpu", options)],
  ["compile on gpujs", "compile", "compile", (options) => sconce.compile(lowered, gpujs, options)],
  ["compile, not reported", "compile", "compile", (options) => sconce.compile(lowered, silent, options)],
  [
    "compile, wrongly reported",
    "compile",
    "compile",
    (options) => sconce.compile(lowered, boasting, options),
  ],
  ["module", "compile", "compile", (options) => sconce.module(lowered, options)],
  ["run on cpu", "run", "run", (options) => executable.run([x], options)],
  ["run on gpujs", "run", "run", (options) => onDevice.run([x], options)],
  ["call", "run", "run", (options) => module.call([x], {}, options)],
  ["callFlat", "run", "run", (options) => module.callFlat([x], {}, options)],
  ["firstNonfinite", "run", "firstNonfinite", (options) => sconce.firstNonfinite(lowered, [x], options)],
  [
    "compareBackends",
    "compare",
    "compareBackends",
    (options) => sconce.compareBackends(lowered, [x], ["cpu", gpujs], options),
  ],
];

test("numbers that are none do not get into progress", async () => {
  const seen: unknown[] = [];
  const broken = backendThat(({ onProgress }) => {
    onProgress?.({ phase: "run", done: Number.NaN, total: Number.POSITIVE_INFINITY, item: "a" });
    onProgress?.({ phase: "run", done: -3, total: -1, item: "b" });
  });
  await sconce.compile(lowered, broken, { onProgress: ({ done, total }) => seen.push([done, total]) });
  expect(seen).toEqual([
    [0, 1],
    [0, 1],
    [1, 1],
  ]);
});

test("what an onProgress of bisect throws does not fail a pass", () => {
  const onProgress = (): void => {
    throw new Error("mine");
  };
  const refused = { code: "OBSERVER_FAILED", message: expect.stringContaining("given to bisect threw") };
  expect(() => sconce.bisect(lowered, [wrong], { onProgress })).toThrow(expect.objectContaining(refused));
});

describe("a backend of a plugin whose signal is raised", () => {
  const reason = new Error("enough");
  const canceled = { code: "ABORTED", cause: reason };

  test("throws the reason of the signal from compile", async () => {
    const stop = new AbortController();
    const strict = backendThat(({ signal }) => {
      stop.abort(reason);
      signal?.throwIfAborted();
    });
    await expect(sconce.compile(lowered, strict, { signal: stop.signal })).rejects.toMatchObject(canceled);
  });

  test("breaks when what it compiled is disposed of", async () => {
    const stop = new AbortController();
    const inner = backendThat(() => stop.abort(reason));
    const broken: Backend = {
      ...inner,
      async compile(given, options) {
        const { run, state } = await inner.compile(given, options);
        const dispose = (): void => {
          throw new TypeError("dispose");
        };
        return { run, state, dispose, [Symbol.dispose]: dispose };
      },
    };
    await expect(sconce.compile(lowered, broken, { signal: stop.signal })).rejects.toMatchObject(canceled);
  });

  test("gives the results of a run all the same", async () => {
    const stop = new AbortController();
    const deaf: Backend = {
      ...sconce.backend("cpu"),
      name: "deaf",
      async compile(given) {
        const inner = await sconce.backend("cpu").compile(given);
        const run: Executable["run"] = async (inputs) => {
          const outputs = await inner.run(inputs);
          stop.abort(reason);
          return outputs;
        };
        return { run, state: inner.state, dispose: () => {}, [Symbol.dispose]: () => {} };
      },
    };
    const running = (await sconce.compile(lowered, deaf)).run([x], { signal: stop.signal });
    await expect(running).rejects.toMatchObject(canceled);
  });

  test("has the signal of a comparison", async () => {
    const stop = new AbortController();
    const strict = backendThat(({ signal }) => {
      stop.abort(reason);
      signal?.throwIfAborted();
    });
    const compared = sconce.compareBackends(lowered, [x], ["cpu", strict], { signal: stop.signal });
    await expect(compared).rejects.toMatchObject({ ...canceled, message: "the compilation was canceled" });
  });
});

describe.each(WORK)("%s", (_, phase, named, work) => {
  test("reports progress from 0 to the total, which never decreases", async () => {
    const seen: Progress[] = [];
    await work({ onProgress: (progress) => seen.push(progress) });
    expect(seen.length).toBeGreaterThan(1);
    const { total } = seen[0]!;
    expect(seen[0]!.done).toBe(0);
    expect(seen.at(-1)).toEqual({ phase, done: total, total, item: "" });
    for (const [i, one] of seen.entries()) {
      expect(Object.keys(one)).toEqual(["phase", "done", "total", "item"]);
      expect(one).toMatchObject({ phase, total });
      expect(one.done).toBeGreaterThanOrEqual(seen[i - 1]?.done ?? 0);
    }
    expect(seen.slice(0, -1).every(({ item }) => item !== "")).toBe(true);
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
      message: `the onProgress that was given to ${named} threw: mine`,
      cause: { message: "mine" },
    });
  });

  test("refuses options that are misspelled", async () => {
    const misspelled = async (): Promise<unknown> => work({ onprogress: () => {} } as never);
    await expect(misspelled()).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
      fix: expect.stringContaining("onProgress"),
    });
  });
});

test("every asynchronous method of a session is in the table, or takes no long work", () => {
  const calls = new Set(WORK.map(([call]) => call.split(/[ ,]/)[0]));
  const names = Object.getOwnPropertyNames(Sconce.prototype).filter((name) =>
    /Async$|^(load|compile)/.test(name),
  );
  expect(names.filter((name) => !calls.has(name))).toEqual([]);
});

test("bisectAsync finds what bisect finds", async () => {
  const { culprit } = await sconce.bisectAsync(lowered, [wrong]);
  expect(culprit?.pass).toBe("wrong");
  expect(culprit?.reproducer.program.graph.size).toBe(
    sconce.bisect(lowered, [wrong]).culprit?.reproducer.program.graph.size,
  );
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
  const work = withPauses(() => sconce.transformAsync(program, "decompose", { signal: abort.signal }));
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

test("timers run while a large program is compiled", async () => {
  const nodes = Array.from(
    { length: 2500 },
    (_, i) => `%n${i} = aten.relu.default(%${i === 0 ? "x" : `n${i - 1}`})`,
  );
  const large = sconce.parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %n2499: USER_OUTPUT }
graph(%x: f32[4]) { ${nodes.join("\n")} return (%n2499) }`);
  expect(await ticksDuring(() => sconce.compile(large))).toBeGreaterThan(1);
});
