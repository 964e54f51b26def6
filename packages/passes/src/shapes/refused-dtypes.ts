/** @file Calls of a program with dtypes or numbers that PyTorch's CPU kernels refuse. */
import { inScope, isSconceError, type Work, withoutStacks } from "@sconce/errors";
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  type Graph,
  isRef,
  isSymScalar,
  type Node,
  nodePlace,
} from "@sconce/ir";
import { bindArgs, constantValue, hasSettings, type OperatorTable, refuseDTypesDeep } from "@sconce/ops";
import { type RetraceEnv, shapeEnvOf } from "@sconce/trace";
import { perVersion } from "../analysis/per-version.js";
import { argumentKey } from "../changes/argument-key.js";
import { refuseFloatsAsHalves } from "./symbolic-scalars.js";

/**
 * Returns the first call whose dtypes or numbers PyTorch's CPU kernels refuse, and why, or
 * undefined. Shape rules accept such calls: the program can be exported and lowered, and fails when
 * it runs. What it is lowered to may run, therefore it is judged by the calls that it has. Nested
 * graphs count, even if no run reaches them.
 */
export function* refusedDTypeSteps(
  program: ExportedProgram,
  operators: OperatorTable,
): Work<string | undefined> {
  const accepted = acceptedCalls(operators);
  if (accepted.size > MAX_ACCEPTED) accepted.clear();
  const check = { operators, env: shapeEnvOf(program), accepted, own: new Set<string>() };
  return yield* inScope(refusedIn(program.graph, check), withoutStacks);
}

/** Accepted calls of all programs, as {@link keyOf} writes them. */
const acceptedCalls = perVersion(() => new Set<string>());
const MAX_ACCEPTED = 20_000;

interface Check {
  readonly operators: OperatorTable;
  readonly env: RetraceEnv;
  /** Calls with equal dtypes and settings are accepted alike. */
  readonly accepted: Set<string>;
  /** Accepted calls that take a symbolic number: its range is the program's. */
  readonly own: Set<string>;
}

function* refusedIn(graph: Graph, check: Check): Work<string | undefined> {
  for (const node of graph.nodes()) {
    // A part of a list of results may be one of many.
    if (node.op !== "call_function" || node.target === "operator.getitem") continue;
    const key = keyOf(node, graph);
    const accepted = key.includes("Sym") ? check.own : check.accepted;
    if (accepted.has(key)) continue;
    const { refused, isJudged } = verdictOn(node, graph, check);
    if (refused !== undefined) return refused;
    if (isJudged && !dependsOnSettings(node, check)) accepted.add(key);
    yield;
  }
  for (const nested of graph.subgraphs.values()) {
    const refused = yield* refusedIn(nested, check);
    if (refused !== undefined) return refused;
  }
  return undefined;
}

/** Returns whether the verdict on a call depends on more than its key says. */
function dependsOnSettings({ target }: Node, { operators }: Check): boolean {
  const row = operators.get(target);
  return row !== undefined && hasSettings(row);
}

/**
 * Returns what the verdict on a call depends on: dtypes and ranks of tensors and whether they have
 * elements, kinds of numbers, numbers that some dtype does not hold, settings.
 */
function keyOf({ target, args, kwargs }: Node, graph: Graph): string {
  let key = target;
  for (const arg of args) key += `|${partOf(arg, graph)}`;
  for (const name in kwargs) key += `|${name}=${partOf(kwargs[name]!, graph)}`;
  return key;
}

function partOf(arg: Argument, graph: Graph): string {
  if (isRef(arg)) return valuePart(graph.find(arg.name)?.meta.val);
  if (Array.isArray(arg)) {
    const items = arg as readonly Argument[];
    return items.every((item) => typeof item === "number")
      ? items.join()
      : `[${items.map((item) => partOf(item, graph)).join()}]`;
  }
  if (typeof arg === "number" && fitsAll(arg)) return Number.isInteger(arg) ? "int" : "float";
  return argumentKey(arg, (name) => valuePart(graph.find(name)?.meta.val));
}

/** Calls on no element are accepted, and some on a single one. */
function fewPart({ shape }: FakeTensor): string {
  if (shape.includes(0)) return "empty";
  return shape.every((size) => size === 1) ? "single" : "";
}

/** Returns whether all dtypes hold a number and its reciprocal. */
const fitsAll = (value: number): boolean => value === 0 || (value >= 2 ** -12 && value < 128);

function valuePart(val: unknown): string {
  if (val instanceof FakeTensor) return `${val.dtype}:${val.ndim}${fewPart(val)}`;
  if (Array.isArray(val)) return `[${val.map(valuePart).join()}]`;
  const constant = constantValue(val);
  if (constant !== val) return argumentKey(constant as Argument, String);
  return isSymScalar(val) ? val.kind : "value";
}

const REFUSALS: ReadonlySet<string> = new Set(["DTYPE_MISMATCH", "INVALID_ARGUMENT"]);

interface Verdict {
  readonly refused?: string;
  /** False where another error ended the judgment: an equal call may be refused. */
  readonly isJudged: boolean;
}

function verdictOn(node: Node, graph: Graph, { operators, env }: Check): Verdict {
  const { target, args, kwargs } = node;
  const row = operators.get(target);
  if (row === undefined) return { isJudged: true };
  try {
    const bound = bindArgs(row.schema, args, kwargs, ({ name }) => constantValue(graph.node(name).meta.val));
    refuseDTypesDeep(operators, [row, bound], env);
    refuseFloatsAsHalves(operators, row, bound, env);
    return { isJudged: true };
  } catch (error) {
    // Other errors are for the check of calls, or for the run.
    if (!isSconceError(error)) throw error;
    if (!REFUSALS.has(error.code)) return { isJudged: false };
    return { refused: `${nodePlace(node)}: ${error.message}`, isJudged: true };
  }
}
