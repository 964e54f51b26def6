/**
 * @file `einsum`, after `aten/src/ATen/native/Linear.cpp`: every operand gets the dimensions of all
 * labels, output labels first; operands are then multiplied pair by pair as batched matrices, each
 * label summed as soon as no later operand has it.
 */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { eq } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { check, mayDiffer } from "../rules/comparison.js";
import { sizeProduct } from "../rules/size-product.js";
import { type Equation, readEquation } from "./einsum-equation.js";

/** Gives an operand one dimension for each label of the equation, of size 1 where it has none. */
function alignOperand(
  emit: Emit,
  operand: FakeTensor,
  labels: readonly string[],
  equation: Equation,
): FakeTensor {
  let aligned = operand;
  const places = new Array<number>(equation.rank).fill(-1);
  const seen = new Map<string, number>();
  let dim = 0;
  for (const label of labels) {
    const first = seen.get(label);
    if (label === "...") {
      const covered = operand.ndim - labels.length + 1;
      const start = equation.ellipsisAt + equation.ellipsisRank - covered;
      for (let k = 0; k < covered; k++) places[start + k] = dim++;
    } else if (first !== undefined) {
      const diagonal = emit("aten.diagonal.default", [aligned, 0, first, dim]);
      aligned = emit("aten.movedim.int", [diagonal, -1, first]);
    } else {
      seen.set(label, dim);
      places[equation.placeOf(label)] = dim++;
    }
  }
  for (let place = 0; place < places.length; place++) {
    if (places[place] !== -1) continue;
    aligned = emit("aten.unsqueeze.default", [aligned, dim]);
    places[place] = dim++;
  }
  return emit("aten.permute.default", [aligned, places]);
}

/** Which dimensions of a product appear in both factors, in one, or are summed. */
interface Roles {
  readonly both: number[];
  readonly left: number[];
  readonly right: number[];
  readonly summed: readonly number[];
}

/**
 * Returns the product of two aligned operands, summed over some dimensions, which stay with size 1
 * (`sumproduct_pair`).
 */
export function sumProduct(
  emit: Emit,
  first: FakeTensor,
  second: FakeTensor,
  summed: readonly number[],
): FakeTensor {
  if (summed.length === 0) return emit("aten.mul.Tensor", [first, second]);
  const isWide = (tensor: FakeTensor, dim: number): boolean => mayDiffer(emit.env, tensor.shape[dim]!, 1);
  const roles: Roles = { both: [], left: [], right: [], summed };
  let [left, right] = [first, second];
  for (let dim = 0; dim < first.ndim; dim++) {
    const [inLeft, inRight] = [isWide(left, dim), isWide(right, dim)];
    if (summed.includes(dim)) {
      if (inLeft && !inRight) left = emit("aten.sum.dim_IntList", [left, [dim], true]);
      else if (inRight && !inLeft) right = emit("aten.sum.dim_IntList", [right, [dim], true]);
    } else (inLeft && inRight ? roles.both : inLeft ? roles.left : roles.right).push(dim);
  }
  for (const dim of [...summed, ...roles.both]) checkEqualSizes(emit, left, right, dim);
  // Swapped, the product comes out in the order of the result where the right factor's dimensions
  // all come first.
  if ((roles.right.at(-1) ?? Infinity) < (roles.left[0] ?? -1)) {
    return multiply(emit, right, left, { ...roles, left: roles.right, right: roles.left });
  }
  return multiply(emit, left, right, roles);
}

function checkEqualSizes({ env }: Emit, left: FakeTensor, right: FakeTensor, dim: number): void {
  check(env, eq(left.shape[dim]!, right.shape[dim]!), () =>
    invalidArgument("einsum(): non-broadcast dimensions must match"),
  );
}

function multiply(
  emit: Emit,
  left: FakeTensor,
  right: FakeTensor,
  { both, left: own, right: other, summed }: Roles,
): FakeTensor {
  const sizes = (tensor: FakeTensor, dims: readonly number[]): readonly IntLike[] =>
    dims.map((dim) => tensor.shape[dim]!);
  const product = (tensor: FakeTensor, dims: readonly number[]): IntLike =>
    sizeProduct(emit, sizes(tensor, dims));
  const wide = summed.filter((dim) => left.shape[dim] !== 1);
  const [batch, rows, inner, columns] = [
    product(left, both),
    product(left, own),
    product(left, wide),
    product(right, other),
  ];
  const outSizes = [
    ...sizes(left, both),
    ...sizes(left, own),
    ...summed.map(() => 1),
    ...sizes(right, other),
  ];
  const out = [...both, ...own, ...summed, ...other];
  const matrices = (tensor: FakeTensor, order: readonly number[], shape: readonly IntLike[]): FakeTensor =>
    emit("aten.reshape.default", [emit("aten.permute.default", [tensor, order]), shape]);
  const a = matrices(left, out, [batch, rows, inner]);
  const b = matrices(right, [...both, ...summed, ...other, ...own], [batch, inner, columns]);
  const result = emit("aten.view.default", [emit("aten.bmm.default", [a, b]), outSizes]);
  const back = new Array<number>(out.length);
  for (const [at, dim] of out.entries()) back[dim] = at;
  return emit("aten.permute.default", [result, back]);
}

/** @throws SconceError `INVALID_ARGUMENT` */
function checkPath(path: readonly number[], operands: number): void {
  if (path.length !== 2 * (operands - 1)) {
    throw invalidArgument(
      `einsum(): expected contraction path given in path parameter to have size ${2 * (operands - 1)} but got ${path.length}`,
    );
  }
  for (let step = 0; 2 * step < path.length; step++) {
    const [i, j] = [
      Math.min(path[2 * step]!, path[2 * step + 1]!),
      Math.max(path[2 * step]!, path[2 * step + 1]!),
    ];
    if (i < 0 || j >= operands - step) {
      throw invalidArgument(`einsum(): invalid contraction (${i}, ${j}) operand index is out of bounds`);
    }
    if (i === j)
      throw invalidArgument(
        `einsum(): invalid contraction (${i}, ${j}) cannot contract an operand with itself`,
      );
  }
}

/** Multiplies all operands; `pending[d]` counts those that still have summed dimension `d`. */
function contract(
  emit: Emit,
  operands: readonly FakeTensor[],
  equation: Equation,
  path: readonly number[] | null,
): FakeTensor {
  const isWide = (tensor: FakeTensor, dim: number): boolean => mayDiffer(emit.env, tensor.shape[dim]!, 1);
  const pending = Array.from(
    { length: equation.rank },
    (_, dim) => operands.filter((operand) => isWide(operand, dim)).length,
  );
  const queue = [...operands];
  for (let step = 0; queue.length > 1; step++) {
    const i = path === null ? 0 : Math.min(path[2 * step]!, path[2 * step + 1]!);
    const j = path === null ? 1 : Math.max(path[2 * step]!, path[2 * step + 1]!);
    const [second] = queue.splice(j, 1);
    const [first] = queue.splice(i, 1);
    const product = contractPair(emit, first!, second!, equation, pending, isWide);
    if (path === null) queue.unshift(product);
    else queue.push(product);
  }
  return queue[0]!;
}

function contractPair(
  emit: Emit,
  first: FakeTensor,
  second: FakeTensor,
  equation: Equation,
  pending: number[],
  isWide: (tensor: FakeTensor, dim: number) => boolean,
): FakeTensor {
  const together: number[] = [];
  const alone: readonly [number[], number[]] = [[], []];
  for (let dim = equation.outputRank; dim < equation.rank; dim++) {
    const [inFirst, inSecond] = [isWide(first, dim), isWide(second, dim)];
    if (inFirst && inSecond) {
      pending[dim]!--;
      if (pending[dim] !== 1) continue;
      together.push(dim);
    } else if (pending[dim] === 1 && (inFirst || inSecond)) alone[inFirst ? 0 : 1].push(dim);
    else continue;
    pending[dim] = 0;
  }
  const summed = (tensor: FakeTensor, dims: readonly number[]): FakeTensor =>
    dims.length === 0 ? tensor : emit("aten.sum.dim_IntList", [tensor, dims, true]);
  return sumProduct(emit, summed(first, alone[0]), summed(second, alone[1]), together);
}

const einsum = defineOp({
  schema: "aten::einsum(str equation, Tensor[] tensors, *, int[]? path=None) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { equation: text, tensors, path }) => {
    if (tensors.length === 0) throw invalidArgument("einsum(): must provide at least one operand");
    if (path !== null) checkPath(path as readonly number[], tensors.length);
    const equation = readEquation(text, tensors, emit.env);
    const aligned = tensors.map((tensor, i) => alignOperand(emit, tensor, equation.operands[i]!, equation));
    const result = contract(emit, aligned, equation, path as readonly number[] | null);
    if (equation.rank === equation.outputRank) return result;
    if (tensors.length > 1)
      return emit("aten.view.default", [result, result.shape.slice(0, equation.outputRank)]);
    const summed = Array.from(
      { length: equation.rank - equation.outputRank },
      (_, k) => equation.outputRank + k,
    );
    return emit("aten.sum.dim_IntList", [result, summed]);
  },
});

export const einsumOps: readonly OpDefinition[] = [einsum];
