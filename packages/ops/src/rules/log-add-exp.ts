/** @file Logarithms of sums of exponentials of two operands. */
import { complex, type FakeTensor } from "@sconce/ir";
import { isComplexDType } from "@sconce/tensor";
import type { Emit } from "../rows/emit.js";
import { broadcastPair, promoted } from "./decompose.js";

/** PyTorch's sequence for `logaddexp` (`base2` false) and `logaddexp2`. */
export function logAddExp(base2: boolean) {
  return (emit: Emit, self: FakeTensor, other: FakeTensor): FakeTensor =>
    promoted(emit, "default", [self, other], (left, right) => {
      const [a, b] = broadcastPair(emit, left, right);
      if (isComplexDType(a.dtype)) return complexLogAddExp(emit, a, b);
      const mask = emit("aten.ge.Tensor", [a, b]);
      const max = emit("aten.where.self", [mask, a, b]);
      const min = emit("aten.where.self", [mask, b, a]);
      const unbounded = base2
        ? emit("aten.isinf.default", [a])
        : emit("aten.logical_not.default", [emit("aten.isfinite.default", [a])]);
      const infinite = emit("aten.logical_and.default", [unbounded, emit("aten.eq.Tensor", [a, b])]);
      const exp = base2 ? "aten.exp2.default" : "aten.exp.default";
      const tail = emit("aten.log1p.default", [emit(exp, [emit("aten.sub.Tensor", [min, max])])]);
      const scaled = base2 ? emit("aten.mul.Tensor", [tail, 1 / Math.LN2]) : tail;
      return emit("aten.where.self", [infinite, a, emit("aten.add.Tensor", [max, scaled])]);
    });
}

/**
 * Returns the result for complex numbers, in which the operand with the greater real part leads.
 * Infinite and NaN real parts follow `_refs.logaddexp`.
 */
function complexLogAddExp(emit: Emit, a: FakeTensor, b: FakeTensor): FakeTensor {
  const real = (z: FakeTensor): FakeTensor => emit("aten.real.default", [z]);
  const one = (name: string, z: FakeTensor): FakeTensor => emit(`aten.${name}.default`, [z]);
  const mask = emit("aten.ge.Tensor", [real(a), real(b)]);
  const max = emit("aten.where.self", [mask, a, b]);
  const min = emit("aten.where.self", [mask, b, a]);
  const unbounded = one("logical_not", one("isfinite", real(a)));
  const infinite = emit("aten.logical_and.default", [unbounded, emit("aten.eq.Tensor", [real(a), real(b)])]);
  const negative = emit("aten.lt.Scalar", [real(min), 0]);
  const both = one("log", emit("aten.add.Tensor", [one("exp", min), one("exp", max)]));
  const atInfinity = emit("aten.where.self", [negative, min, both]);
  const tail = one("log1p", one("exp", emit("aten.sub.Tensor", [min, max])));
  const sum = emit("aten.where.self", [infinite, atInfinity, emit("aten.add.Tensor", [max, tail])]);
  return emit("aten.where.ScalarSelf", [one("isnan", min), complex(Number.NaN, Number.NaN), sum]);
}
