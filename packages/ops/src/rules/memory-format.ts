/** @file The memory format that an operator keeps for its result. */
import type { FakeTensor, IntLike, MemoryFormat } from "@sconce/ir";
import { eq, type SymEnv, mul as times } from "@sconce/symbolic";
import type { DType } from "@sconce/tensor";
import { isEqual, pythonLt } from "./comparison.js";
import { fake, memoryFormatStrides } from "./fake.js";

/**
 * `suggest_memory_format`: channels last when the strides of a rank 4 or 5 tensor grow in that
 * order, even with gaps; an ambiguous layout (1x1 images, one channel) counts as row-major.
 */
export function suggestMemoryFormat(tensor: FakeTensor, env: SymEnv): MemoryFormat {
  if (tensor.ndim !== 4 && tensor.ndim !== 5) return "contiguous_format";
  if (!growLikeChannelsLast(tensor, env)) return "contiguous_format";
  return tensor.ndim === 4 ? "channels_last" : "channels_last_3d";
}

function growLikeChannelsLast({ shape, strides, ndim }: FakeTensor, env: SymEnv): boolean {
  const channelStride = strides[1]!;
  if (env.orTrue(eq(channelStride, 0))) return false;
  const order = ndim === 4 ? [1, 3, 2, 0] : [1, 4, 3, 2, 0];
  let least: IntLike = 0;
  for (const dim of order) {
    const stride = strides[dim]!;
    if (env.orTrue(eq(shape[dim]!, 0)) || env.orTrue(pythonLt(stride, least))) return false;
    if (dim === 0 && isEqual(env, least, channelStride)) return false;
    least = times(stride, shape[dim]!);
  }
  return true;
}

/** Returns a fresh tensor of these sizes in the memory format of `like`. */
export function fakeInFormatOf(
  like: FakeTensor,
  shape: readonly IntLike[],
  env: SymEnv,
  dtype: DType = like.dtype,
): FakeTensor {
  return fake({ dtype, shape, strides: memoryFormatStrides(shape, suggestMemoryFormat(like, env)), like });
}
