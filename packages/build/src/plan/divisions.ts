/** @file Kernels that stop where integers are divided by zero. */
import { forEachScalar, type Scalar } from "@sconce/codegen";
import type { CompiledPlan } from "@sconce/device-runtime";
import { isIntegralDType } from "@sconce/tensor";

const DIVISIONS: ReadonlySet<string> = new Set(["floor_div", "trunc_div", "remainder", "fmod"]);

/** Returns whether kernels of a plan divide integers, and the divisors may be zero. */
export const dividesIntegers = ({ steps }: CompiledPlan): boolean =>
  steps.some(({ region }) =>
    (region?.request?.loops.nests ?? []).some(({ value }) => {
      let divides = false;
      forEachScalar(value, (scalar) => {
        divides ||= isDivision(scalar);
      });
      return divides;
    }),
  );

function isDivision(scalar: Scalar): boolean {
  if (scalar.kind !== "call" || !DIVISIONS.has(scalar.fn) || !isIntegralDType(scalar.dtype)) return false;
  const divisor = scalar.args[1]!;
  return divisor.kind !== "constant" || Number(divisor.value) === 0;
}
