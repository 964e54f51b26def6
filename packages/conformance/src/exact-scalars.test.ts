/** @file Integers that programs read out of tensors and compute with are exact at any size. */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
const BACKENDS = ["cpu", "wasm", "gpujs:cpu"];
const int64 = (...values: readonly bigint[]): Tensor => Tensor.from(values, [values.length], "int64");
const scalar = (value: bigint): Tensor => Tensor.from([value], [], "int64");

const ARITHMETIC = session.parseIr(`sconce-ir 1
program "TRAINING" {
  input %a: USER_INPUT
  input %x: USER_INPUT
  output symint %n: USER_OUTPUT
  output symint %next: USER_OUTPUT
  output symint %digit: USER_OUTPUT
  output %filled: USER_OUTPUT
  output %sum: USER_OUTPUT
  output %greater: USER_OUTPUT
  output %shifted: USER_OUTPUT
}
graph(%a: i64[], %x: i64[2]) {
  %n: int(u0) = aten.item.default(%a)
  %next: int(u0 + 3) = operator.add(%n, 3)
  %digit: int(PythonMod(u0, 10)) = operator.mod(%n, 10)
  %square: int(u0*u0) = operator.mul(%n, %n)
  %rest: int(PythonMod(u0*u0, 7)) = operator.mod(%square, 7)
  %filled: i64[1] = aten.full.default([1], %next, dtype=int64)
  %sum: i64[2] = aten.add.Tensor(%x, %n)
  %greater: b8[2] = aten.gt.Scalar(%x, %n)
  %shifted: i64[2] = aten.add.Tensor(%x, %rest)
  return (%n, %next, %digit, %filled, %sum, %greater, %shifted)
}`);
const modulo = (a: bigint, b: bigint): bigint => ((a % b) + b) % b;

test.each([
  5n,
  2n ** 33n + 1n,
  2n ** 52n + 1n,
  2n ** 53n - 2n,
  2n ** 53n + 1n,
  -(2n ** 53n) - 1n,
  2n ** 60n + 1n,
  2n ** 62n + 1n,
])("%d is exact in expressions, fills and pointwise calls", async (value) => {
  const x = [1n, 2n ** 53n + 1n];
  for (const backend of BACKENDS) {
    using executable = await session.compile(ARITHMETIC, backend);
    const results = await executable.run([scalar(value), int64(...x)]);
    const got = results.map((one) =>
      one instanceof Tensor ? one.toArray() : BigInt(one as number | bigint),
    );
    const rest = modulo(value * value, 7n);
    expect(got, backend).toEqual([
      value,
      value + 3n,
      modulo(value, 10n),
      [value + 3n],
      x.map((one) => one + value),
      x.map((one) => one > value),
      x.map((one) => one + rest),
    ]);
  }
});

const PRODUCT = session.parseIr(`sconce-ir 1
program "TRAINING" {
  input %a: USER_INPUT
  input %b: USER_INPUT
  output %y: USER_OUTPUT
}
graph(%a: i64[], %b: i64[]) {
  %n: int(u0) = aten.item.default(%a)
  %m: int(u1) = aten.item.default(%b)
  %nm: int(u0*u1) = operator.mul(%n, %m)
  %y: i64[2] = aten.full.default([2], %nm, dtype=int64)
  return (%y)
}`);

test.each([
  [2n ** 32n, 2n ** 32n],
  [-(2n ** 32n), 2n ** 32n],
  [2n ** 40n, 2n ** 40n],
  [3n * 2n ** 40n, 2n ** 24n],
  [2n ** 32n, 2n ** 31n],
])("%d * %d, which int64 does not hold, is refused", async (a, b) => {
  for (const backend of BACKENDS) {
    using executable = await session.compile(PRODUCT, backend);
    await expect(executable.run([scalar(a), scalar(b)]), backend).rejects.toThrow(
      "value cannot be converted to type int64_t without overflow",
    );
    const [result] = await executable.run([scalar(-a), scalar(1n)]);
    expect((result as Tensor).toArray(), backend).toEqual([-a, -a]);
  }
});

/** Runs one call on a 3x3 matrix of 1 to 9, which is doubled before, as it is and lowered. */
async function onMatrix(call: string, backend: string): Promise<readonly unknown[]> {
  const program = session.parseIr(`sconce-ir 1
program "TRAINING" {
  input %x: USER_INPUT
  output %r: USER_OUTPUT
}
graph(%x: f32[3, 3]) {
  %m: f32[3, 3] = aten.mul.Tensor(%x, 2)
  %r = ${call}
  return (%r,)
}`);
  const x = Tensor.from([1, 2, 3, 4, 5, 6, 7, 8, 9], [3, 3], "float32");
  const results: unknown[] = [];
  for (const one of [program, session.runDecompositions(program)]) {
    using executable = await session.compile(one, backend);
    results.push(((await executable.run([x])) as [Tensor])[0].toArray());
  }
  return results;
}

test.each(BACKENDS)("%s knows triangles with diagonals at the ends of int64", async (backend) => {
  const all = [2, 4, 6, 8, 10, 12, 14, 16, 18];
  const none = new Array<number>(9).fill(0);
  for (const most of ["9223372036854775807", "9223372036854775806", "9007199254740993"]) {
    expect(await onMatrix(`aten.tril.default(%m, ${most})`, backend)).toEqual([all, all]);
    expect(await onMatrix(`aten.triu.default(%m, ${most})`, backend)).toEqual([none, none]);
  }
  for (const least of ["-9223372036854775808", "-9223372036854775807", "-9007199254740993"]) {
    expect(await onMatrix(`aten.tril.default(%m, ${least})`, backend)).toEqual([none, none]);
    expect(await onMatrix(`aten.triu.default(%m, ${least})`, backend)).toEqual([all, all]);
  }
});

test.each(["9223372036854775807", "9007199254740993", "-9007199254740993"])(
  "a rotation by %s quarters is refused, whose rest no number holds",
  async (quarters) => {
    const call = `aten.rot90.default(%m, ${quarters})`;
    await expect(onMatrix(call, "cpu")).rejects.toMatchObject({ code: "INVALID_ARGUMENT" });
  },
);

test.each(BACKENDS)("%s writes rows at an index of data that lies in the tensor", async (backend) => {
  for (const range of ["[-inf, inf]", "[0, inf]", "[0, 2]"]) {
    const program = session.parseIr(`sconce-ir 1
program "TRAINING" {
  input %a: USER_INPUT
  input %b: USER_INPUT
  output %r: USER_OUTPUT
  range "u0" ${range}
}
graph(%a: f32[3, 2], %b: i64[]) {
  %item: int(u0) = aten.item.default(%b)
  %row: f32[2] = aten.select.int(%a, 0, 1)
  %m: f32[2] = aten.mul.Tensor(%row, 10)
  %r: f32[3, 2] = aten.select_scatter.default(%a, %m, 0, %item)
  return (%r,)
}`);
    for (const one of [program, session.runDecompositions(program)]) {
      using executable = await session.compile(one, backend);
      const run = async (index: bigint): Promise<unknown> => {
        const a = Tensor.from([1, 2, 3, 4, 5, 6], [3, 2], "float32");
        return executable.run([a, scalar(index)]).then(([r]) => (r as Tensor).toArray());
      };
      expect(await run(2n)).toEqual([1, 2, 3, 4, 30, 40]);
      for (const index of [3n, 5n, -4n, 2n ** 62n, -(2n ** 63n)]) {
        // PyTorch's decomposition writes no row at an index of known sign that is too large.
        if (one !== program && range === "[0, inf]" && index > 0n)
          expect(await run(index), `${range} ${index}`).toEqual([1, 2, 3, 4, 5, 6]);
        else await expect(run(index), `${range} ${index}`).rejects.toHaveProperty("code");
      }
    }
  }
});
