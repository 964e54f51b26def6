import { FakeTensor, isSymScalar, type MetaValue } from "@sconce/ir";
import { type IntLike, printExpr, SymExpr } from "@sconce/symbolic";

/**
 * Returns why a value may not take the place of another, or undefined when it may. Nothing takes
 * the place of a value that is not recorded: its dtype and its shape are not known.
 */
export function replacementProblem(
  before: MetaValue | undefined,
  after: MetaValue | undefined,
  changesLayout: boolean,
): string | undefined {
  if (before === undefined) return "the value to replace has no recorded type";
  if (before instanceof FakeTensor) return tensorProblem(before, after, changesLayout);
  if (Array.isArray(before)) return listProblem(before as readonly MetaValue[], after, changesLayout);
  if (isSymScalar(before) && after instanceof FakeTensor)
    return `would give a tensor instead of a ${before.kind}`;
  return undefined;
}

/** Values of a list take the places of those of another one by one. */
function listProblem(
  before: readonly MetaValue[],
  after: MetaValue | undefined,
  changesLayout: boolean,
): string | undefined {
  if (!Array.isArray(after)) return undefined;
  const values = after as readonly MetaValue[];
  if (values.length !== before.length)
    return `would give ${values.length} values instead of ${before.length}`;
  for (const [i, value] of before.entries()) {
    const problem = replacementProblem(value, values[i], changesLayout);
    if (problem !== undefined) return `value ${i} ${problem}`;
  }
  return undefined;
}

function tensorProblem(
  before: FakeTensor,
  after: MetaValue | undefined,
  changesLayout: boolean,
): string | undefined {
  if (!(after instanceof FakeTensor)) return "the replacement is not a tensor";
  if (before.dtype !== after.dtype) return `would give ${after.dtype} instead of ${before.dtype}`;
  if (!sameSizes(before.shape, after.shape))
    return `would give the shape ${sizesText(after.shape)} instead of ${sizesText(before.shape)}`;
  if (!changesLayout && !sameStrides(before, after))
    return `would give the strides ${sizesText(after.strides)} instead of ${sizesText(before.strides)}`;
  return undefined;
}

/**
 * Returns whether strides are equal where they matter: in tensors with elements, in dimensions of
 * more than one.
 */
function sameStrides(a: FakeTensor, b: FakeTensor): boolean {
  if (a.strides.length !== b.strides.length) return false;
  if (a.shape.includes(0)) return true;
  for (let d = 0; d < a.strides.length; d++)
    if (a.shape[d] !== 1 && !sameSize(a.strides[d]!, b.strides[d]!)) return false;
  return true;
}

function sameSizes(a: readonly IntLike[], b: readonly IntLike[]): boolean {
  if (a.length !== b.length) return false;
  for (let d = 0; d < a.length; d++) if (!sameSize(a[d]!, b[d]!)) return false;
  return true;
}

const sameSize = (a: IntLike, b: IntLike): boolean =>
  a === b || (a instanceof SymExpr && b instanceof SymExpr && a.key === b.key);

const sizesText = (sizes: readonly IntLike[]): string =>
  `[${sizes.map((size) => (typeof size === "number" ? size : printExpr(size))).join(", ")}]`;
