/** @file Histograms in one or more dimensions (`Histogram.cpp`). */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { add, type SymEnv, sub } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { isBelow, mayDiffer } from "../rules/comparison.js";
import { describeSizes } from "../rules/describe.js";
import { sizesEqual } from "../rules/dims.js";
import { fake, numelOf } from "../rules/fake.js";

/** Points are the rows of a matrix with a column for each dimension. */
interface Points {
  readonly self: FakeTensor;
  readonly shape: readonly IntLike[];
  readonly weight: FakeTensor | null;
}

function checkPoints({ self, shape, weight }: Points, dims: number, env: SymEnv): void {
  if (shape.length < 2)
    throw shapeMismatch("torch.histogramdd: input tensor should have at least 2 dimensions");
  if (mayDiffer(env, shape.at(-1)!, dims)) {
    throw shapeMismatch(
      "histogramdd: The size of bins must be equal to the innermost dimension of the input.",
    );
  }
  if (weight !== null) {
    if (weight.dtype !== self.dtype) {
      throw dtypeMismatch(
        "torch.histogramdd: if weight tensor is provided, input tensor and weight tensor should have the same dtype, " +
          `but got input(${self.dtype}), and weight(${weight.dtype})`,
      );
    }
    if (!sizesEqual(weight.shape, shape.slice(0, -1), env)) {
      throw shapeMismatch(
        "torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor excluding its " +
          `innermost dimension, but got input with shape ${describeSizes(shape)} and weight with shape ${describeSizes(weight.shape)}`,
      );
    }
  }
  if (self.dtype !== "float32" && self.dtype !== "float64") {
    throw dtypeMismatch(`"histogramdd" not implemented for '${self.dtype}'`);
  }
}

/** One histogram over all elements: a matrix of one column. */
const flattened = (self: FakeTensor, weight: FakeTensor | null): Points => {
  const count = numelOf(self.shape);
  const flat = weight === null ? null : fake({ dtype: weight.dtype, shape: [numelOf(weight.shape)] });
  return { self, shape: [count, 1], weight: flat };
};

function checkBins(bins: readonly IntLike[], env: SymEnv): void {
  bins.forEach((count, d) => {
    if (isBelow(env, count, 1)) {
      throw invalidArgument(
        `torch.histogram(): bins must be > 0, but got ${String(count)} for dimension ${d}`,
      );
    }
  });
}

function checkRange(range: readonly number[] | null, dims: number): void {
  if (range === null) return;
  if (range.length !== 2 * dims) {
    throw invalidArgument(
      `torch.histogramdd: for a ${dims}-dimensional histogram range should have ${2 * dims} elements, but got ${range.length}`,
    );
  }
  for (let d = 0; d < dims; d++) {
    const [low, high] = [range[2 * d]!, range[2 * d + 1]!];
    if (!Number.isFinite(low) || !Number.isFinite(high)) {
      throw invalidArgument(`torch.histogramdd: dimension ${d}'s range [${low}, ${high}] is not finite`);
    }
    if (low > high) {
      throw invalidArgument(
        `torch.histogramdd: min should not exceed max, but got min ${low} max ${high} for dimension ${d}`,
      );
    }
  }
}

function checkEdges(self: FakeTensor, bins: readonly FakeTensor[], env: SymEnv): readonly IntLike[] {
  return bins.map((edges, d) => {
    if (edges.dtype !== self.dtype) {
      throw dtypeMismatch(
        "torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input with dtype " +
          `${self.dtype} and bins for dimension ${d} with dtype ${edges.dtype}`,
      );
    }
    if (edges.ndim !== 1) {
      throw shapeMismatch(
        `torch.histogramdd: bins tensor should have one dimension, but got ${edges.ndim} dimensions in the bins tensor ` +
          `for dimension ${d}`,
      );
    }
    if (isBelow(env, edges.shape[0]!, 1)) {
      throw shapeMismatch(
        "torch.histogramdd: bins tensor should have at least 1 element, but got 0 elements in the bins tensor for " +
          `dimension ${d}`,
      );
    }
    return sub(edges.shape[0]!, 1);
  });
}

const values = (self: FakeTensor, shape: readonly IntLike[]): FakeTensor =>
  fake({ dtype: self.dtype, shape, like: self });

const edgesOf = (self: FakeTensor, bins: readonly IntLike[]): readonly FakeTensor[] =>
  bins.map((count) => values(self, [add(count, 1)]));

const binCount = defineOp({
  schema:
    "aten::histogram.bin_ct(Tensor self, int bins=100, *, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
  meta: ({ self, bins, range, weight }, { env }) => {
    checkPoints(flattened(self, weight), 1, env);
    checkBins([bins], env);
    checkRange(range, 1);
    return [values(self, [bins]), values(self, [add(bins, 1)])];
  },
});

const binTensor = defineOp({
  schema:
    "aten::histogram.bins_tensor(Tensor self, Tensor bins, *, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor bin_edges)",
  meta: ({ self, bins, weight }, { env }) => {
    const counts = checkEdges(self, [bins], env);
    checkPoints(flattened(self, weight), 1, env);
    checkBins(counts, env);
    return [values(self, counts), values(self, bins.shape)];
  },
});

const binEdges = defineOp({
  schema:
    "aten::_histogramdd_bin_edges(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor[]",
  meta: ({ self, bins, range, weight }, { env }) => {
    checkPoints({ self, shape: self.shape, weight }, bins.length, env);
    checkBins(bins, env);
    checkRange(range, bins.length);
    return edgesOf(self, bins);
  },
});

const fromBinCounts = defineOp({
  schema:
    "aten::_histogramdd_from_bin_cts(Tensor self, int[] bins, *, float[]? range=None, Tensor? weight=None, bool density=False) -> Tensor",
  meta: ({ self, bins, range, weight }, { env }) => {
    checkPoints({ self, shape: self.shape, weight }, bins.length, env);
    checkBins(bins, env);
    checkRange(range, bins.length);
    return values(self, bins);
  },
});

const fromBinTensors = defineOp({
  schema:
    "aten::_histogramdd_from_bin_tensors(Tensor self, Tensor[] bins, *, Tensor? weight=None, bool density=False) -> Tensor",
  meta: ({ self, bins, weight }, { env }) => {
    const counts = checkEdges(self, bins, env);
    checkPoints({ self, shape: self.shape, weight }, bins.length, env);
    checkBins(counts, env);
    return values(self, counts);
  },
});

const tags = ["composite"] as const;

const manyDimensions: readonly OpDefinition[] = [
  defineOp({
    schema:
      "aten::histogramdd(Tensor self, int[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
    tags,
    decompose: (emit, { self, bins, range, weight, density }) => {
      const options = { range, weight, density };
      const edges = emit.many("aten._histogramdd_bin_edges.default", [self, bins], options);
      return [emit("aten._histogramdd_from_bin_cts.default", [self, bins], options), edges];
    },
  }),
  defineOp({
    schema:
      "aten::histogramdd.int_bins(Tensor self, int bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
    tags,
    decompose: (emit, { self, bins, range, weight, density }) => {
      const each = new Array<IntLike>(Number(self.shape.at(-1) ?? 0)).fill(bins);
      const options = { range, weight, density };
      const edges = emit.many("aten._histogramdd_bin_edges.default", [self, each], options);
      return [emit("aten._histogramdd_from_bin_cts.default", [self, each], options), edges];
    },
  }),
  defineOp({
    schema:
      "aten::histogramdd.TensorList_bins(Tensor self, Tensor[] bins, float[]? range=None, Tensor? weight=None, bool density=False) -> (Tensor hist, Tensor[] bin_edges)",
    tags,
    decompose: (emit, { self, bins, weight, density }) => [
      emit("aten._histogramdd_from_bin_tensors.default", [self, bins], { weight, density }),
      bins,
    ],
  }),
];

export const histogramOps: readonly OpDefinition[] = [
  binCount,
  binTensor,
  binEdges,
  fromBinCounts,
  fromBinTensors,
  ...manyDimensions,
];
