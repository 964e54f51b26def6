/** @file What the verifier does not know: whether recorded values are those that the operators' shape rules give. */
import { isSconceError, thrownText } from "@sconce/errors";
import {
  type ExportedProgram,
  FakeTensor,
  forEachInput,
  type Graph,
  isRef,
  type MetaValue,
  type Node,
  type NodeRef,
  type Problem,
  type VerifyOptions,
} from "@sconce/ir";
import { verifyAll } from "@sconce/ir/verify";
import { constantValue, metaOf, type OperatorTable } from "@sconce/ops";
import { eq, printExpr, type SymInt } from "@sconce/symbolic";
import { type RetraceEnv, shapeEnvOf } from "../decompose/shape-env.js";
import { opaqueProblems } from "./opaque-problems.js";
import { symbolNames } from "./propagate.js";

/** What rules cannot decide from the sizes alone is no problem. */
const UNDECIDED: ReadonlySet<string> = new Set(["DATA_DEPENDENT_GUARD", "OPERATOR_WITHOUT_META"]);

/**
 * Calls that their operators refuse for the recorded values of their arguments, and those whose own recorded value has
 * another dtype, rank or size than the rule gives. Where expressions may be equal nothing is said. With the program as it
 * was `before`, only what changed is computed.
 */
export function callProblems(
  program: ExportedProgram,
  operators: OperatorTable,
  before?: ExportedProgram,
): Problem[] {
  return new CallCheck(program, operators).graph(program.graph, before?.graph, "");
}

/** How programs are checked, calls included. */
export interface CallOptions extends VerifyOptions {
  readonly operators: OperatorTable;
  /** The program before a pass; {@link callProblems}. */
  readonly before?: ExportedProgram | undefined;
}

/** `verifyAll`, and for a program that is valid by its rules {@link callProblems}, which can only look at such. */
export function verifyCalls(program: ExportedProgram, options: CallOptions): Problem[] {
  const problems = verifyAll(program, options);
  if (problems.length > 0) return problems;
  const { operators, before } = options;
  const opaque = before === undefined ? [] : opaqueProblems(program, before, operators);
  return [...opaque, ...callProblems(program, operators, before)];
}

type Found = Pick<Problem, "code" | "message">;

class CallCheck {
  readonly #env: RetraceEnv;
  readonly #operators: OperatorTable;

  constructor(program: ExportedProgram, operators: OperatorTable) {
    this.#env = shapeEnvOf(program);
    this.#operators = operators;
  }

  graph(graph: Graph, before: Graph | undefined, path: string): Problem[] {
    if (graph === before) return [];
    const problems: Problem[] = [];
    const changed = new Set<string>();
    for (const node of graph.nodes()) {
      const old = before?.find(node.name);
      if (old?.meta.val !== node.meta.val) changed.add(node.name);
      if (node.op !== "call_function") continue;
      if (old === node && !readsAny(node, changed)) continue;
      const problem = this.#call(node, graph);
      if (problem !== undefined) problems.push({ ...problem, node: node.name, graph: path });
    }
    const autocast = autocastBodies(graph);
    for (const [target, nested] of graph.subgraphs) {
      // Operators compute in other dtypes there than their rules say.
      if (autocast.has(target)) continue;
      const inner = path === "" ? target : `${path}.${target}`;
      problems.push(...this.graph(nested, before?.subgraphs.get(target), inner));
    }
    return problems;
  }

  #call(node: Node, graph: Graph): Found | undefined {
    const { target, meta } = node;
    if (meta.val === undefined) return undefined;
    if (target === "operator.getitem") return this.#item(node, graph);
    const row = this.#operators.get(target);
    if (row?.meta === undefined && row?.decompose === undefined) return undefined;
    try {
      return this.#compared(node, this.#computed(node, graph));
    } catch (error) {
      if (isSconceError(error) && UNDECIDED.has(error.code)) return undefined;
      const told = `node ${node.name}: ${target} refuses its inputs: ${thrownText(error)}`;
      return { code: "CALL_REFUSED", message: told };
    }
  }

  #computed({ target, args, kwargs, meta }: Node, graph: Graph): MetaValue {
    this.#env.expect(symbolNames(meta.val));
    return metaOf(this.#operators, target, args, kwargs, this.#env, ({ name }) =>
      constantValue(graph.node(name).meta.val),
    );
  }

  #item(node: Node, graph: Graph): Found | undefined {
    const [source, index] = node.args;
    const val = isRef(source) ? graph.node(source.name).meta.val : undefined;
    if (!Array.isArray(val)) return undefined;
    const item = (val as readonly MetaValue[])[Number(index)];
    if (item !== undefined) return this.#compared(node, item);
    const told = `%${(source as NodeRef).name} has ${val.length} results`;
    return { code: "CALL_REFUSED", message: `node ${node.name} takes result ${Number(index)}: ${told}` };
  }

  #compared({ name, target, meta }: Node, computed: MetaValue): Found | undefined {
    const difference = this.#difference(meta.val!, computed);
    if (difference === undefined) return undefined;
    return { code: "CALL_VALUE", message: `node ${name} records ${difference} (${target})` };
  }

  /** `float32[2], the call gives float32[3]`. */
  #difference(recorded: MetaValue, computed: MetaValue): string | undefined {
    if (recorded instanceof FakeTensor && computed instanceof FakeTensor) {
      const same =
        recorded.dtype === computed.dtype &&
        recorded.ndim === computed.ndim &&
        recorded.shape.every((size, d) => this.#mayEqual(size, computed.shape[d]!));
      return same ? undefined : `${textOf(recorded)}, the call gives ${textOf(computed)}`;
    }
    if (!Array.isArray(recorded) || !Array.isArray(computed)) {
      const kinds = [recorded, computed].map(kindOf);
      return kinds[0] === kinds[1] || kinds.includes("other")
        ? undefined
        : `${kinds[0]}, the call gives ${kinds[1]}`;
    }
    if (recorded.length !== computed.length)
      return `${recorded.length} results, the call gives ${computed.length}`;
    for (const [i, item] of (recorded as readonly MetaValue[]).entries()) {
      const difference = this.#difference(item, (computed as readonly MetaValue[])[i]!);
      if (difference !== undefined) return `result ${i} as ${difference}`;
    }
    return undefined;
  }

  #mayEqual(a: SymInt, b: SymInt): boolean {
    if (typeof a === "number" && typeof b === "number") return a === b;
    return a === b || this.#env.staticallyKnown(eq(a, b)) !== false;
  }
}

const kindOf = (val: MetaValue): "a tensor" | "several results" | "other" =>
  val instanceof FakeTensor ? "a tensor" : Array.isArray(val) ? "several results" : "other";

const textOf = ({ dtype, shape }: FakeTensor): string =>
  `${dtype}[${shape.map((size) => (typeof size === "number" ? size : printExpr(size))).join(", ")}]`;

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
