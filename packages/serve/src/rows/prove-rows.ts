/** @file Proves that a program computes each row of its results from the same row of its inputs. */
import { type ExportedProgram, FakeTensor, inputsOf, isRef, type MetaValue, type Node } from "@sconce/ir";
import { bindArgs, type OperatorTable, userLeaves } from "@sconce/ops";
import { type IntLike, printExpr, SymExpr, sameSize } from "@sconce/symbolic";
import { type Axis, hasRows, mixed, type RowCount, RowsMixed, requireSizes, type Tracked } from "./axis.js";
import { AXIS_RULES, type Axes, broadcastAxis, SIZE_ARGUMENTS } from "./axis-rules.js";

/** What {@link proveRows} finds. */
export type RowProof =
  /** Rows stay separate; `symbol` counts them: `s77`. */
  | { readonly rows: string; readonly reason?: undefined }
  /** Why it cannot be proved, as a clause that names the node. */
  | { readonly rows?: undefined; readonly reason: string };

/**
 * Proves that the rows of different calls can be computed in one call: the first dimension of every
 * input and of every output is the same symbol, no other size depends on it, and each row of each
 * value is computed from the same row of the inputs. The proof follows every call of the program,
 * which `runDecompositions` should have lowered; an operator without a rule ends it.
 *
 * The proof is about the values that the operators define. The order in which a kernel adds may
 * still depend on the number of rows, so results may differ by rounding.
 */
export function proveRows(program: ExportedProgram, operators: OperatorTable): RowProof {
  try {
    const rows = rowsOf(program);
    new Proof(program, operators, rows).run();
    return { rows: rows.name };
  } catch (error) {
    if (error instanceof RowsMixed) return { reason: error.reason };
    throw error;
  }
}

const fakeOf = (program: ExportedProgram, name: string): FakeTensor | undefined => {
  const val = program.graph.find(name)?.meta.val;
  return val instanceof FakeTensor ? val : undefined;
};

/** Returns the symbol of the first dimension of all inputs. */
function rowsOf(program: ExportedProgram): RowCount {
  let rows: RowCount | undefined;
  for (const { spec, name, place } of userLeaves(program)) {
    if (spec.arg.kind === "constant") continue;
    const fake = fakeOf(program, name);
    if (fake === undefined) mixed(`the input ${place} is not a tensor`);
    const first = fake!.shape[0];
    if (first === undefined || typeof first === "number" || !/^\w+$/.test(printExpr(first)))
      mixed(
        `the first dimension of the input ${place} is ${first === undefined ? "missing" : printExpr(first)}, not a symbol`,
      );
    rows ??= { name: printExpr(first!), size: first! };
    if (!sameSize(rows.size, first!))
      mixed(
        `the first dimension of the input ${place} is ${printExpr(first!)}, and that of another input ${rows.name}`,
      );
    const other = fake!.shape.findIndex((size, d) => d > 0 && hasRows(size, rows!));
    if (other > 0) mixed(`dimension ${other} of the input ${place} depends on ${rows.name}, too`);
  }
  return rows ?? mixed("it has no input that is a tensor");
}

/** Calls that compute sizes of tensors; their values are expressions. */
const isSizeCall = (target: string): boolean => /^(aten\.sym_|operator\.|torch\.sym_|math\.)/.test(target);
/** Checks without a result. Where one fails for several requests, each of them runs alone. */
const CHECKS = /^aten\.(_assert_scalar|_assert_tensor_metadata|sym_constrain_range)/;

class Proof {
  readonly #program: ExportedProgram;
  readonly #operators: OperatorTable;
  readonly #rows: RowCount;
  readonly #axes = new Map<string, Axes>();

  constructor(program: ExportedProgram, operators: OperatorTable, rows: RowCount) {
    this.#program = program;
    this.#operators = operators;
    this.#rows = rows;
  }

  run(): void {
    for (const { spec, name } of userLeaves(this.#program))
      if (spec.arg.kind !== "constant") this.#axes.set(name, { dim: 0, inner: 1 });
    for (const node of this.#program.graph.calls()) this.#step(node);
    this.#requireOutputs();
  }

  #step(node: Node): void {
    try {
      this.#axes.set(node.name, this.#axesOf(node));
    } catch (error) {
      if (error instanceof RowsMixed) mixed(`at %${node.name} (${node.target}): ${error.reason}`);
      throw error;
    }
  }

  #axesOf(node: Node): Axes {
    const { target, args, meta } = node;
    const [operand, at] = args;
    if (target === "operator.getitem" && isRef(operand)) {
      return this.#checked(meta.val, axisAt(this.#axes.get(operand.name), at as number));
    }
    if (CHECKS.test(target)) return undefined;
    if (isSizeCall(target) && !(meta.val instanceof FakeTensor)) return undefined;
    const schema = this.#operators.schemaOf(target);
    if (schema === undefined) return this.#fixed(node, [node.args, node.kwargs]);
    const bound = bindArgs(schema, args, node.kwargs, ({ name }) => this.#tracked(name));
    if (this.#operators.tagsOf(target).includes("nondeterministic_seeded")) mixed("it draws random numbers");
    const isOfTensors = shapesOf(meta.val).length === (Array.isArray(meta.val) ? meta.val.length : 1);
    const rule = AXIS_RULES.get(target);
    if (rule !== undefined && isOfTensors) {
      this.#refuseCounts(Object.entries(bound).filter(([name]) => !SIZE_ARGUMENTS.has(name)));
      const shape = shapesOf(meta.val)[0] ?? [];
      return this.#checked(meta.val, rule(bound, shape, this.#rows));
    }
    // `aten.equal` has the tag, and compares all elements.
    const isElementwise = isOfTensors && this.#operators.tagsOf(target).includes("pointwise");
    if (!isElementwise) return this.#fixed(node, bound);
    this.#refuseCounts(bound);
    const operands = trackedIn(bound);
    return this.#checked(meta.val, broadcastAxis(operands, shapesOf(meta.val)[0]?.length ?? 0));
  }

  /** Returns what rules see of a node: a tensor with its axis, or the expression of a scalar. */
  #tracked(name: string): unknown {
    const { val } = this.#program.graph.node(name).meta;
    const axes = this.#axes.get(name);
    const tracked = (one: MetaValue | undefined, i: number): unknown =>
      one instanceof FakeTensor
        ? ({ shape: one.shape, dtype: one.dtype, axis: axisAt(axes, i) } satisfies Tracked)
        : one;
    return Array.isArray(val) ? (val as readonly MetaValue[]).map(tracked) : tracked(val, 0);
  }

  /**
   * A call without a rule is the same for all requests where nothing that it takes depends on them.
   */
  #fixed(node: Node, given: unknown): Axes {
    this.#refuseCounts(given);
    if (inputsOf(node).some((name) => this.#axes.get(name) !== undefined || this.#dependsOnCount(name)))
      mixed("no rule says which rows it combines");
    return this.#checked(node.meta.val, undefined);
  }

  #dependsOnCount(name: string): boolean {
    const val = this.#program.graph.find(name)?.meta.val;
    return !(val instanceof FakeTensor) && mentions(val, this.#rows);
  }

  /** Refuses a scalar that depends on how many rows there are. */
  #refuseCounts(given: unknown): void {
    if (mentions(given, this.#rows)) mixed("it computes with the number of rows");
  }

  #checked(val: MetaValue | undefined, axes: Axes): Axes {
    for (const [i, shape] of shapesOf(val).entries()) requireSizes({ shape }, axisAt(axes, i), this.#rows);
    return axes;
  }

  #requireOutputs(): void {
    this.#program.userOutputs.forEach((output, i) => {
      if (!("name" in output)) return;
      const axis = axisAt(this.#axes.get(output.name), 0);
      const isRows = axis !== undefined && axis.dim === 0 && sameSize(axis.inner, 1);
      if (!isRows) mixed(`the first dimension of output ${i} (%${output.name}) does not hold the rows`);
    });
  }
}

/** Returns the axis of one result. */
const axisAt = (axes: Axes, at: number): Axis | undefined =>
  Array.isArray(axes) ? (axes as readonly (Axis | undefined)[])[at] : (axes as Axis | undefined);

/** Returns the shapes of the tensors among results. */
function shapesOf(val: MetaValue | undefined): (readonly IntLike[])[] {
  if (val instanceof FakeTensor) return [val.shape];
  return Array.isArray(val)
    ? (val as readonly MetaValue[]).flatMap((one) => (one instanceof FakeTensor ? [one.shape] : []))
    : [];
}

const isTracked = (value: unknown): value is Tracked =>
  typeof value === "object" && value !== null && "axis" in value && "shape" in value;

function trackedIn(value: unknown): Tracked[] {
  if (isTracked(value)) return [value];
  if (typeof value !== "object" || value === null) return [];
  return Object.values(value).flatMap((one) => (typeof one === "object" ? trackedIn(one) : []));
}

/**
 * Returns whether scalars among arguments, or the value of a node, depend on the number of rows.
 */
function mentions(value: unknown, rows: RowCount): boolean {
  if (typeof value !== "object" || value === null || isTracked(value) || value instanceof FakeTensor)
    return false;
  if (Array.isArray(value)) return value.some((one) => mentions(one, rows));
  if ("kind" in value && "expr" in value) return hasRows(value.expr, rows);
  return value instanceof SymExpr
    ? hasRows(value, rows)
    : Object.values(value).some((one) => mentions(one, rows));
}
