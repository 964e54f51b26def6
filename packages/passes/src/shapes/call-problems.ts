/**
 * @file What the verifier does not know: whether recorded values are those that the operators'
 * shape rules give.
 */
import {
  checkOptions,
  eachInPieces,
  finish,
  inScope,
  isSconceError,
  type OptionNames,
  type SconceError,
  thrownText,
  type Work,
  withoutStacks,
} from "@sconce/errors";
import {
  type ExportedProgram,
  FakeTensor,
  forEachInput,
  type Graph,
  isRef,
  isSymScalar,
  type MetaValue,
  type Node,
  type NodeRef,
  type Problem,
  type SymScalar,
  sourceLine,
  typeText,
} from "@sconce/ir";
import { type VerifyOptions, verifyAllSteps } from "@sconce/ir/verify";
import { constantValue, isScalarFunction, metaOf, type OperatorTable, requireArguments } from "@sconce/ops";
import { eq, type IntLike, isCondition, SymExpr, symEquals } from "@sconce/symbolic";
import { compositeResult, type RetraceEnv, shapeEnvOf } from "@sconce/trace";
import { isRuleFault } from "./errors.js";
import { layoutText, layoutVerdict } from "./layouts.js";
import { opaqueProblems } from "./opaque-problems.js";
import { scalarValue } from "./scalar-value.js";

/** What rules cannot decide from the sizes alone is not a problem. */
const UNDECIDED: ReadonlySet<string> = new Set(["DATA_DEPENDENT_GUARD", "OPERATOR_WITHOUT_META"]);

/**
 * Calls that their operators refuse for the recorded values of their arguments, and those whose own
 * recorded value has another dtype, rank, size, device, stride or offset than the rule gives.
 * Expressions that may be equal are not a problem, nor are strides that address nothing, or that
 * kernels of PyTorch choose. With the program as it was `before`, only what changed is computed.
 */
export function callProblems(
  program: ExportedProgram,
  operators: OperatorTable,
  before?: ExportedProgram,
  wrong: ReadonlySet<string> = NONE,
): Problem[] {
  return finish(callSteps(program, operators, before, wrong));
}

function callSteps(
  program: ExportedProgram,
  operators: OperatorTable,
  before: ExportedProgram | undefined,
  wrong: ReadonlySet<string>,
): Work<Problem[]> {
  const work = new CallCheck(program, operators, wrong).graph(program.graph, before?.graph, "");
  return inScope(work, withoutStacks);
}

/** What rules say of the recorded values of a program. */
export interface RecordedValues {
  /** See {@link callProblems}. */
  readonly problems: readonly Problem[];
  /** Whether strides or offsets are not those of the rules, though no problem either. */
  readonly hasOtherLayouts: boolean;
}

/** {@link callProblems}, and what is recorded otherwise without being one. */
export function checkRecorded(program: ExportedProgram, operators: OperatorTable): RecordedValues {
  const check = new CallCheck(program, operators, NONE);
  const problems = finish(inScope(check.graph(program.graph, undefined, ""), withoutStacks));
  return { problems, hasOtherLayouts: check.hasOtherLayouts };
}

const NONE: ReadonlySet<string> = new Set();

/** How programs are checked, calls included. */
export interface CallOptions extends VerifyOptions {
  readonly operators: OperatorTable;
  /** The program before a pass; {@link callProblems}. */
  readonly before?: ExportedProgram | undefined;
}

const CALLS: OptionNames<CallOptions> = { operators: true, before: true, dialect: true, dialects: true };

/**
 * `verifyAll` and {@link callProblems}; the calls of nodes that have a problem, or read one, are
 * not computed.
 */
export function verifyCalls(program: ExportedProgram, options: CallOptions): Problem[] {
  return finish(verifyCallsSteps(program, options));
}

/** As {@link verifyCalls}, in pieces. */
export function* verifyCallsSteps(program: ExportedProgram, options: CallOptions): Work<Problem[]> {
  checkOptions("verifyCalls", options, CALLS);
  const { before, ...rest } = options;
  const problems = yield* verifyAllSteps(program, rest);
  if (problems.some(({ code }) => UNREADABLE.has(code))) return problems;
  const { operators } = options;
  const wrong = new Set(problems.map(({ graph, node }) => placeOf(graph ?? "", node ?? "")));
  const opaque =
    before === undefined || problems.length > 0 ? [] : opaqueProblems(program, before, operators);
  yield;
  return [...problems, ...opaque, ...(yield* callSteps(program, operators, before, wrong))];
}

/** Parts of a wrong kind, and graphs whose nodes cannot be found by their names. */
const UNREADABLE: ReadonlySet<string> = new Set(["MALFORMED", "DUPLICATE_NAME"]);

/** Returns a node with the path of its graph. */
const placeOf = (path: string, node: string): string => `${path}\0${node}`;

type Found = Pick<Problem, "code" | "message" | "fix">;

class CallCheck {
  /** See {@link RecordedValues}. */
  hasOtherLayouts = false;
  readonly #env: RetraceEnv;
  readonly #operators: OperatorTable;
  readonly #wrong: ReadonlySet<string>;

  constructor(program: ExportedProgram, operators: OperatorTable, wrong: ReadonlySet<string>) {
    this.#env = shapeEnvOf(program);
    this.#operators = operators;
    this.#wrong = wrong;
  }

  *graph(graph: Graph, before: Graph | undefined, path: string): Work<Problem[]> {
    if (graph === before) return [];
    const problems: Problem[] = [];
    const changed = new Set<string>();
    yield* eachInPieces(graph.nodes(), (node) => {
      const old = before?.find(node.name);
      if (old?.meta.val !== node.meta.val) changed.add(node.name);
      if (node.op !== "call_function") return;
      if (old === node && !readsAny(node, changed)) return;
      if (this.#wrong.size > 0 && this.#isWrong(node, graph, path)) return;
      const problem = this.#call(node, graph);
      if (problem !== undefined) problems.push(located(problem, node, path));
    });
    const autocast = autocastBodies(graph);
    for (const [target, nested] of graph.subgraphs) {
      // Operators compute in other dtypes there than their rules say.
      if (autocast.has(target)) continue;
      const inner = path === "" ? target : `${path}.${target}`;
      problems.push(...(yield* this.graph(nested, before?.subgraphs.get(target), inner)));
    }
    return problems;
  }

  /** Returns whether other checks refuse the node or one that it reads. */
  #isWrong(node: Node, graph: Graph, path: string): boolean {
    const refused = (name: string): boolean => this.#wrong.has(placeOf(path, name));
    let found = refused(node.name);
    forEachInput(node, (name) => {
      found ||= refused(name) || !graph.has(name);
    });
    return found;
  }

  #call(node: Node, graph: Graph): Found | undefined {
    const { target, meta } = node;
    if (target === "operator.getitem") return meta.val === undefined ? undefined : this.#item(node, graph);
    const row = this.#operators.get(target);
    // PyTorch's own operators without a rule are listed as not implemented; a plugin's must say
    // what they give. Drafts record what operators without a fake gave.
    if (row?.meta === undefined && row?.decompose === undefined && !isScalarFunction(target)) {
      const isRecorded = row?.tags.includes("without_fake") === true;
      return row === undefined || isRecorded || target.startsWith("aten.") ? undefined : withoutRule(target);
    }
    if (meta.val === undefined) return undefined;
    try {
      return this.#compared(node, this.#computed(node, graph));
    } catch (error) {
      if (isSconceError(error) && UNDECIDED.has(error.code)) return undefined;
      if (isSconceError(error) && isRuleFault(error))
        return { code: error.code, message: `node ${node.name}: ${error.message}`, ...fixOf(error) };
      const message = `node ${node.name}: ${target} rejects its inputs: ${thrownText(error)}`;
      return { code: "CALL_REFUSED", message, ...(isSconceError(error) ? fixOf(error) : {}) };
    }
  }

  #computed(node: Node, graph: Graph): MetaValue {
    const { target, args, kwargs, meta } = node;
    const resolve = ({ name }: NodeRef): unknown => constantValue(graph.node(name).meta.val);
    if (isScalarFunction(target)) return scalarValue(target, args, resolve, this.#env);
    const schema = this.#operators.schemaOf(target);
    if (schema !== undefined) requireArguments(schema, args.length, kwargs);
    this.#env.expect(meta.val, undefined, compositeResult(node, this.#operators, resolve));
    return metaOf(this.#operators, target, args, kwargs, this.#env, resolve);
  }

  #item(node: Node, graph: Graph): Found | undefined {
    const [source, index] = node.args;
    if (!isRef(source)) return undefined;
    const val = graph.node(source.name).meta.val;
    if (val instanceof FakeTensor) {
      const message = `node ${node.name} takes an item of %${source.name}, which is one tensor: ${typeText(val)}`;
      return { code: "CALL_REFUSED", message, fix: "call aten.select.int, or use the tensor itself" };
    }
    if (!Array.isArray(val)) return undefined;
    const item = (val as readonly MetaValue[])[Number(index)];
    if (item !== undefined) return this.#compared(node, item);
    const count = `%${source.name} has ${val.length} results`;
    return { code: "CALL_REFUSED", message: `node ${node.name} takes result ${Number(index)}: ${count}` };
  }

  #compared({ name, target, meta }: Node, computed: MetaValue): Found | undefined {
    const difference = this.#difference(meta.val!, computed, target);
    if (difference === undefined) return undefined;
    return { code: "CALL_VALUE", message: `node ${name} records ${difference} (${target})` };
  }

  /** `float32[2], the call gives float32[3]`. */
  #difference(recorded: MetaValue, computed: MetaValue, target: string): string | undefined {
    if (recorded instanceof FakeTensor && computed instanceof FakeTensor)
      return this.#tensorDifference(recorded, computed, target);
    if (isSymScalar(recorded) && isSymScalar(computed)) return this.#scalarDifference(recorded, computed);
    if (!Array.isArray(recorded) || !Array.isArray(computed)) {
      const kinds = [recorded, computed].map(kindOf);
      return kinds[0] === kinds[1] || kinds.includes("other")
        ? undefined
        : `${kinds[0]}, the call gives ${kinds[1]}`;
    }
    if (recorded.length !== computed.length)
      return `${recorded.length} results, the call gives ${computed.length}`;
    for (const [i, item] of (recorded as readonly MetaValue[]).entries()) {
      const difference = this.#difference(item, (computed as readonly MetaValue[])[i]!, target);
      if (difference !== undefined) return `result ${i} as ${difference}`;
    }
    return undefined;
  }

  #tensorDifference(recorded: FakeTensor, computed: FakeTensor, target: string): string | undefined {
    const same =
      recorded.dtype === computed.dtype &&
      recorded.ndim === computed.ndim &&
      recorded.shape.every((size, d) => this.#mayEqual(size, computed.shape[d]!));
    if (!same) return `${typeText(recorded)}, the call gives ${typeText(computed)}`;
    const [place, other] = [recorded, computed].map(placeText);
    if (place !== other) return `a tensor ${place}, the call gives one ${other}`;
    const verdict = layoutVerdict(recorded, computed, target, this.#env);
    if (verdict === "wrong") return `${layoutText(recorded)}, the call gives ${layoutText(computed)}`;
    this.hasOtherLayouts ||= verdict === "other";
    return undefined;
  }

  /** `the float s0, the call gives the int s0`. */
  #scalarDifference(recorded: SymScalar, computed: SymScalar): string | undefined {
    const isEqual = recorded.kind === computed.kind && this.#mayEqual(recorded.expr, computed.expr);
    const [text, other] = [recorded, computed].map(({ kind, expr }) => `the ${KINDS[kind]} ${String(expr)}`);
    return isEqual ? undefined : `${text}, the call gives ${other}`;
  }

  #mayEqual(a: SymScalar["expr"], b: SymScalar["expr"]): boolean {
    if (symEquals(a, b)) return true;
    if (!(a instanceof SymExpr) && !(b instanceof SymExpr)) return false;
    if ([a, b].some((one) => typeof one === "boolean" || (one instanceof SymExpr && isCondition(one))))
      return true;
    return this.#env.staticallyKnown(eq(a as IntLike, b as IntLike)) !== false;
  }
}

const KINDS = { SymInt: "int", SymFloat: "float", SymBool: "bool" } as const;

/** Where a tensor lies: `on cuda:0`, with its layout where that is not the usual one. */
const placeText = ({ device: { type, index }, layout }: FakeTensor): string =>
  `on ${type}${index === null ? "" : `:${index}`}${layout === "strided" ? "" : ` with layout ${layout}`}`;

const fixOf = ({ fix }: SconceError): Pick<Found, "fix"> => (fix === undefined ? {} : { fix });

const withoutRule = (target: string): Found => ({
  code: "OPERATOR_WITHOUT_META",
  message: `operator '${target}' has neither a shape rule nor a decomposition`,
  fix: "give the operator a `meta` rule or a `decompose` rule in defineOp",
});

const FIXES: Readonly<Record<string, string>> = {
  CALL_REFUSED: "change the arguments, or correct the values recorded for them",
  CALL_VALUE: "correct meta.val: the pass propagate-shapes computes it",
};

function located(found: Found, node: Node, path: string): Problem {
  const line = sourceLine(node);
  const fix = found.fix ?? FIXES[found.code];
  return {
    ...found,
    node: node.name,
    graph: path,
    ...(line !== undefined && { line }),
    ...(fix !== undefined && { fix }),
  };
}

const kindOf = (val: MetaValue): "a tensor" | "several results" | "other" =>
  val instanceof FakeTensor ? "a tensor" : Array.isArray(val) ? "several results" : "other";

function readsAny(node: Node, names: ReadonlySet<string>): boolean {
  let found = false;
  forEachInput(node, (name) => {
    found ||= names.has(name);
  });
  return found;
}

/** Nested graphs that are run under autocast. */
function autocastBodies(graph: Graph): Set<string> {
  const bodies = new Set<string>();
  for (const { target, args } of graph.nodes()) {
    const body = target === "higher_order.wrap_with_autocast" ? args[4] : undefined;
    if (isRef(body)) bodies.add(graph.node(body.name).target);
  }
  return bodies;
}
