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
