/** @file Linear algebra on matrices and batches of them. */
import type { FakeTensor } from "@sconce/ir";
import type { SymEnv } from "@sconce/symbolic";
import { isComplexDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { convert } from "../rules/decompose.js";
import { describeSize } from "../rules/describe.js";
import { broadcastOperands, broadcastShapes, specializeSizes, wrapDim } from "../rules/dims.js";
import { fake } from "../rules/fake.js";
import {
  codes,
  matrices,
  requireFloat,
  requireLapack,
  requireMatrices,
  requirePrecision,
  requireSides,
  requireSquare,
} from "../rules/matrix.js";
import { castForMath } from "../rules/opmath.js";
import { promoteOperands } from "../rules/promote.js";

const detParts = defineOp({
  schema: "aten::_linalg_det(Tensor A) -> (Tensor result, Tensor LU, Tensor pivots)",
  meta: ({ A }, context) => {
    requireSquare("linalg.det", A, context);
    requireFloat("linalg.det", A);
    requireLapack("lu_cpu", A);
    const batch = A.shape.slice(0, -2);
    return [
      fake({ dtype: A.dtype, shape: batch, like: A }),
      matrices(A, A.shape),
      codes(A, A.shape.slice(0, -1)),
    ];
  },
});

const det = defineOp({
  schema: "aten::linalg_det(Tensor A) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { A }) => emit.many("aten._linalg_det.default", [A])[0]!,
});

const inverseParts = defineOp({
  schema: "aten::linalg_inv_ex(Tensor A, *, bool check_errors=False) -> (Tensor inverse, Tensor info)",
  meta: ({ A }, context) => {
    requireSquare("linalg.inv", A, context);
    requirePrecision("linalg.inv", A);
    return [matrices(A, A.shape), codes(A, A.shape.slice(0, -2))];
  },
});

const inverse = defineOp({
  schema: "aten::linalg_inv(Tensor A) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { A }) => {
    const [result, info] = emit.many("aten.linalg_inv_ex.default", [A]);
    emit.value("aten._linalg_check_errors.default", [info!, "linalg.inv"], { is_matrix: A.ndim === 2 });
    return result!;
  },
});

const checkErrors = defineOp({
  schema: "aten::_linalg_check_errors(Tensor info, str api_name, *, bool is_matrix) -> ()",
  doc: "Fails when LAPACK reported that a matrix could not be handled.",
  tags: ["effect"],
  meta: () => null,
});

const solveTriangular = defineOp({
  schema:
    "aten::linalg_solve_triangular(Tensor self, Tensor B, *, bool upper, bool left=True, bool unitriangular=False) -> Tensor",
  meta: ({ self, B, left }, context) => {
    requireSquare("linalg.solve_triangular", self, context);
    requireMatrices("linalg.solve_triangular", B, "B");
    if (self.dtype !== B.dtype) {
      throw dtypeMismatch(
        `linalg.solve_triangular: Expected A and B to have the same dtype, but got ${self.dtype} and ${B.dtype}`,
      );
    }
    requireSides("linalg.solve_triangular", self, B, left, context);
    requireLapack("triangular_solve_cpu", self);
    const batch = broadcastShapes(context.env, self.shape.slice(0, -2), B.shape.slice(0, -2));
    return matrices(B, [...batch, ...B.shape.slice(-2)]);
  },
});

const cross = defineOp({
  schema: "aten::linalg_cross(Tensor self, Tensor other, *, int dim=-1) -> Tensor",
  meta: ({ self, other, dim }, { env }) => {
    const wrapped = wrapDim(dim, self.ndim);
    if (self.ndim !== other.ndim) {
      throw shapeMismatch("linalg.cross: inputs must have the same number of dimensions.");
    }
    if (mayDiffer(env, self.shape[wrapped]!, 3) || mayDiffer(env, other.shape[wrapped]!, 3)) {
      throw shapeMismatch(
        `linalg.cross: inputs dimension ${describeSize(dim)} must have length 3. Got ${describeSize(self.shape[wrapped])} and ` +
          describeSize(other.shape[wrapped]),
      );
    }
    const shape = broadcastOperands(env, self.shape, other.shape);
    return fake({ dtype: promoteOperands([self, other]), shape, like: self });
  },
  decompose: (emit, args) => {
    const cast = castForMath(emit, [args.self, args.other]);
    const [a, b] = emit.many("aten.broadcast_tensors.default", [[...cast.operands]]) as [
      FakeTensor,
      FakeTensor,
    ];
    const dim = wrapDim(args.dim, a.ndim);
    const indices = emit("aten.arange.default", [3], { device: a.device });
    const turned = (tensor: FakeTensor, by: number): FakeTensor => {
      const at = emit("aten.remainder.Scalar", [emit("aten.add.Tensor", [indices, by]), 3]);
      return emit("aten.index_select.default", [tensor, dim, at]);
    };
    const product = (first: number, second: number): FakeTensor => {
      const left = turned(a, first);
      return emit("aten.mul.Tensor", [left, turned(b, second)]);
    };
    const forward = product(1, 2);
    return convert(emit, emit("aten.sub.Tensor", [forward, product(2, 1)]), cast.result);
  },
});

const vecdot = defineOp({
  schema: "aten::linalg_vecdot(Tensor x, Tensor y, *, int dim=-1) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { x, y, dim }) => {
    requireFloat("linalg.vecdot", x);
    if (x.dtype !== y.dtype) {
      throw dtypeMismatch(
        `linalg.vecdot: Expected x and y to have the same dtype, but found x of type ${x.dtype} and y of type ` +
          `${y.dtype} instead`,
      );
    }
    if (x.ndim === 1 && y.ndim === 1) return emit("aten.vdot.default", [x, y]);
    const left = isComplexDType(x.dtype) ? emit("aten.conj.default", [x]) : x;
    return emit("aten.sum.dim_IntList", [emit("aten.mul.Tensor", [left, y]), [dim]]);
  },
});

const matrixPower = defineOp({
  schema: "aten::linalg_matrix_power(Tensor self, int n) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, n }) => {
    requireSquare("linalg.matrix_power", self, emit);
    requireFloat("linalg.matrix_power", self);
    return power(emit, self, Number(n));
  },
});

function power(emit: Emit, self: FakeTensor, n: number): FakeTensor {
  const multiply = (a: FakeTensor, b: FakeTensor): FakeTensor => emit("aten.matmul.default", [a, b]);
  const copy = (): FakeTensor => emit("aten.clone.default", [self], { memory_format: "contiguous_format" });
  if (n === 0) {
    const { dtype, layout, device } = self;
    const out = copy();
    return emit("aten.copy.default", [
      out,
      emit("aten.eye.default", [self.shape.at(-2)!], { dtype, layout, device }),
    ]);
  }
  if (n === 1) return copy();
  let square = n < 0 ? emit("aten.linalg_inv.default", [self]) : self;
  if (n === 3) return multiply(multiply(square, square), square);
  let result: FakeTensor | undefined;
  for (let left = Math.abs(n); ; square = multiply(square, square)) {
    if (left % 2 === 1) result = result === undefined ? square : multiply(result, square);
    left = Math.floor(left / 2);
    if (left === 0) return result!;
  }
}

const linalgMatmul = defineOp({
  schema: "aten::linalg_matmul(Tensor self, Tensor other) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, other }) => emit("aten.matmul.default", [self, other]),
});

const multiDot = defineOp({
  schema: "aten::linalg_multi_dot(Tensor[] tensors) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { tensors }) => {
    if (tensors.length < 2) throw invalidArgument("multi_dot(): expected at least 2 tensors");
    specializeSizes(emit.env, tensors);
    return chain(emit, tensors);
  },
});

const chainMatmul = defineOp({
  schema: "aten::chain_matmul(Tensor[] matrices) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { matrices }) => {
    if (matrices.length === 0) throw invalidArgument("chain_matmul(): Expected one or more matrices");
    const odd = matrices.find(({ ndim }) => ndim !== 2);
    if (odd !== undefined) throw shapeMismatch(`Tensor dimension is ${odd.ndim}, expected 2 instead.`);
    return matrices.length === 1 ? matrices[0]! : emit("aten.linalg_multi_dot.default", [matrices]);
  },
});

/** Multiplies in the order of least work; vectors at the ends are taken as a row and a column. */
function chain(emit: Emit, tensors: readonly FakeTensor[]): FakeTensor {
  const first = tensors[0]!;
  const last = tensors.at(-1)!;
  const shape = [
    ...(first.ndim === 1 ? [] : [first.shape[0]!]),
    ...(last.ndim === 1 ? [] : [last.shape[1]!]),
  ];
  const list = [...tensors];
  if (first.ndim === 1) list[0] = emit("aten.unsqueeze.default", [first, 0]);
  if (last.ndim === 1) list[list.length - 1] = emit("aten.unsqueeze.default", [last, -1]);
  list.forEach((tensor, i) => {
    if (tensor.ndim !== 2) throw shapeMismatch(`multi_dot(): tensor ${i} must be 2D but got ${tensor.ndim}D`);
  });
  const split = chainSplits(list, emit.env);
  const multiply = (from: number, to: number): FakeTensor => {
    if (from === to) return list[from]!;
    const at = split(from, to);
    const left = multiply(from, at);
    return emit("aten.mm.default", [left, multiply(at + 1, to)]);
  };
  return emit("aten.view.default", [multiply(0, list.length - 1), shape]);
}

/** Where to split each run of matrices (dynamic programming over the number of multiplications). */
function chainSplits(list: readonly FakeTensor[], env: SymEnv): (from: number, to: number) => number {
  const n = list.length;
  const sizes = [...list.map((tensor) => tensor.shape[0]!), list.at(-1)!.shape[1]!].map((size) =>
    env.guardInt(size),
  );
  const cost = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  const splits = Array.from({ length: n }, () => new Array<number>(n).fill(0));
  for (let length = 1; length < n; length++) {
    for (let from = 0; from + length < n; from++) {
      const to = from + length;
      let best = Number.POSITIVE_INFINITY;
      for (let at = from; at < to; at++) {
        const work = cost[from]![at]! + cost[at + 1]![to]! + sizes[from]! * sizes[at + 1]! * sizes[to + 1]!;
        if (work >= best) continue;
        best = work;
        splits[from]![to] = at;
      }
      cost[from]![to] = best;
    }
  }
  // Of three matrices the first two are multiplied first when both orders cost the same.
  if (n === 3) {
    const [a, b, c, d] = sizes as [number, number, number, number];
    splits[0]![2] = a * c * (b + d) > b * d * (a + c) ? 0 : 1;
  }
  return (from, to) => splits[from]![to]!;
}

/** Linear algebra. */
export const linearAlgebraOps: readonly OpDefinition[] = [
  detParts,
  det,
  inverseParts,
  inverse,
  checkErrors,
  solveTriangular,
  cross,
  vecdot,
  matrixPower,
  linalgMatmul,
  multiDot,
  chainMatmul,
];
