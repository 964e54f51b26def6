import { checkOptions, type OptionNames } from "@sconce/errors";
import type { Backend, Value } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { runDecompositions, sampleInputs } from "@sconce/passes";
import { Tensor } from "@sconce/tensor";
import { tensorDifference } from "@sconce/tensor/compare";
import { describe, expect, test } from "vitest";
import { sampleProgram } from "../generator/sample-program.js";

import { meaningDifference } from "../matchers/meaning.js";
import { type BackendSuite, describeBackends, refusalOf, unsupportedNodes } from "./describe.js";
import * as programs from "./spec-programs.js";

const { floats } = programs;

export interface BackendSpecOptions {
  /** How many random programs to compare with the interpreter; 30 when left out. */
  readonly programs?: number | undefined;
}

const SPEC: OptionNames<BackendSpecOptions> = { programs: true };

/**
 * The suite that every backend has to pass: the contract of `Backend` and `Executable`, and the
 * interpreter's numbers on random programs. Programs with nodes that the backend says it does not
 * run are reported as skipped, with its reasons.
 */
export function backendSpec(backend: Backend, options: BackendSpecOptions = {}): void {
  checkOptions("backendSpec", options, SPEC);
  describeBackends([backend], (suite) => {
    describe("results", () => results(suite));
    describe("state", () => state(suite));
    describe("refusals", () => refusals(suite));
    describe("random programs give what the interpreter gives", () => random(suite, options.programs ?? 30));
  });
}

function close(got: Value | undefined, want: Tensor): void {
  expect(got).toBeInstanceOf(Tensor);
  expect(tensorDifference(got as Tensor, want)).toBeUndefined();
}

function results({ testProgram }: BackendSuite): void {
  testProgram(
    "outputs come in order, inputs and constants among them",
    programs.outputs,
    async (executable) => {
      const x = floats([-1, 2, 3, -4], [2, 2]);
      const got = await executable.run([x, floats([10, 20], [2])]);
      close(got[0], floats([10, 22, 13, 20], [2, 2]));
      close(got[1], x);
      expect(got.slice(2)).toEqual([3]);
    },
  );
  testProgram("inputs may have any strides and offset", programs.product, async (executable) => {
    const storage = floats([9, 1, 3, 5, 2, 4, 6], [7]);
    const [got] = await executable.run([storage.asStrided([3, 2], [1, 3], 1)]);
    close(got, floats([7, 10, 15, 22, 23, 34], [3, 2]));
  });
  testProgram("operators with several results", programs.several, async (executable) => {
    const [values, indices] = await executable.run([floats([1, 5, 2, 7, 0, 7], [2, 3])]);
    close(values, floats([5, 7], [2]));
    close(indices, Tensor.from([1n, 0n], [2], "int64"));
  });
  testProgram("symbolic sizes, one run after another", programs.dynamic, async (executable) => {
    for (const rows of [2, 5, 3]) {
      const x = floats(new Array(rows * 2).fill(rows), [rows, 2]);
      close((await executable.run([x]))[0], floats(new Array(rows * 4).fill(rows), [2 * rows, 2]));
    }
  });
  testProgram("tensors without dimensions and without elements", programs.odd, async (executable) => {
    const [sum, nothing] = await executable.run([floats([1], []), floats([], [0, 3])]);
    close(sum, floats([2], []));
    close(nothing, floats([], [0, 3]));
  });
}

function state({ backend, testProgram }: BackendSuite): void {
  const one = floats([1], [1]);
  testProgram(
    "a buffer carries over to the next run, and the program stays as it was",
    programs.counter,
    async (executable, program) => {
      close((await executable.run([one]))[0], floats([2], [1]));
      close((await executable.run([one]))[0], floats([4], [1]));
      close(executable.state.get("count"), floats([2], [1]));
      close(program.tensor("count"), floats([0], [1]));
    },
  );
  testProgram(
    "executables of one program have their own states",
    programs.counter,
    async (executable, program) => {
      await executable.run([one]);
      using other = await backend.compile(program);
      close((await other.run([one]))[0], floats([2], [1]));
    },
  );
  testProgram(
    "all new values are read before the first is written",
    programs.exchange,
    async (executable) => {
      await executable.run([one]);
      close(executable.state.get("a"), floats([2], [1]));
      close(executable.state.get("b"), floats([1], [1]));
    },
  );
  testProgram("a mutated input is written to", programs.writesInput, async (executable) => {
    const x = floats([1, 2], [2]);
    close((await executable.run([x]))[0], floats([-2, -4], [2]));
    close(x, floats([2, 4], [2]));
  });
  testProgram("other inputs and weights are not", programs.product, async (executable, program) => {
    const x = floats([1, 2, 3, 4, 5, 6], [3, 2]);
    await executable.run([x]);
    close(x, floats([1, 2, 3, 4, 5, 6], [3, 2]));
    close(program.tensor("w"), floats([1, 2, 3, 4], [2, 2]));
  });
}

function refusals({ backend, testProgram }: BackendSuite): void {
  testProgram("inputs of the wrong number, kind, size and dtype", programs.outputs, async (executable) => {
    const [x, y] = [floats([1, 2, 3, 4], [2, 2]), floats([1, 2], [2])];
    expect(await refusalOf(() => executable.run([x]))).toBe("INPUT_COUNT");
    expect(await refusalOf(() => executable.run([x, 3]))).toBe("INPUT_TYPE");
    expect(await refusalOf(() => executable.run([x, floats([1], [1])]))).toBe("INPUT_MISMATCH");
    expect(await refusalOf(() => executable.run([x, Tensor.empty([2], "int64")]))).toBe("INPUT_DTYPE");
    expect(await refusalOf(() => executable.run([x, y]))).toBeUndefined();
  });
  testProgram("a run that is stopped before it begins", programs.outputs, async (executable) => {
    const inputs = [floats([1, 2, 3, 4], [2, 2]), floats([1, 2], [2])];
    await expect(executable.run(inputs, { signal: AbortSignal.abort() })).rejects.toThrow();
  });
  test("an operator that is excluded, by name", async () => {
    const excluded = backend.compile(programs.product, { exclude: ["aten.mm.default"] });
    await expect(excluded).rejects.toThrow("aten.mm.default");
  });
  test("an operator that nothing knows, with a reason", () => {
    const unknown = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[1]) { %y: f32[1] = nobody.knows.default(%x) return (%y) }`);
    const [node] = unsupportedNodes(backend, unknown);
    expect(node).toMatchObject({ node: "y", target: "nobody.knows.default" });
    expect(node!.reason).not.toBe("");
  });
}

function random({ backend, testProgram }: BackendSuite, count: number): void {
  for (let seed = 0; seed < count; seed++) {
    // Backends consume lowered programs.
    const program = runDecompositions(sampleProgram(seed, { mutations: true }));
    testProgram(`seed ${seed}`, program, async () => {
      const inputs = sampleInputs(program, { count: 2, seed });
      expect(
        await meaningDifference(program, { of: program, inputs, backend, rtol: 1e-3, atol: 1e-3 }),
      ).toBeUndefined();
    });
  }
}
