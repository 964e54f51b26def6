/**
 * @file The guards of `ExportedProgram.module()`: what its inputs were specialized to, then what
 * tracing recorded.
 */
import { isSconceError, type SconceError } from "@sconce/errors";
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  float,
  isFloat,
  isSymScalar,
  type ScalarLiteral,
  type SymScalar,
  toNumber,
  type Value,
} from "@sconce/ir";
import {
  asLinear,
  freeSymbols,
  type GuardNode,
  type GuardSource,
  type GuardValue,
  guardHolds,
  type Linear,
  parseGuard,
  printExpr,
  printGuard,
  printSource,
  type SourceResolver,
  SymExpr,
} from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { guardWithoutValue, inputRejected } from "../rows/errors.js";
import type { Leaf } from "./leaf-path.js";

/** Guards in the order in which they are checked. */
export function programGuards(program: ExportedProgram, leaves: readonly Leaf[]): GuardNode[] {
  const guards = [...inputGuards(program, leaves)];
  for (const text of program.guardsCode) guards.push(parseGuard(text));
  return guards;
}

const compare = (left: GuardNode, op: "==" | ">=" | "<=", right: GuardNode): GuardNode => ({
  kind: "compare",
  first: left,
  rest: [[op, right]],
});
const integer = (value: number): GuardNode => ({ kind: "number", value, float: false });

/** Specializations, ranges and equalities of the inputs' sizes and values. */
function inputGuards(program: ExportedProgram, leaves: readonly Leaf[]): GuardNode[] {
  const guards: GuardNode[] = [];
  const sources = new Map<string, GuardSource>();
  const deferred: { readonly source: GuardSource; readonly expr: SymExpr }[] = [];
  const symbolic = (expr: SymExpr, source: GuardSource): void => {
    const key = printExpr(expr);
    const range = program.rangeConstraints.get(key);
    if (range === undefined) return;
    if (freeSymbols(expr).size === 1) deferred.push({ source, expr });
    const known = sources.get(key);
    if (known !== undefined) {
      guards.push(compare(source, "==", known));
      return;
    }
    sources.set(key, source);
    if (range.min > 2) guards.push(compare(source, ">=", integer(range.min)));
    if (range.max < Number.POSITIVE_INFINITY) guards.push(compare(source, "<=", integer(range.max)));
  };
  for (const leaf of leaves) {
    const source = sourceOf(leaf);
    const value = program.graph.node(leaf.name).meta.val;
    if (value instanceof FakeTensor) {
      value.shape.forEach((size, index) => {
        const dim: GuardSource = { ...source, property: "size", index };
        if (typeof size === "number") guards.push(compare(dim, "==", integer(size)));
        else symbolic(size, dim);
      });
    } else if (value !== undefined && isSymScalar(value)) {
      const { kind, expr } = value;
      // Tracing specialized to it, as to a constant.
      if (!(expr instanceof SymExpr)) guards.push(...constantGuard(source, recordedNumber(kind, expr)));
      else if (kind === "SymInt") symbolic(expr, source);
    } else if (leaf.spec.arg.kind === "constant") guards.push(...constantGuard(source, leaf.spec.arg.value));
  }
  return [...guards, ...derivedGuards(deferred, sources)];
}

/** Returns a number that an input records, as arguments hold it. */
export const recordedNumber = (kind: SymScalar["kind"], value: number | boolean): ScalarLiteral =>
  kind === "SymFloat" ? float(Number(value)) : value;

const sourceOf = ({ root, path }: Leaf): GuardSource => ({ kind: "source", root, local: true, path });

function constantGuard(source: GuardSource, value: Argument): GuardNode[] {
  if (value === null) return [];
  if (typeof value === "string" || typeof value === "boolean")
    return [compare(source, "==", { kind: "constant", value })];
  if (typeof value !== "number" && typeof value !== "bigint" && !isFloat(value)) return [];
  const number = toNumber(value as ScalarLiteral);
  if (Number.isNaN(number)) return [{ kind: "call", fn: "math.isnan", args: [source] }];
  const exact = typeof value === "bigint" ? { exact: value } : {};
  return [compare(source, "==", { kind: "number", value: number, float: isFloat(value), ...exact })];
}

/** Equations between sizes whose common symbol no input has alone, as `x = 2*s` and `y = 3*s`. */
function derivedGuards(
  deferred: readonly { readonly source: GuardSource; readonly expr: SymExpr }[],
  sources: ReadonlyMap<string, GuardSource>,
): GuardNode[] {
  const solved = new Map<string, { readonly source: GuardSource; readonly form: Linear }>();
  const guards: GuardNode[] = [];
  for (const { source, expr } of deferred) {
    const form = asLinear(expr);
    if (form === undefined || sources.has(form.symbol.name)) continue;
    const first = solved.get(form.symbol.name);
    if (first === undefined) solved.set(form.symbol.name, { source, form });
    else guards.push(compare(sameSymbol(first.source, first.form, form), "==", source));
  }
  return guards;
}

/** Returns what the size `to` has to be, from the source of a size `from` of the same symbol. */
function sameSymbol(source: GuardSource, from: Linear, to: Linear): GuardNode {
  const ratio = to.coefficient / from.coefficient;
  const offset = to.offset - ratio * from.offset;
  const factor: GuardNode = { kind: "number", value: ratio, float: !Number.isInteger(ratio) };
  const scaled: GuardNode = ratio === 1 ? source : { kind: "binary", op: "*", left: factor, right: source };
  const shift: GuardNode = { kind: "number", value: offset, float: !Number.isInteger(offset) };
  return offset === 0 ? scaled : { kind: "binary", op: "+", left: shift, right: scaled };
}

/** Returns a function that finds the input that a guard reads, by its index. */
export function leafFinder(leaves: readonly Leaf[]): (source: GuardSource) => number | undefined {
  const byText = new Map(leaves.map((leaf, i) => [printSource(sourceOf(leaf)), i]));
  return (source) => {
    const text = leafTexts(source).find((candidate) => byText.has(candidate));
    return text === undefined ? flatIndex(source) : byText.get(text);
  };
}

/** Returns the error of a guard that does not hold, in PyTorch's words. */
export const guardFailed = (guard: GuardNode, where?: string): SconceError =>
  inputRejected("GUARD_FAILED", `Guard failed: ${printGuard(guard)}`, where);

/**
 * Returns what checks the guards in order. The error for the first that fails has PyTorch's own
 * text.
 */
export function guardCheck(
  guards: readonly GuardNode[],
  leaves: readonly Leaf[],
): (inputs: readonly Value[]) => void {
  const find = leafFinder(leaves);
  const found = new Map<GuardSource, number | undefined>();
  const indexOf = (source: GuardSource): number | undefined => {
    if (!found.has(source)) found.set(source, find(source));
    return found.get(source);
  };
  return (inputs) => {
    const resolve = (source: GuardSource): GuardValue | bigint | undefined => {
      const i = indexOf(source);
      return i === undefined ? undefined : propertyOf(inputs[i], source);
    };
    for (const guard of guards) {
      if (!holds(guard, resolve)) throw guardFailed(guard, cameText(guard, resolve));
    }
  };
}

/** @throws SconceError `SYM_OPERAND`, `SYM_DIVISION_BY_ZERO` for guards that have no value */
function holds(guard: GuardNode, resolve: SourceResolver): boolean {
  try {
    return guardHolds(guard, resolve);
  } catch (error) {
    throw isSconceError(error) && error.code.startsWith("SYM_")
      ? guardWithoutValue(printGuard(guard), error)
      : error;
  }
}

/**
 * Texts that a leaf may go by. `forward(x, *a, **k)` has its guards say `a[0]` and `k['w']`, while
 * its parameters are listed as `a_0` and `w`.
 */
function leafTexts({ kind, root, local, path }: GuardSource): string[] {
  const [first, ...rest] = path;
  const named =
    typeof first === "number" ? `${root}_${first}` : typeof first === "string" ? first : undefined;
  const sources = [{ kind, root, local, path }];
  if (named !== undefined) sources.push({ kind, root: named, local, path: rest });
  return sources.map(printSource);
}

function flatIndex({ root, path }: GuardSource): number | undefined {
  return root === "flat_args" && typeof path[0] === "number" ? path[0] : undefined;
}

function propertyOf(
  value: Value | undefined,
  { property, index }: GuardSource,
): GuardValue | bigint | undefined {
  if (property === undefined) {
    if (isFloat(value)) return toNumber(value);
    return value instanceof Tensor ? scalarOf(value) : value;
  }
  if (!(value instanceof Tensor)) return undefined;
  if (property === "storage_offset") return value.storageOffset;
  return (property === "size" ? value.shape : value.strides)[index ?? 0];
}

/**
 * Returns the only element of a tensor in the place of a number, which Python compares.
 * @throws SconceError `GUARD_FAILED`
 */
function scalarOf(tensor: Tensor): GuardValue | bigint {
  if (tensor.numel !== 1) {
    const count = tensor.numel === 0 ? "no values" : "more than one value";
    throw inputRejected("GUARD_FAILED", `Boolean value of Tensor with ${count} is ambiguous`);
  }
  const [value] = tensor.toArray();
  return typeof value === "object" ? Number(value) : value!;
}

/** Returns what came: `x.size()[0] is 2`. */
function cameText(guard: GuardNode, resolve: SourceResolver): string {
  const seen = new Map<string, string>();
  const visit = (node: unknown): void => {
    if (typeof node !== "object" || node === null) return;
    const source = node as GuardSource;
    if (source.kind === "source") seen.set(printSource(source), String(resolve(source)));
    else for (const part of Object.values(node)) visit(part);
  };
  visit(guard);
  return `inputs: ${[...seen].map(([text, value]) => `${text} is ${value}`).join(", ")}`;
}
