/** @file Whether the symbols of recorded values are bound, and their ranges hold some value. */
import { Budget, isSconceError, type SconceError } from "@sconce/errors";
import { freeSymbols, isUnbacked, parseGuard, parseSrepr, SymExpr } from "@sconce/symbolic";
import type { Graph } from "../graph/graph.js";
import { inputsOf, type Node } from "../graph/node.js";
import type { OperatorLookup } from "../graph/operator.js";
import type { Report } from "../graph/problem.js";
import { targetKind } from "../graph/target.js";
import type { ExportedProgram } from "../program/program.js";
import { FakeTensor } from "../values/meta.js";

/** The symbols that are bound so far, those of enclosing graphs included. */
export type Bound = Set<string>;

/**
 * Symbols that a node's value has and nothing binds: no input has them, and the call that has them
 * first does not make new ones. Each is reported once. Nested graphs are checked after the graph
 * that they belong to, with the same `bound`.
 */
export function checkSymbols(
  graph: Graph,
  operators: OperatorLookup | undefined,
  bound: Bound,
  report: Report,
): void {
  for (const node of graph.nodes()) {
    const { val } = node.meta;
    if (val === undefined || val === null || node.op === "output") continue;
    forEachSymbol(val, (symbol) => {
      if (bound.has(symbol.name)) return;
      bound.add(symbol.name);
      if (node.op === "placeholder" || binds(node, symbol, operators)) return;
      report(
        "UNBOUND_SYMBOL",
        `Node ${node.name} records the symbol ${symbol.name}, which no input and no data-dependent call binds`,
        node.name,
        `compute the sizes of ${node.name} from those of its inputs (the pass propagate-shapes does), or add the input that has ${symbol.name} as a size`,
      );
    });
  }
}

const BINDING_TAGS: ReadonlySet<string> = new Set(["dynamic_output_shape", "data_dependent_output"]);

/** Views whose size or offset only the data decide where their bounds do (`x[i]`, `x[i:]`). */
const DATA_VIEWS: ReadonlySet<string> = new Set([
  "aten.select.int",
  "aten.select_copy.int",
  "aten.slice.Tensor",
  "aten.slice_copy.Tensor",
]);

/** Returns whether a call may give a value of a size that none of its inputs has. */
function binds(node: Node, symbol: SymExpr, operators: OperatorLookup | undefined): boolean {
  const { target, meta } = node;
  if (meta.unbackedBindings !== undefined && Object.hasOwn(meta.unbackedBindings, symbol.name)) return true;
  const kind = targetKind(target);
  if (kind === "higher_order") return true;
  if (kind !== "operator") return false;
  if (operators === undefined || !target.startsWith("aten.")) return true;
  if (DATA_VIEWS.has(target)) return isUnbacked(symbol) && inputsOf(node).length > 1;
  const tags = operators.tagsOf(target);
  return tags.some((tag) => BINDING_TAGS.has(tag)) || (tags.includes("composite") && isUnbacked(symbol));
}

/** Sizes repeat from node to node as the same objects: their symbols are found once. */
const symbolsOf = new WeakMap<SymExpr, readonly SymExpr[]>();

function forEachSymbol(value: unknown, visit: (symbol: SymExpr) => void): void {
  if (typeof value !== "object" || value === null) return;
  if (value instanceof SymExpr) {
    let symbols = symbolsOf.get(value);
    if (symbols === undefined) {
      symbols = [...freeSymbols(value).values()];
      symbolsOf.set(value, symbols);
    }
    symbols.forEach(visit);
  } else if (value instanceof FakeTensor) {
    forEachOf(value.shape, visit);
    forEachOf(value.strides, visit);
    forEachSymbol(value.storageOffset, visit);
  } else if (Array.isArray(value)) forEachOf(value, visit);
  else if ("expr" in value) forEachSymbol(value.expr, visit);
}

function forEachOf(values: readonly unknown[] | undefined, visit: (symbol: SymExpr) => void): void {
  if (!Array.isArray(values)) return;
  for (const value of values) if (typeof value === "object") forEachSymbol(value, visit);
}

/** Ranges that no value lies in. */
export function checkRanges({ rangeConstraints }: ExportedProgram, report: Report): void {
  for (const [symbol, { min, max, exact }] of rangeConstraints) {
    const low = exact?.min ?? min;
    const high = exact?.max ?? max;
    if (low <= high) continue;
    report(
      "EMPTY_RANGE",
      `the range of ${symbol} is [${low}, ${high}], which has no value`,
      undefined,
      "give a range whose lower bound is not above its upper bound",
    );
  }
}

/** Guards and keys of ranges that are not expressions: they are read only when the program runs. */
export function checkTexts({ guardsCode, rangeConstraints }: ExportedProgram, report: Report): void {
  const keys = [...rangeConstraints.keys()];
  const size = [...guardsCode, ...keys].reduce((length, text) => length + text.length, 0);
  const budget = new Budget(size);
  const check = (code: string, what: string, text: string, read: () => unknown): void => {
    const error = refusalOf(read);
    if (error === undefined) return;
    const isLong = error.code === "BUDGET_EXCEEDED";
    report(isLong ? error.code : code, `${what} ${shown(text)} cannot be read: ${error.message}`);
  };
  guardsCode.forEach((text, i) => {
    check("GUARD_SYNTAX", `guardsCode[${i}]`, text, () => parseGuard(text, { budget }));
  });
  keys.forEach((text, i) => {
    const what = `the key of rangeConstraints[${i}]`;
    check("RANGE_SYNTAX", what, text, () => parseSrepr(text, { budget }));
  });
}

const shown = (text: string): string => JSON.stringify(text.length > 100 ? `${text.slice(0, 100)}...` : text);

function refusalOf(read: () => unknown): SconceError | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    if (isSconceError(error)) return error;
    throw error;
  }
}
