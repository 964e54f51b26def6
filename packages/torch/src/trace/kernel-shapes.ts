/**
 * @file Results of custom operators in a draft: what the kernel gives, where the fake is missing
 * or wrong (`inferred_fake_kernel_from_real_out`, `_maybe_infer_fake`).
 */
import { FakeTensor, type MetaValue } from "@sconce/ir";
import { ge, type IntLike, mul, printExpr, type ShapeEnv } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { torchSize } from "../torch-size.js";
import type { OperatorResult } from "./dispatch.js";
import { kernelHasNoShape } from "./errors.js";

/**
 * Returns what is known of the results of a kernel: dtype, rank and the order of strides. The sizes
 * are those that only the data decide.
 *
 * @throws SconceError `NO_FAKE` for results that are not dense tensors
 */
export function inferredResult(target: string, real: OperatorResult, env: ShapeEnv): MetaValue {
  if (Array.isArray(real))
    return (real as readonly OperatorResult[]).map((item) => inferredResult(target, item, env));
  if (!(real instanceof Tensor)) throw kernelHasNoShape(target, "a return is not a tensor");
  if (real.storageOffset !== 0)
    throw kernelHasNoShape(target, `a return has a non-zero storage offset ${real.storageOffset}`);
  const shape: IntLike[] = real.shape.map(() => newSize(env));
  return new FakeTensor({ dtype: real.dtype, shape, strides: inferredStrides(target, real, shape) });
}

function newSize(env: ShapeEnv): IntLike {
  const size = env.freshUnbackedInt();
  env.addAxiom(ge(size, 0));
  return size;
}

/** Products of sizes, in the order of the real strides. */
function inferredStrides(
  target: string,
  { shape, strides }: Tensor,
  sizes: readonly IntLike[],
): readonly IntLike[] {
  const result: IntLike[] = sizes.map(() => 1);
  const order = strides.map((stride, dim) => [stride, dim] as const).sort(([a, i], [b, j]) => a - b || j - i);
  let expected = 1;
  let inferred: IntLike = 1;
  for (const [stride, dim] of order) {
    if (stride !== expected)
      throw kernelHasNoShape(
        target,
        `a return was not dense in memory (sizes [${shape.join(", ")}] strides [${strides.join(", ")}])`,
      );
    result[dim] = inferred;
    expected *= shape[dim]!;
    inferred = mul(inferred, sizes[dim]!);
  }
  return result;
}

/**
 * Returns a result of a fake, with what the kernel gives in place of each tensor that differs.
 *
 * @param report receives the reasons, in PyTorch's words
 */
export function reconciled(
  fake: MetaValue,
  real: OperatorResult,
  env: ShapeEnv,
  { target, report }: { readonly target: string; readonly report: (reason: string) => void },
): MetaValue {
  if (Array.isArray(fake) && Array.isArray(real))
    return (fake as readonly MetaValue[]).map((item, i) =>
      reconciled(item, (real as readonly OperatorResult[])[i] ?? null, env, { target, report }),
    );
  if (!(fake instanceof FakeTensor && real instanceof Tensor)) return fake;
  const reason = differenceOf(fake, real, env);
  if (reason === undefined) return fake;
  report(reason);
  return inferredResult(target, real, env);
}

/** Returns how the result of a kernel differs from that of the fake; undefined if it does not. */
function differenceOf(fake: FakeTensor, real: Tensor, env: ShapeEnv): string | undefined {
  const offset = env.observed(fake.storageOffset);
  if (offset !== undefined && offset !== real.storageOffset)
    return "Real tensor propagation found mismatched storage offset";
  if (fake.ndim !== real.ndim)
    return `Shapes ${torchSize(real.shape)} and ${torchSize(fake.shape)} are not equal!`;
  if (fake.dtype !== real.dtype) return `Dtypes torch.${real.dtype} and torch.${fake.dtype} are not equal!`;
  for (const [dim, size] of fake.shape.entries()) {
    const value = env.observed(size);
    if (value !== undefined && value !== real.shape[dim])
      return `mismatch between fake value ${printExpr(size)} and real value ${real.shape[dim]} `;
  }
  return undefined;
}
