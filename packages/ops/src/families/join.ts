/** @file Joining tensors: `cat`, `stack` and what is built from them. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { addAll, eq, type SymEnv } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, requireWord, shapeMismatch } from "../rows/errors.js";
import { check, isEqual, pythonAllEqual } from "../rules/comparison.js";
import { describeSize, describeSizes } from "../rules/describe.js";
import { wrapDim } from "../rules/dims.js";
import { askEmpty, fake, memoryFormatStrides, numelOf } from "../rules/fake.js";
import { suggestMemoryFormat } from "../rules/memory-format.js";
import { promoteOperands } from "../rules/promote.js";
import { sizeMath } from "../rules/size-math.js";
import { withoutQuestions } from "../rules/without-questions.js";
import { emitAtLeast } from "./view-expand.js";

const requireSome = (tensors: readonly FakeTensor[], name: string): void => {
  if (tensors.length === 0) throw invalidArgument(`${name} expects a non-empty TensorList`);
};

/** A one-dimensional tensor without elements is skipped whatever the others look like. */
const isSkipped = (tensor: FakeTensor, env: SymEnv): boolean =>
  tensor.ndim === 1 && isEqual(env, tensor.shape[0]!, 0);

/** @throws SconceError `SHAPE_MISMATCH`, `INVALID_ARGUMENT` */
function catMeta(tensors: readonly FakeTensor[], dim: IntLike, env: SymEnv): FakeTensor {
  if (tensors.length === 0) throw invalidArgument("torch.cat(): expected a non-empty list of Tensors");
  tensors.forEach((tensor, i) => {
    if (tensor.ndim === 0)
      throw invalidArgument(`zero-dimensional tensor (at position ${i}) cannot be concatenated`);
  });
  const dtype = promoteOperands(tensors);
  const like = tensors[0]!;
  const kept = tensors.filter((tensor) => !isSkipped(tensor, env));
  const first = kept[0];
  if (first === undefined) return fake({ dtype, shape: [0], like });
  const axis = wrapDim(dim, first.ndim);
  for (const tensor of kept) checkJoinable(env, first, tensor, axis, tensors.indexOf(tensor));
  const shape = first.shape.with(axis, addAll(kept.map((tensor) => tensor.shape[axis]!)));
  askEmpty(env, shape);
  return fake({ dtype, shape, strides: memoryFormatStrides(shape, commonFormat(tensors, env)), like });
}

function checkJoinable(
  env: SymEnv,
  first: FakeTensor,
  tensor: FakeTensor,
  dim: number,
  position: number,
): void {
  if (tensor.ndim !== first.ndim) {
    throw shapeMismatch(`Tensors must have same number of dimensions: got ${first.ndim} and ${tensor.ndim}`);
  }
  tensor.shape.forEach((size, d) => {
    const expected = first.shape[d]!;
    if (d === dim || size === expected) return;
    // Python compares `8 == s` as `s == 8`.
    const isSame = typeof size === "number" ? eq(expected, size) : eq(size, expected);
    check(env, isSame, () =>
      shapeMismatch(
        `Sizes of tensors must match except in dimension ${dim}. Expected size ${describeSize(expected)} but got size ` +
          `${describeSize(size)} for tensor number ${position} in the list.`,
      ),
    );
  });
}

/** Channels last when all inputs are. */
function commonFormat(tensors: readonly FakeTensor[], env: SymEnv): ReturnType<typeof suggestMemoryFormat> {
  const format = suggestMemoryFormat(tensors[0]!, env);
  return tensors.every((tensor) => suggestMemoryFormat(tensor, env) === format)
    ? format
    : "contiguous_format";
}

const cat = defineOp({
  schema: "aten::cat(Tensor[] tensors, int dim=0) -> Tensor",
  tags: ["core"],
  meta: ({ tensors, dim }, { env }) => catMeta(tensors, dim, env),
});

const catAlias = (name: "concat" | "concatenate"): OpDefinition =>
  defineOp({
    schema: `aten::${name}(Tensor[] tensors, int dim=0) -> Tensor`,
    tags: ["composite"],
    decompose: (emit, { tensors, dim }) => emit("aten.cat.default", [tensors, dim]),
  });

const stack = defineOp({
  schema: "aten::stack(Tensor[] tensors, int dim=0) -> Tensor",
  decompose: (emit, { tensors, dim }) => {
    if (tensors.length === 0) throw invalidArgument("stack expects a non-empty TensorList");
    const first = tensors[0]!;
    const axis = wrapDim(dim, first.ndim + 1);
    // Along a new last dimension it is `cat` that compares the sizes.
    const isLast = axis === first.ndim;
    checkEqualSizes(isLast ? withoutQuestions(emit.env) : emit.env, tensors);
    if (isLast) {
      return emit("aten.cat.default", [
        tensors.map((tensor) => emit("aten.unsqueeze.default", [tensor, axis])),
        dim,
      ]);
    }
    const joined = emit("aten.cat.default", [tensors, axis]);
    return emit("aten.view.default", [joined, first.shape.toSpliced(axis, 0, tensors.length)]);
  },
});

function checkEqualSizes(env: SymEnv, tensors: readonly FakeTensor[]): void {
  const [first] = tensors;
  tensors.forEach((tensor, i) => {
    const misfit = (): Error =>
      shapeMismatch(
        `stack expects each tensor to be equal size, but got ${describeSizes(first!.shape)} at entry 0 and ` +
          `${describeSizes(tensor.shape)} at entry ${i}`,
      );
    if (tensor.ndim !== first!.ndim) throw misfit();
    if (i > 0) check(env, pythonAllEqual(tensor.shape, first!.shape), misfit);
  });
}

const hstack = defineOp({
  schema: "aten::hstack(Tensor[] tensors) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { tensors }) => {
    requireSome(tensors, "hstack");
    const lifted = tensors.map((tensor) => emitAtLeast(emit, tensor, 1));
    return emit("aten.cat.default", [lifted, lifted[0]!.ndim === 1 ? 0 : 1]);
  },
});

const stackAlong = (name: string, rank: 2 | 3, dim: number): OpDefinition =>
  defineOp({
    schema: `aten::${name}(Tensor[] tensors) -> Tensor`,
    tags: ["composite"],
    decompose: (emit, { tensors }) => {
      requireSome(tensors, name);
      return emit("aten.cat.default", [tensors.map((tensor) => emitAtLeast(emit, tensor, rank)), dim]);
    },
  });

const columnStack = defineOp({
  schema: "aten::column_stack(Tensor[] tensors) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { tensors }) => {
    requireSome(tensors, "column_stack");
    const columns = tensors.map((tensor) =>
      tensor.ndim > 1 ? tensor : emit("aten.reshape.default", [tensor, [numelOf(tensor.shape), 1]]),
    );
    return emit("aten.hstack.default", [columns]);
  },
});

const blockDiag = defineOp({
  schema: "aten::block_diag(Tensor[] tensors) -> Tensor",
  decompose: (emit, { tensors }) => {
    const blocks = tensors.map((tensor, i) => {
      if (tensor.ndim > 2) {
        throw invalidArgument(
          `Input tensors must have 2 or fewer dimensions. Input ${i} has ${tensor.ndim} dimensions`,
        );
      }
      return tensor.ndim <= 1 ? emit("aten.view.default", [tensor, [1, -1]]) : tensor;
    });
    const width = blocks.reduce<IntLike>((sum, block) => sizeMath(emit, "add", sum, block.shape[1]!), 0);
    let start: IntLike = 0;
    const rows = blocks.map((block) => {
      const [height, columns] = block.shape as readonly [IntLike, IntLike];
      const left = emitZeros(emit, [height, start], block);
      const after = sizeMath(emit, "sub", sizeMath(emit, "sub", width, start), columns);
      const right = emitZeros(emit, [height, after], block);
      start = sizeMath(emit, "add", start, columns);
      return emit("aten.cat.default", [[left, block, right], 1]);
    });
    return emit("aten.cat.default", [rows]);
  },
});

const emitZeros = (emit: Emit, size: readonly IntLike[], { device, dtype }: FakeTensor): FakeTensor =>
  emit("aten.zeros.default", [size], { dtype, device, pin_memory: false });

/** Returns a view of each tensor along a separate dimension, expanded to the whole grid. */
function emitMeshgrid(emit: Emit, tensors: readonly FakeTensor[], indexing: string): readonly FakeTensor[] {
  requireSome(tensors, "meshgrid");
  checkMeshgrid(tensors, indexing);
  const swap = indexing === "xy" && tensors.length >= 2;
  const sources = swap ? [tensors[1]!, tensors[0]!, ...tensors.slice(2)] : tensors;
  const shape = sources.map((tensor) => numelOf(tensor.shape));
  const grids = sources.map((tensor, i) =>
    emit("aten.expand.default", [
      emit("aten.view.default", [tensor, shape.map((_, d) => (d === i ? -1 : 1))]),
      shape,
    ]),
  );
  return swap ? [grids[1]!, grids[0]!, ...grids.slice(2)] : grids;
}

function checkMeshgrid(tensors: readonly FakeTensor[], indexing: string): void {
  requireWord(
    indexing,
    ["xy", "ij"],
    `torch.meshgrid: indexing must be one of "xy" or "ij", but received: ${indexing}`,
  );
  for (const tensor of tensors) {
    if (tensor.ndim > 1) {
      throw invalidArgument(
        `torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: ${describeSizes(tensor.shape)}`,
      );
    }
    if (tensor.dtype !== tensors[0]!.dtype)
      throw dtypeMismatch("torch.meshgrid expects all tensors to have the same dtype");
  }
}

const meshgridIndexing = defineOp({
  schema: "aten::meshgrid.indexing(Tensor[] tensors, *, str indexing) -> Tensor[]",
  tags: ["composite"],
  decompose: (emit, { tensors, indexing }) => emitMeshgrid(emit, tensors, indexing),
});

const meshgrid = defineOp({
  schema: "aten::meshgrid(Tensor[] tensors) -> Tensor[]",
  tags: ["composite"],
  decompose: (emit, { tensors }) => emitMeshgrid(emit, tensors, "ij"),
});

const cartesianProd = defineOp({
  schema: "aten::cartesian_prod(Tensor[] tensors) -> Tensor",
  tags: ["composite", "maybe_aliasing_or_mutating"],
  decompose: (emit, { tensors }) => {
    requireSome(tensors, "cartesian_prod");
    for (const tensor of tensors) {
      if (tensor.ndim !== 1) {
        throw invalidArgument(`Expect a 1D vector, but got shape ${describeSizes(tensor.shape)}`);
      }
    }
    if (tensors.length === 1) return tensors[0]!;
    const grids = emitMeshgrid(emit, tensors, "ij").map((grid) => emit("aten.flatten.using_ints", [grid]));
    return emit("aten.stack.default", [grids, 1]);
  },
});

const combinations = defineOp({
  schema: "aten::combinations(Tensor self, int r=2, bool with_replacement=False) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, r, with_replacement }) => {
    const count = Number(r);
    if (self.ndim !== 1)
      throw invalidArgument(`Expect a 1D vector, but got shape ${describeSizes(self.shape)}`);
    if (count < 0) throw invalidArgument(`Expect a non-negative number, but got ${count}`);
    const { device } = self;
    if (count === 0)
      return emit("aten.empty.memory_format", [[0]], { dtype: self.dtype, device, layout: self.layout });
    const length = emit.env.guardInt(self.shape[0]!);
    const kwargs = { dtype: "int64", layout: "strided", device, pin_memory: false } as const;
    const grids = count === 1 ? [] : combinationGrids(emit, length, count, kwargs);
    let mask = emit("aten.full.default", [new Array<number>(count).fill(length), true], {
      dtype: "bool",
      layout: "strided",
      device,
    });
    for (let i = 0; i + 1 < count; i++) {
      const ordered = emit(with_replacement ? "aten.le.Tensor" : "aten.lt.Tensor", [
        grids[i]!,
        grids[i + 1]!,
      ]);
      mask = emit("aten.mul.Tensor", [mask, ordered]);
    }
    const rows = choose(with_replacement ? length + count - 1 : length, count);
    const picked = emit("aten.nonzero_static.default", [mask], { size: rows });
    return emit("aten.index.Tensor", [self, [picked]]);
  },
});

function combinationGrids(
  emit: Emit,
  length: number,
  count: number,
  kwargs: Readonly<Record<string, FakeTensor["device"] | string | boolean>>,
): readonly FakeTensor[] {
  const range = emit("aten.arange.start_step", [0, length], kwargs);
  return emitMeshgrid(emit, new Array<FakeTensor>(count).fill(range), "ij");
}

/** Binomial coefficient. */
function choose(n: number, k: number): number {
  let result = 1;
  for (let i = 1; i <= k; i++) result = (result * (n - k + i)) / i;
  return Math.max(Math.round(result), 0);
}

export const joinOps: readonly OpDefinition[] = [
  cat,
  catAlias("concat"),
  catAlias("concatenate"),
  stack,
  hstack,
  stackAlong("vstack", 2, 0),
  stackAlong("row_stack", 2, 0),
  stackAlong("dstack", 3, 2),
  columnStack,
  blockDiag,
  meshgrid,
  meshgridIndexing,
  cartesianProd,
  combinations,
];
