/**
 * @file `torch.gradient`: central differences inside, one-sided ones at the ends (`ReduceOps.cpp`).
 */
import { FakeTensor, float, type IntLike } from "@sconce/ir";
import { sub } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { Arithmetic } from "../rules/arithmetic.js";
import { isBelow } from "../rules/comparison.js";
import { specializeSizes, wrapDim, wrapDims } from "../rules/dims.js";
import type { ScalarArg } from "../schema/schema-types.js";

/** Distance of neighbors, or the coordinates of all points. */
type Spacing = ScalarArg | FakeTensor;

/** Differences along one dimension. */
interface Line {
  readonly emit: Emit;
  readonly t: Arithmetic;
  readonly self: FakeTensor;
  readonly dim: number;
  readonly order: number;
}

const part = ({ emit, self, dim }: Line, start: number, end?: number): FakeTensor =>
  emit("aten.slice.Tensor", end === undefined ? [self, dim, start] : [self, dim, start, end]);

/** Points at equal distances. */
function evenly(line: Line, distance: ScalarArg): FakeTensor {
  const { emit, t } = line;
  const over = (tensor: FakeTensor): FakeTensor => emit("aten.div.Scalar", [tensor, distance as EmitArg]);
  const times = (tensor: FakeTensor, factor: number): FakeTensor => emit("aten.mul.Scalar", [tensor, factor]);
  const low = part(line, 0, -2);
  const inner = over(t.sub(part(line, 2), low));
  const difference = (a: readonly [number, number], b: readonly [number, number?]): FakeTensor => {
    const left = part(line, ...a);
    return over(t.sub(part(line, ...b), left));
  };
  const first = (): FakeTensor => {
    if (line.order === 1) return difference([0, 1], [1, 2]);
    const third = times(part(line, 2, 3), 0.5);
    const second = times(part(line, 1, 2), 2);
    return over(t.sub(t.add(times(part(line, 0, 1), -1.5), second), third));
  };
  const last = (): FakeTensor => {
    if (line.order === 1) return difference([-2, -1], [-1]);
    const end = times(part(line, -1), 1.5);
    const second = times(part(line, -2, -1), 2);
    return over(t.add(t.sub(times(part(line, -3, -2), 0.5), second), end));
  };
  const before = first();
  const after = last();
  const halved = emit("aten.div.Scalar", [inner, 2]);
  return emit("aten.cat.default", [[before, halved, after], line.dim]);
}

/** Steps between coordinates, and the differences that they weigh. */
class Unevenly {
  readonly #line: Line;
  readonly #steps: FakeTensor;

  constructor(line: Line, coordinates: FakeTensor) {
    const { emit, t } = line;
    const count = coordinates.shape[0]!;
    const left = emit("aten.slice.Tensor", [coordinates, 0, 0, sub(count, 1)]);
    this.#line = line;
    this.#steps = t.sub(emit("aten.slice.Tensor", [coordinates, 0, 1, count]), left);
  }

  run(): FakeTensor {
    const inner = this.#inner();
    const [first, last] =
      this.#line.order === 1 ? [this.#edge(0), this.#edge(-1)] : [this.#wideFirst(), this.#wideLast()];
    return this.#line.emit("aten.cat.default", [[first, inner, last], this.#line.dim]);
  }

  #inner(): FakeTensor {
    const { emit, t, self, dim } = this.#line;
    const before = emit("aten.slice.Tensor", [this.#steps, 0, 0, -1]);
    const after = emit("aten.slice.Tensor", [this.#steps, 0, 1]);
    const shape = self.shape.map((_, d) => (d === dim ? -1 : 1));
    const along = (weights: FakeTensor): FakeTensor => emit("aten.view.default", [weights, shape]);
    const product = t.mul(before, t.add(before, after));
    const a = along(t.div(t.unary("neg", after), product));
    const both = t.mul(before, after);
    const b = along(t.div(t.sub(after, before), both));
    const c = along(t.div(before, t.mul(after, t.add(before, after))));
    return this.#weighed([a, b, c], [[0, -2], [1, -1], [2]]);
  }

  /** Sum of weighted parts; PyTorch evaluates the last product first. */
  #weighed(weights: readonly FakeTensor[], ranges: readonly (readonly [number, number?])[]): FakeTensor {
    const { t } = this.#line;
    const products = [...weights].reverse().map((weight, i) => {
      const range = ranges[weights.length - 1 - i]!;
      return t.mul(weight, part(this.#line, ...range));
    });
    const [third, second, first] = products as [FakeTensor, FakeTensor, FakeTensor];
    return t.add(t.add(first, second), third);
  }

  #step(at: number): FakeTensor {
    return this.#line.emit("aten.select.int", [this.#steps, 0, at]);
  }

  #edge(at: 0 | -1): FakeTensor {
    const { t } = this.#line;
    const step = this.#step(at);
    const left = at === 0 ? part(this.#line, 0, 1) : part(this.#line, -2, -1);
    const right = at === 0 ? part(this.#line, 1, 2) : part(this.#line, -1);
    return t.div(t.sub(right, left), step);
  }

  #wideFirst(): FakeTensor {
    const { emit, t } = this.#line;
    const total = (): FakeTensor => {
      const next = this.#step(1);
      return t.add(this.#step(0), next);
    };
    const sum = total();
    const product = t.mul(this.#step(0), sum);
    const next = this.#step(1);
    const twice = emit("aten.mul.Scalar", [this.#step(0), float(2)]);
    const a = t.div(t.unary("neg", t.add(twice, next)), product);
    const step1 = this.#step(1);
    const both = t.mul(this.#step(0), step1);
    const b = t.div(total(), both);
    const whole = total();
    const weight = t.mul(this.#step(1), whole);
    const c = t.div(t.unary("neg", this.#step(0)), weight);
    return this.#weighed(
      [a, b, c],
      [
        [0, 1],
        [1, 2],
        [2, 3],
      ],
    );
  }

  #wideLast(): FakeTensor {
    const { emit, t } = this.#line;
    const pair = (combine: (a: FakeTensor, b: FakeTensor) => FakeTensor): FakeTensor => {
      const left = this.#step(-2);
      return combine(this.#step(-1), left);
    };
    const total = (): FakeTensor => pair((a, b) => t.add(a, b));
    const sum = total();
    const product = t.mul(this.#step(-2), sum);
    const a = t.div(this.#step(-1), product);
    const both = pair((x, y) => t.mul(x, y));
    const b = t.div(t.unary("neg", total()), both);
    const whole = total();
    const weight = t.mul(this.#step(-1), whole);
    const left = this.#step(-2);
    const twice = emit("aten.mul.Scalar", [this.#step(-1), 2]);
    const c = t.div(t.add(twice, left), weight);
    return this.#weighed([a, b, c], [[-3, -2], [-2, -1], [-1]]);
  }
}

function checkSpacing(spacing: number | null, self: FakeTensor, dims: readonly IntLike[] | null): void {
  if (spacing === null) return;
  if (dims !== null && spacing !== dims.length) {
    throw invalidArgument(
      "torch.gradient expected spacing to be unspecified, a scalar or it's spacing and dim arguments to have the same " +
        `length, but got a spacing argument of length ${spacing} and a dim argument of length ${dims.length}.`,
    );
  }
  if (dims === null && spacing !== 1 && spacing !== self.ndim) {
    throw invalidArgument(
      "torch.gradient expected spacing to be unspecified, a scalar or a list of length equal to 'self.dim() = " +
        `${self.ndim}', since dim argument was not given, but got a list of length ${spacing}`,
    );
  }
}

interface GradientArgs {
  readonly self: FakeTensor;
  /** One for each dimension, or one for all. */
  readonly spacing: readonly Spacing[] | Spacing;
  readonly dims: readonly IntLike[] | null;
  readonly edge_order: IntLike;
}

function gradient(emit: Emit, { self, spacing, dims, edge_order }: GradientArgs): readonly FakeTensor[] {
  specializeSizes(emit.env, [self]);
  if (self.dtype === "uint8") throw dtypeMismatch("torch.gradient does not support uint8 input.");
  const list = Array.isArray(spacing) ? (spacing as readonly Spacing[]) : undefined;
  checkSpacing(list === undefined ? null : list.length, self, dims);
  const order = Number(edge_order);
  if (order !== 1 && order !== 2) {
    throw invalidArgument("torch.gradient only supports edge_order=1 and edge_order=2.");
  }
  const t = new Arithmetic(emit);
  const along = dims === null ? self.shape.map((_, d) => d) : dims.map((dim) => wrapDim(dim, self.ndim));
  // Only for what it refuses: gradients come in the order in which dimensions were asked for.
  wrapDims(dims, self.ndim);
  for (const dim of along) {
    if (isBelow(emit.env, self.shape[dim]!, order + 1)) {
      throw invalidArgument("torch.gradient expected each dimension size to be at least edge_order+1");
    }
  }
  return along.map((dim, i) => {
    const line = { emit, t, self, dim, order };
    const distance = list === undefined ? (spacing as Spacing) : list[list.length === 1 ? 0 : i]!;
    return distance instanceof FakeTensor ? new Unevenly(line, distance).run() : evenly(line, distance);
  });
}

const tags = ["composite"] as const;
const oneOrAll = (dim: IntLike | null): readonly IntLike[] | null => (dim === null ? null : [dim]);

/** Numerical gradients. */
export const gradientOps: readonly OpDefinition[] = [
  defineOp({
    schema:
      "aten::gradient.scalarint(Tensor self, *, Scalar? spacing=None, int? dim=None, int edge_order=1) -> Tensor[]",
    tags,
    decompose: (emit, { self, spacing, dim, edge_order }) =>
      gradient(emit, { self, spacing: spacing ?? float(1), dims: oneOrAll(dim), edge_order }),
  }),
  defineOp({
    schema: "aten::gradient.array(Tensor self, *, int[] dim, int edge_order=1) -> Tensor[]",
    tags,
    decompose: (emit, { self, dim, edge_order }) =>
      gradient(emit, { self, spacing: float(1), dims: dim, edge_order }),
  }),
  defineOp({
    schema:
      "aten::gradient.scalararray(Tensor self, *, Scalar spacing, int[] dim, int edge_order=1) -> Tensor[]",
    tags,
    decompose: (emit, { self, spacing, dim, edge_order }) =>
      gradient(emit, { self, spacing, dims: dim, edge_order }),
  }),
  defineOp({
    schema:
      "aten::gradient.scalarrayint(Tensor self, *, Scalar[] spacing, int? dim=None, int edge_order=1) -> Tensor[]",
    tags,
    decompose: (emit, { self, spacing, dim, edge_order }) =>
      gradient(emit, { self, spacing, dims: oneOrAll(dim), edge_order }),
  }),
  defineOp({
    schema:
      "aten::gradient.scalarrayarray(Tensor self, *, Scalar[] spacing, int[] dim, int edge_order=1) -> Tensor[]",
    tags,
    decompose: (emit, { self, spacing, dim, edge_order }) =>
      gradient(emit, { self, spacing, dims: dim, edge_order }),
  }),
  defineOp({
    schema:
      "aten::gradient.tensorarrayint(Tensor self, *, Tensor[] spacing, int? dim=None, int edge_order=1) -> Tensor[]",
    tags,
    decompose: (emit, { self, spacing, dim, edge_order }) =>
      gradient(emit, { self, spacing, dims: oneOrAll(dim), edge_order }),
  }),
  defineOp({
    schema:
      "aten::gradient.tensorarray(Tensor self, *, Tensor[] spacing, int[] dim, int edge_order=1) -> Tensor[]",
    tags,
    decompose: (emit, { self, spacing, dim, edge_order }) =>
      gradient(emit, { self, spacing, dims: dim, edge_order }),
  }),
];
