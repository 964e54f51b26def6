/** @file Sequences, identity matrices, index grids and windows. */
import { device, FakeTensor, type IntLike, float as pythonFloat, type SymScalar } from "@sconce/ir";
import { add, type BoolLike, eq, floorDiv, gt, type SymEnv, sub } from "@sconce/symbolic";
import { type DType, isComplexDType, isFloatDType, isIntegralDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument } from "../rows/errors.js";
import { evaluateScalarFunction } from "../rows/scalar-functions.js";
import { convert, integerOf, numberOf } from "../rules/decompose.js";
import { created, type FactoryOptions, factoryKwargs, OPTIONS, type Options } from "../rules/options.js";
import { computationDType, scalarKind } from "../rules/promote.js";
import { isSymbolicScalar, scalarMath } from "../rules/scalar-math.js";
import type { ScalarArg } from "../schema/schema-types.js";

const DEFAULT: DType = "float32";

/** int64 when all are Python ints, else the default dtype. */
function rangeDType(values: readonly ScalarArg[]): DType {
  return values.every((value) => ["int", "bool"].includes(scalarKind(value))) ? "int64" : DEFAULT;
}

const sizeOf = (value: ScalarArg): IntLike =>
  typeof value === "object" && value.kind === "SymInt" ? value.expr : Math.trunc(numberOf(value));

/** Returns how many integers there are. */
function integerCount(start: bigint, end: bigint, step: bigint): number {
  const span = step > 0n ? end - start : start - end;
  const size = step > 0n ? step : -step;
  if (span < 0n) throw wrongDirection();
  const count = Number((span + size - 1n) / size);
  if (!Number.isSafeInteger(count)) throw invalidArgument("invalid size, possible overflow?");
  return count;
}

/** Returns how many steps fit; exact for integers, symbolic ones too. */
function rangeLength(start: ScalarArg, end: ScalarArg, step: ScalarArg, env: SymEnv): IntLike {
  if ([start, end, step].some(isSymbolicScalar)) return symbolicLength(start, end, step, env);
  const stride = numberOf(step);
  // NaN is neither, and PyTorch says the same of it.
  if (!(stride > 0 || stride < 0)) throw invalidArgument("step must be nonzero");
  if (rangeDType([start, end, step]) === "int64")
    return integerCount(integerOf(start), integerOf(end), integerOf(step));
  checkDirection(start, end, stride);
  const [low, high] = [numberOf(start), numberOf(end)];
  if (!Number.isFinite(low) || !Number.isFinite(high))
    throw invalidArgument(`unsupported range: ${low} -> ${high}`);
  const length = Math.ceil((high - low) / stride);
  if (!Number.isSafeInteger(length)) throw invalidArgument("invalid size, possible overflow?");
  return length;
}

/**
 * Returns the same for numbers that are not known: `(end - start + step - sign) // step`, or
 * `ceil((end - start) / step)`.
 */
function symbolicLength(start: ScalarArg, end: ScalarArg, step: ScalarArg, env: SymEnv): IntLike {
  requireDirection(start, end, step, env);
  if (rangeDType([start, end, step]) === "int64") {
    const stride = sizeOf(step);
    const last = add(sub(sizeOf(end), sizeOf(start)), sub(stride, signOf(stride, env)));
    return floorDiv(last, stride);
  }
  const width = scalarMath("operator.sub", [end, start]);
  const count = scalarMath("math.ceil", [scalarMath("operator.truediv", [width, step])]);
  return typeof count === "object" ? (count as { expr: IntLike }).expr : Number(count);
}

const wrongDirection = (): Error =>
  invalidArgument("upper bound and lower bound inconsistent with step sign");

/**
 * Returns the direction of a step. @throws SconceError `INVALID_ARGUMENT`, `DATA_DEPENDENT_GUARD`
 */
function signOf(step: IntLike, env: SymEnv): number {
  if (typeof step === "number") {
    if (step === 0) throw invalidArgument("step must be nonzero");
    return Math.sign(step);
  }
  if (env.guard(eq(step, 0))) throw invalidArgument("step must be nonzero");
  return env.guard(gt(step, 0)) ? 1 : -1;
}

/**
 * Requires that the step leads from the start to the end.
 * @throws SconceError `INVALID_ARGUMENT`
 */
function requireDirection(start: ScalarArg, end: ScalarArg, step: ScalarArg, env: SymEnv): void {
  const isUp = isSymbolicScalar(step) ? env.guard(isPositive(step)) : numberOf(step) > 0;
  const isAhead = scalarMath(isUp ? "operator.ge" : "operator.le", [end, start]);
  const condition =
    typeof isAhead === "object" ? ((isAhead as SymScalar).expr as BoolLike) : Boolean(isAhead);
  if (!env.check(condition)) throw wrongDirection();
}

const isPositive = (step: SymScalar): BoolLike =>
  evaluateScalarFunction("operator.gt", [step, 0]).expr as BoolLike;

/** A range that goes the other way is refused even where it would be empty after rounding. */
function checkDirection(start: ScalarArg, end: ScalarArg, stride: number): void {
  if ((numberOf(end) - numberOf(start)) * stride < 0) throw wrongDirection();
}

function arange(
  bounds: readonly [ScalarArg, ScalarArg, ScalarArg],
  options: FactoryOptions,
  env: SymEnv,
): FakeTensor {
  const dtype = options.dtype ?? rangeDType(bounds);
  return created([rangeLength(...bounds, env)], dtype, options, env);
}

/** Ranges stay without a device where none was given. */
const unplaced = (options: FactoryOptions) => ({ ...factoryKwargs(options), device: options.device });

const arangeOps = [
  defineOp({
    schema:
      `aten::arange(Scalar end, *, ${OPTIONS}) -> Tensor` as `aten::arange(Scalar end, *, ${Options}) -> Tensor`,
    meta: ({ end, ...options }, { env }) => arange([0, end, 1], options, env),
    decompose: (emit, { end, ...options }) => emit("aten.arange.start_step", [0, end, 1], unplaced(options)),
  }),
  defineOp({
    schema:
      `aten::arange.start(Scalar start, Scalar end, *, ${OPTIONS}) -> Tensor` as `aten::arange.start(Scalar start, Scalar end, *, ${Options}) -> Tensor`,
    meta: ({ start, end, ...options }, { env }) => arange([start, end, 1], options, env),
    decompose: (emit, { start, end, ...options }) =>
      emit("aten.arange.start_step", [start, end, 1], unplaced(options)),
  }),
  defineOp({
    schema:
      `aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ${OPTIONS}) -> Tensor` as `aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ${Options}) -> Tensor`,
    tags: ["core"],
    meta: ({ start, end, step, ...options }, { env }) => arange([start, end, step], options, env),
  }),
];

function eye(emit: Emit, rows: IntLike, columns: IntLike, options: FactoryOptions): FakeTensor {
  const dtype = countingDType(rows, columns);
  const [down, across] = [rows, columns].map((size) =>
    emit("aten.arange.default", [size], {
      dtype,
      device: options.device ?? device("cpu"),
      pin_memory: false,
    }),
  ) as [FakeTensor, FakeTensor];
  const diagonal = emit("aten.eq.Tensor", [emit("aten.unsqueeze.default", [down, -1]), across]);
  return convert(emit, diagonal, options.dtype ?? DEFAULT);
}

/** Returns the smallest dtype that PyTorch counts rows and columns in. */
function countingDType(rows: IntLike, columns: IntLike): DType {
  if (typeof rows !== "number" || typeof columns !== "number") return "int64";
  const most = Math.max(rows, columns);
  if (most <= 255) return "uint8";
  if (most <= 65535) return "uint16";
  return most <= 2147483647 ? "int32" : "int64";
}

function checkEye(n: IntLike, name: "n" | "m"): void {
  if (typeof n === "number" && n < 0)
    throw invalidArgument(`${name} must be greater or equal to 0, got ${n}`);
}

const eyeOps = [
  defineOp({
    schema: `aten::eye(SymInt n, *, ${OPTIONS}) -> Tensor` as `aten::eye(SymInt n, *, ${Options}) -> Tensor`,
    meta: ({ n, ...options }, { env }) => {
      checkEye(n, "n");
      return created([n, n], options.dtype ?? DEFAULT, options, env);
    },
    decompose: (emit, { n, ...options }) => eye(emit, n, n, options),
  }),
  defineOp({
    schema:
      `aten::eye.m(SymInt n, SymInt m, *, ${OPTIONS}) -> Tensor` as `aten::eye.m(SymInt n, SymInt m, *, ${Options}) -> Tensor`,
    meta: ({ n, m, ...options }, { env }) => {
      checkEye(n, "n");
      checkEye(m, "m");
      return created([n, m], options.dtype ?? DEFAULT, options, env);
    },
    decompose: (emit, { n, m, ...options }) => eye(emit, n, m, options),
  }),
];

/** A point of a sequence: a number, or a 0-d tensor. */
type Point = ScalarArg | FakeTensor;

function linspaceMeta(start: Point, end: Point, steps: IntLike, options: FactoryOptions): FakeTensor {
  for (const point of [start, end]) {
    if (point instanceof FakeTensor && point.ndim > 0) {
      throw invalidArgument("linspace only supports 0-dimensional start and end tensors");
    }
  }
  if (typeof steps === "number" && steps < 0) throw invalidArgument("number of steps must be non-negative");
  const complex = [start, end].some((point) =>
    point instanceof FakeTensor ? isComplexDType(point.dtype) : scalarKind(point) === "complex",
  );
  if (complex && options.dtype !== null && !isComplexDType(options.dtype)) {
    throw dtypeMismatch(
      `torch.linspace(): inferred dtype complex64 can't be safely cast to passed dtype ${options.dtype}`,
    );
  }
  return created([steps], options.dtype ?? (complex ? "complex64" : DEFAULT), options);
}

/** Counts in integers and computes each half from its own end, so that both ends are exact. */
function linspace(emit: Emit, start: Point, end: Point, steps: number, options: FactoryOptions): FakeTensor {
  const dtype = options.dtype ?? DEFAULT;
  const kwargs = factoryKwargs({ ...options, dtype: null });
  const [low, high] = [start, end].map((point) =>
    point instanceof FakeTensor ? convert(emit, point, "float64") : point,
  ) as [Point, Point];
  if (steps === 0) return emit("aten.full.default", [[0], 0], { ...kwargs, dtype });
  if (steps === 1) {
    if (!(low instanceof FakeTensor)) return emit("aten.full.default", [[1], low], { ...kwargs, dtype });
    return emit("aten.copy.default", [emit("aten.empty.memory_format", [[1]], { ...kwargs, dtype }), low]);
  }
  const count = emit("aten.arange.start", [0, steps], kwargs);
  const inner = isFloatDType(dtype) || isComplexDType(dtype) ? computationDType(dtype) : "int64";
  const step = stepBetween(emit, low, high, steps);
  const firstHalf = emit("aten.lt.Scalar", [count, pythonFloat(steps / 2)]);
  const scale = (places: FakeTensor): FakeTensor => {
    const converted = convert(emit, places, inner);
    return emit("aten.mul.Tensor", step instanceof FakeTensor ? [step, converted] : [converted, step]);
  };
  const up = scale(count);
  const fromStart =
    low instanceof FakeTensor ? emit("aten.add.Tensor", [low, up]) : emit("aten.add.Tensor", [up, low]);
  const down = scale(emit("aten.rsub.Scalar", [count, steps - 1]));
  const fromEnd =
    high instanceof FakeTensor
      ? emit("aten.sub.Tensor", [high, down])
      : emit("aten.rsub.Scalar", [down, high]);
  return convert(emit, emit("aten.where.self", [firstHalf, fromStart, fromEnd]), dtype);
}

function stepBetween(emit: Emit, low: Point, high: Point, steps: number) {
  if (!(low instanceof FakeTensor) && !(high instanceof FakeTensor)) {
    if (!isSymbolicScalar(low) && !isSymbolicScalar(high))
      return pythonFloat((numberOf(high) - numberOf(low)) / (steps - 1));
    return scalarMath("operator.truediv", [scalarMath("operator.sub", [high, low], emit), steps - 1], emit);
  }
  const width =
    high instanceof FakeTensor
      ? emit("aten.sub.Tensor", [high, low])
      : emit("aten.rsub.Scalar", [low as FakeTensor, high]);
  return emit("aten.div.Tensor", [width, steps - 1]);
}

/** An end of an integer sequence is cut to that dtype first. */
function wholePoint(emit: Emit, point: Point, dtype: DType): Point {
  if (point instanceof FakeTensor) return convert(emit, point, dtype);
  return scalarKind(point) === "float" ? scalarMath("math.trunc", [point]) : point;
}

const POINTS = [
  ["", "Scalar", "Scalar"],
  [".Tensor_Tensor", "Tensor", "Tensor"],
  [".Tensor_Scalar", "Tensor", "Scalar"],
  [".Scalar_Tensor", "Scalar", "Tensor"],
] as const;

const linspaceOps = POINTS.flatMap(([overload, start, end]) => [
  defineOp({
    schema:
      `aten::linspace${overload}(${start} start, ${end} end, int steps, *, ${OPTIONS}) -> Tensor` as `aten::linspace(Scalar start, Scalar end, int steps, *, ${Options}) -> Tensor`,
    meta: (args) => linspaceMeta(args.start, args.end, args.steps, args),
    decompose: (emit, args) => linspace(emit, args.start, args.end, Number(args.steps), args),
  }),
  defineOp({
    schema:
      `aten::logspace${overload}(${start} start, ${end} end, int steps, float base=10., *, ${OPTIONS}) -> Tensor` as `aten::logspace(Scalar start, Scalar end, int steps, float base=10., *, ${Options}) -> Tensor`,
    meta: (args) => linspaceMeta(args.start, args.end, args.steps, args),
    decompose: (emit, args) => {
      const [start, end] = [args.start, args.end].map((point: Point) =>
        isIntegralDType(args.dtype ?? DEFAULT) ? wholePoint(emit, point, args.dtype!) : point,
      ) as [Point, Point];
      const exponents = linspace(emit, start, end, Number(args.steps), {
        ...args,
        dtype: "float64",
      });
      // The default base is a Python int in PyTorch's code, any other arrives as a float.
      const base = args.base === 10 ? 10 : pythonFloat(args.base);
      return convert(emit, emit("aten.pow.Scalar", [base, exponents]), args.dtype ?? DEFAULT);
    },
  }),
]);

/** Returns how many entries of a rows x columns matrix lie on or below a diagonal. */
function countBelow(rows: bigint, columns: bigint, offset: bigint): bigint {
  const within = (row: bigint): bigint => (row < 0n ? 0n : row > rows ? rows : row);
  // Rows have no entry before the first of these, and all entries from the second one on.
  const first = within(-offset);
  const whole = columns - offset - 1n > first ? within(columns - offset - 1n) : first;
  const growing = whole - first;
  return growing * (offset + 1n) + ((first + whole - 1n) * growing) / 2n + (rows - whole) * columns;
}

const INDEX_OPTIONS = OPTIONS.replace("dtype=None", "dtype=4");
type IndexSchema = `aten::tril_indices(int row, int col, int offset=0, *, ${Options}) -> Tensor`;

const indexOps = (["tril_indices", "triu_indices"] as const).map((name) =>
  defineOp({
    schema: `aten::${name}(int row, int col, int offset=0, *, ${INDEX_OPTIONS}) -> Tensor` as IndexSchema,
    meta: ({ row, col, offset, ...options }, { env }) => {
      const exact = (value: IntLike): bigint =>
        BigInt(
          typeof value === "number" ? value : value.op === "Integer" ? value.value : env.guardInt(value),
        );
      const [rows, columns, shift] = [exact(row), exact(col), exact(offset)];
      if (rows < 0n) throw invalidArgument(`row must be non-negative, got${rows}`);
      if (columns < 0n) throw invalidArgument(`col must be non-negative, got${columns}`);
      const below = countBelow(rows, columns, name === "tril_indices" ? shift : shift - 1n);
      const count = name === "tril_indices" ? below : rows * columns - below;
      if (count > BigInt(Number.MAX_SAFE_INTEGER))
        throw invalidArgument(`Storage size calculation overflowed with sizes=[${count}]`);
      const isRounded = [shift, rows > columns ? rows : columns].every((one) => one ** 2n >= 2n ** 106n);
      if (count > 0n && isRounded)
        throw invalidArgument(`the sum of the offset ${shift} and of a size of 2^53 or more is not exact`);
      return created([2, Number(count)], options.dtype ?? "int64", options);
    },
  }),
);

function hannWindow(emit: Emit, length: number, periodic: boolean, options: FactoryOptions): FakeTensor {
  const dtype = options.dtype ?? DEFAULT;
  const { layout, device, pin_memory: pin } = options;
  if (length < 2) {
    const target = length === 0 ? "aten.empty.memory_format" : "aten.ones.default";
    return emit(target, [[length]], { dtype, layout, device, pin_memory: pin });
  }
  const n = periodic ? length + 1 : length;
  const places = emit("aten.arange.default", [n], {
    dtype: computationDType(dtype),
    layout,
    device,
    pin_memory: pin,
  });
  const wave = emit("aten.cos.default", [
    emit("aten.mul.Tensor", [places, pythonFloat((2 * Math.PI) / (n - 1))]),
  ]);
  const window = emit("aten.add.Tensor", [emit("aten.mul.Tensor", [wave, -0.5]), 0.5]);
  return convert(emit, periodic ? emit("aten.narrow.default", [window, 0, 0, length]) : window, dtype);
}

const windowOps = [
  defineOp({
    schema:
      `aten::hann_window(int window_length, *, ${OPTIONS}) -> Tensor` as `aten::hann_window(int window_length, *, ${Options}) -> Tensor`,
    meta: ({ window_length: length, ...options }) => created([length], options.dtype ?? DEFAULT, options),
    decompose: (emit, { window_length: length, ...options }) =>
      hannWindow(emit, Number(length), true, options),
  }),
  defineOp({
    schema:
      `aten::hann_window.periodic(int window_length, bool periodic, *, ${OPTIONS}) -> Tensor` as `aten::hann_window.periodic(int window_length, bool periodic, *, ${Options}) -> Tensor`,
    meta: ({ window_length: length, ...options }) => created([length], options.dtype ?? DEFAULT, options),
    decompose: (emit, { window_length: length, periodic, ...options }) =>
      hannWindow(emit, Number(length), periodic, options),
  }),
];

export const rangeOps: readonly OpDefinition[] = [
  ...arangeOps,
  ...eyeOps,
  ...linspaceOps,
  ...indexOps,
  ...windowOps,
];
