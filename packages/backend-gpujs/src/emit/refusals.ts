/** @file Reports what float32 lanes cannot hold, and what a mode cannot compute exactly. */
import { forEachScalar, isLogic, type LoopNest, type LoopProgram, type Scalar } from "@sconce/codegen";
import { type DType, dtypeInfo, isComplexDType, isFloatDType } from "@sconce/tensor";
import type { Dialect } from "./dialect.js";
import { canSay } from "./functions.js";

/**
 * Returns why a nest cannot be computed exactly in this mode, whatever the values; undefined when
 * it can.
 */
export function whyNotExpressible(
  nest: LoopNest,
  program: LoopProgram,
  dialect: Dialect,
): string | undefined {
  const own = whyNotHeld(program.buffers[nest.output]!.dtype);
  if (own !== undefined) return own;
  let reason: string | undefined;
  forEachScalar(nest.value, (scalar) => {
    reason ??= whyNotHeld(scalar.dtype) ?? whyNotCalled(scalar, dialect);
  });
  return reason ?? whyNotMultiplied(nest);
}

/**
 * Returns why running products of floats are not for a device whose totals are float32: PyTorch's
 * are float64, so that one may come back from what float32 does not hold.
 */
export function whyNotMultiplied({ value, hint }: LoopNest): string | undefined {
  if (hint?.kind !== "scan") return undefined;
  let isProduct = false;
  forEachScalar(value, (scalar) => {
    isProduct ||= scalar.kind === "reduce" && scalar.reduce === "prod" && isFloatDType(scalar.dtype);
  });
  return isProduct ? "PyTorch multiplies in float64, and device totals are float32" : undefined;
}

/** Returns why memory of float32 elements does not hold a dtype. */
export function whyNotHeld(dtype: DType): string | undefined {
  const { kind } = dtypeInfo(dtype);
  if (isComplexDType(dtype)) return `device memory cannot hold ${dtype}`;
  if (dtype === "float64") return "device memory cannot hold float64";
  if (kind === "float" && dtype !== "float32")
    return `arithmetic on ${dtype} would not be rounded as PyTorch rounds it`;
  return undefined;
}

const canHoldAll = ({ isStrict, hasOwnFunctions }: Dialect): boolean => isStrict || hasOwnFunctions;

function whyNotCalled(scalar: Scalar, dialect: Dialect): string | undefined {
  if (scalar.kind === "constant" && !canHoldAll(dialect) && !Number.isFinite(Number(scalar.value)))
    return `shaders of mode ${dialect.mode} do not guarantee infinities and NaN`;
  if (scalar.kind !== "call" || isLogic(scalar.fn)) return undefined;
  if (canSay(scalar.fn, scalar.dtype, dialect)) return undefined;
  return `mode ${dialect.mode} cannot compute ${scalar.fn} of ${scalar.dtype} exactly`;
}
