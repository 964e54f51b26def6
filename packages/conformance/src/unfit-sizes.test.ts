/**
 * @file Sizes at run time that calls do not take, on all backends, beside a program whose weight
 * must not change.
 */
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { isSconceError } from "@sconce/errors";
import type { Executable, ExportedProgram, Value } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

const BACKENDS = ["wasm1", "wasm2", "gpujs"];
const session = createSconce({
  backends: [
    wasmBackend({ name: "wasm1", threads: 1 }),
    wasmBackend({ name: "wasm2", threads: 2 }),
    gpujsBackend({ name: "gpujs", mode: "cpu" }),
  ],
});

/**
 * A program of one vector of symbolic size, the size `%n` and a calls' text, with shapes computed.
 */
function programOf(calls: string, inputs = "%x: f32[s0]", outputs = ["y"]): ExportedProgram {
  const names = [...inputs.matchAll(/%(\w+):/g)].map(([, name]) => name!);
  return session.transform(
    session.parseIr(`sconce-ir 1
program "TRAINING" {
${names.map((name) => `  input %${name}: USER_INPUT`).join("\n")}
${outputs.map((name) => `  output %${name}: USER_OUTPUT`).join("\n")}
}
graph(${inputs}) {
  %n = aten.sym_size.int(%x, 0)
${calls}
  return (${outputs.map((name) => `%${name}`).join(", ")},)
}`),
    "propagate-shapes",
  );
}
const wave = (shape: readonly number[], from = 1): Tensor =>
  Tensor.from(
    Array.from({ length: shape.reduce((a, b) => a * b, 1) }, (_, i) => i + from),
    shape,
    "float32",
  );

/** What a run gives: values, or the code of an error. */
async function outcome(executable: Executable, inputs: readonly Value[]): Promise<unknown> {
  try {
    const results = await executable.run(inputs);
    return results.map((one) => (one instanceof Tensor ? { shape: one.shape, values: one.toArray() } : one));
  } catch (error) {
    if (!isSconceError(error)) throw error;
    // The memory of a session is looked at first: sizes beyond 2^53 are refused there.
    return error.code === "OUT_OF_MEMORY" ? { isTooLarge: true } : { code: error.code, where: error.where };
  }
}

/** The weight of the program that must not change, and its value. */
const SECRET = 123_456;
const guarded = session.parseIr(
  `sconce-ir 1
program "ATEN" { parameter "w": f32[4096]
  input %w: PARAMETER "w" input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%w: f32[4096], %x: f32[4096]) {
  %y: f32[4096] = aten.mul.Tensor(%w, %x)
  return (%y,)
}`,
  { tensors: new Map([["w", Tensor.fromData(new Float32Array(4096).fill(SECRET), "float32")]]) },
);
const ones = Tensor.fromData(new Float32Array(4096).fill(1), "float32");
const guards = new Map<string, Executable>();
beforeAll(async () => {
  for (const name of BACKENDS) {
    const guard = await session.compile(guarded, name);
    await guard.run([ones]);
    guards.set(name, guard);
  }
});
afterAll(() => {
  for (const guard of guards.values()) guard.dispose();
});

async function expectAsInterpreter(
  program: ExportedProgram,
  runs: readonly (readonly Value[])[],
): Promise<void> {
  const reference = await session.compile(program, "cpu");
  const wanted: unknown[] = [];
  for (const inputs of runs) wanted.push(await outcome(reference, inputs));
  for (const name of BACKENDS) {
    const executable = await session.compile(program, name);
    for (const [at, inputs] of runs.entries())
      expect(await outcome(executable, inputs), `${name}, run ${at}`).toEqual(wanted[at]);
    executable.dispose();
    const [kept] = (await guards.get(name)!.run([ones])) as [Tensor];
    expect(new Set(kept.toFloat64Array()), `${name}: the other program`).toEqual(new Set([SECRET]));
  }
}

/** Calls, and the sizes of `x` with which they run. */
const VECTORS: Readonly<Record<string, readonly [string, readonly number[]]>> = {
  "a view of fixed sizes": [
    "%z = aten.view.default(%x, [4, 2])\n%y = aten.add.Tensor(%z, 0)",
    [8, 4, 6, 0, 100],
  ],
  "a view of computed sizes": [
    "%m = operator.floordiv(%n, 3)\n%z = aten.view.default(%x, [%m, 3])\n%y = aten.neg.default(%z)",
    [6, 7, 2, 300, 301],
  ],
  "an expansion": ["%z = aten.expand.default(%x, [3, 5])\n%y = aten.add.Tensor(%z, 1)", [5, 1, 3, 0, 2, 70]],
  "a size that may be negative": [
    "%m = operator.sub(%n, 10)\n%y = aten.full.default([%m], 3.0)",
    [12, 11, 10, 9, 1, 0],
  ],
  "a negative size beside a constant": [
    "%m = operator.sub(%n, 10)\n%a = aten.full.default([%m], 3.0)\n%b = aten.full.default([100], 7.0)\n%y = aten.cat.default([%a, %b], 0)",
    [12, 9, 1, 2],
  ],
  "a huge size": ["%m = operator.mul(%n, 2147483648)\n%y = aten.full.default([%m], 1.0)", [0, 4, 1024]],
  "sizes that are too large": [
    "%m = operator.mul(%n, 1125899906842624)\n%y = aten.full.default([%m], 1.0)",
    [0, 2, 3],
  ],
  "sizes whose product overflows": [
    "%m = operator.mul(%n, 4294967296)\n%a = aten.expand.default(%x, [%m, %m, 4])\n%y = aten.sum.default(%a)",
    [2, 3],
  ],
  "parts of fixed sizes": [
    "%t = aten.split_with_sizes.default(%x, [3, 5], 0)\n%a = operator.getitem(%t, 0)\n%b = operator.getitem(%t, 1)\n%s = aten.sum.default(%a)\n%y = aten.add.Tensor(%b, %s)",
    [8, 4, 9, 0, 80],
  ],
  "a slice with a symbolic start": [
    "%m = operator.sub(%n, 5)\n%z = aten.slice.Tensor(%x, 0, %m)\n%y = aten.neg.default(%z)",
    [8, 5, 4, 3, 1, 100],
  ],
  "a slice with a negative symbolic start": [
    "%h = operator.floordiv(%n, 2)\n%m = operator.neg(%h)\n%z = aten.slice.Tensor(%x, 0, %m)\n%y = aten.neg.default(%z)",
    [8, 5, 4, 100],
  ],
  "a slice with a symbolic end": [
    "%m = operator.sub(%n, 5)\n%z = aten.slice.Tensor(%x, 0, 0, %m)\n%y = aten.neg.default(%z)",
    [8, 5, 4, 3, 100],
  ],
  "the last elements": ["%z = aten.slice.Tensor(%x, 0, -3)\n%y = aten.neg.default(%z)", [8, 3, 2, 1, 0]],
  "an index that the input does not have": [
    "%z = aten.select.int(%x, 0, 4)\n%y = aten.mul.Tensor(%z, 2)",
    [8, 5, 4, 1, 0],
  ],
  "a selected index that is computed": [
    "%m = operator.sub(%n, 5)\n%z = aten.select.int(%x, 0, %m)\n%y = aten.mul.Tensor(%z, 2)",
    [8, 5, 4, 2, 1],
  ],
  "padding that cuts": [
    "%m = operator.sub(4, %n)\n%y = aten.constant_pad_nd.default(%x, [%m, 1], 9.0)",
    [2, 4, 6, 7, 9, 40],
  ],
  "a window": ["%z = aten.unfold.default(%x, 0, 4, 2)\n%y = aten.neg.default(%z)", [8, 4, 3, 1, 0, 99]],
  "a diagonal of a view": [
    "%m = operator.floordiv(%n, 3)\n%z = aten.view.default(%x, [%m, 3])\n%d = aten.diagonal.default(%z, 1)\n%y = aten.neg.default(%d)",
    [9, 3, 8, 60],
  ],
  "a diagonal at a computed place": [
    "%k = operator.floordiv(%n, 3)\n%z = aten.view.default(%x, [%k, 3])\n%m = operator.sub(%k, 2)\n%d = aten.diagonal.default(%z, %m)\n%y = aten.neg.default(%d)",
    [6, 9, 3, 12, 15, 30],
  ],
  "a repetition": ["%m = operator.sub(%n, 3)\n%y = aten.repeat.default(%x, [%m])", [4, 3, 2, 9]],
  "a rotation": ["%m = operator.sub(3, %n)\n%y = aten.roll.default(%x, [%m], [0])", [4, 3, 2, 9, 1]],
  "a range": ["%m = operator.sub(%n, 5)\n%y = aten.arange.start(%m, %n)", [4, 5, 9, 1]],
  "integers beyond 32 bits": [
    "%m = operator.mul(%n, 1000000000)\n%a = aten.full.default([%n], 1)\n%b = aten.mul.Tensor(%a, %m)\n%y = aten.add.Tensor(%b, %m)",
    [1, 2, 3, 9],
  ],
  "a remainder of a size by itself": [
    "%m = operator.mod(%n, %n)\n%k = operator.add(%m, 2)\n%y = aten.full.default([%k], 1.0)",
    [3, 1, 0],
  ],
  "a division that cancels": [
    "%m = operator.mul(%n, 3)\n%k = operator.floordiv(%m, %n)\n%y = aten.full.default([%k], 1.0)",
    [3, 1, 0],
  ],
  "a place in a range beyond 32 bits": [
    "%m = operator.mul(%n, 3000000000)\n%e = operator.add(%m, %n)\n%y = aten.arange.start(%m, %e)",
    [1, 3, 9],
  ],
};

describe.each(Object.entries(VECTORS))("%s", (_, [calls, sizes]) => {
  test("is as on the interpreter at all sizes", { timeout: 60_000 }, async () => {
    await expectAsInterpreter(
      programOf(calls),
      sizes.map((size) => [wave([size])]),
    );
  });
});

/** Calls on two vectors or a matrix. */
const SEVERAL: Readonly<
  Record<string, readonly [string, string, readonly (readonly (readonly number[])[])[]]>
> = {
  "a sum of two sizes": [
    "%x: f32[s0], %z: f32[s1]",
    "%y = aten.add.Tensor(%x, %z)",
    [
      [[4], [4]],
      [[4], [1]],
      [[1], [4]],
      [[4], [5]],
      [[0], [4]],
      [[0], [1]],
    ],
  ],
  "a copy": [
    "%x: f32[s0], %z: f32[s1]",
    "%y = aten.copy.default(%x, %z)",
    [
      [[4], [4]],
      [[4], [1]],
      [[1], [4]],
      [[4], [5]],
      [[5], [4]],
    ],
  ],
  "an expansion to the size of another": [
    "%x: f32[s0], %z: f32[s1]",
    "%m = aten.sym_size.int(%z, 0)\n%a = aten.expand.default(%x, [%m])\n%y = aten.neg.default(%a)",
    [
      [[4], [4]],
      [[1], [5]],
      [[4], [5]],
      [[5], [4]],
      [[0], [4]],
    ],
  ],
  "a view with the size of another": [
    "%x: f32[s0], %z: f32[s1]",
    "%m = aten.sym_size.int(%z, 0)\n%a = aten.view.default(%x, [%m, 2])\n%y = aten.neg.default(%a)",
    [
      [[8], [4]],
      [[8], [3]],
      [[4], [70]],
      [[8], [0]],
    ],
  ],
  "a slice that is overwritten": [
    "%x: f32[s0], %z: f32[s1]",
    "%m = operator.sub(%n, 5)\n%y = aten.slice_scatter.default(%x, %z, 0, %m)",
    [
      [[8], [5]],
      [[8], [4]],
      [[4], [1]],
      [[5], [5]],
      [[3], [2]],
      [[4], [4]],
    ],
  ],
  "an element that is overwritten": [
    "%x: f32[s0], %z: f32[]",
    "%m = operator.sub(%n, 5)\n%y = aten.select_scatter.default(%x, %z, 0, %m)",
    [
      [[8], []],
      [[5], []],
      [[4], []],
      [[3], []],
      [[2], []],
    ],
  ],
  "a product": [
    "%x: f32[s0, s1], %z: f32[s2, s3]",
    "%y = aten.mm.default(%x, %z)",
    [
      [
        [4, 3],
        [3, 5],
      ],
      [
        [4, 3],
        [4, 5],
      ],
      [
        [1, 2],
        [70, 1],
      ],
      [
        [0, 3],
        [3, 2],
      ],
      [
        [2, 0],
        [0, 2],
      ],
    ],
  ],
};

describe.each(Object.entries(SEVERAL))("%s", (_, [inputs, calls, runs]) => {
  test("is as on the interpreter at all sizes", { timeout: 60_000 }, async () => {
    await expectAsInterpreter(
      programOf(calls, inputs),
      runs.map((shapes) => shapes.map((shape, i) => wave(shape, 1 + i * 100))),
    );
  });
});

test("inputs whose strides have no such view are refused", { timeout: 60_000 }, async () => {
  const turned = wave([4, 6]).withLayout([1, 4], 0);
  const whole = wave([4, 6]);
  for (const shape of ["[4, 6]", "[s0, s1]"])
    for (const calls of [
      "%z = aten.view.default(%x, [24])\n%y = aten.neg.default(%z)",
      "%a = aten.mul.Tensor(%x, 2)\n%z = aten.view.default(%a, [24])\n%y = aten.neg.default(%z)",
      "%z = aten.reshape.default(%x, [24])\n%y = aten.neg.default(%z)",
    ])
      await expectAsInterpreter(programOf(calls, `%x: f32${shape}`), [[whole], [turned], [whole]]);
});
