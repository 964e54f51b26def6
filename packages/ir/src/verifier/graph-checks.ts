import type { Work } from "@sconce/errors";
import type { DialectRules } from "../graph/dialect.js";
import type { Graph } from "../graph/graph.js";
import { forEachInput, type Node } from "../graph/node.js";
import { OperandReader } from "../graph/operands.js";
import type { OperatorLookup } from "../graph/operator.js";
import { errorText, type Report } from "../graph/problem.js";
import { targetKind } from "../graph/target.js";
import { itemsOf, type NodeRef } from "../values/argument.js";
import type { MetaValue } from "../values/meta.js";
import { checkAttributeForm, checkGraphReads, checkOutput, checkPlaceholder } from "./form-checks.js";
import { HigherOrderCall } from "./higher-order-call.js";
import { HIGHER_ORDER_RULES } from "./higher-order-rules.js";
import type { NearNames } from "./near-names.js";
import { checkTarget } from "./target-checks.js";
import { valueProblem } from "./value-checks.js";

/** What checks of one graph need to know besides the graph. */
export interface GraphContext {
  readonly rules: DialectRules;
  readonly operators: OperatorLookup | undefined;
  readonly isRoot: boolean;
  readonly near: NearNames;
  /** Targets of calls that were checked and may be called. */
  readonly sound: Set<string>;
  /** Whether a `get_attr` of a nested graph may read this name from the program's state. */
  readonly hasTensor: (target: string) => boolean;
}

/** Names, order and output of one graph. */
export function checkStructure(graph: Graph, context: GraphContext, report: Report): void {
  // Known with the users of nodes; what is wrong is looked for only where something is.
  if (!graph.isOrdered()) checkOrder(graph, report);
  let past: "placeholders" | "body" | "output" = "placeholders";
  for (const node of graph.nodes()) {
    if (past === "output") reportAfterOutput(node, report);
    if (node.op === "placeholder") {
      if (past !== "placeholders")
        report("PLACEHOLDER_ORDER", `Placeholder ${node.name} comes after other nodes`, node.name);
    } else if (past !== "output") past = node.op === "output" ? "output" : "body";
  }
  checkNested(graph, report);
  if (past !== "output") report("NO_OUTPUT", "The graph has no output node");
  else if (
    context.isRoot &&
    graph.nodeAt(graph.size - 1).op === "output" &&
    itemsOf(graph.outputArgument()) === undefined
  ) {
    report("OUTPUT_NOT_TUPLE", "The output of the program is not a tuple", graph.outputNode().name);
  }
}

/** Names that are not unique, not there, or used before the node that they name. */
function checkOrder(graph: Graph, report: Report): void {
  const defined = new Set<string>();
  for (const node of graph.nodes()) {
    checkInputs(node, graph, defined, report);
    if (defined.has(node.name)) report("DUPLICATE_NAME", `Node redefined name ${node.name}!`, node.name);
    defined.add(node.name);
  }
}

function reportAfterOutput({ op, name }: Node, report: Report): void {
  if (op === "output") report("SECOND_OUTPUT", `Node ${name} is a second output`, name);
  else report("OUTPUT_NOT_LAST", `Node ${name} comes after the output`, name);
}

/** Every nested graph is read by some `get_attr`. */
function checkNested(graph: Graph, report: Report): void {
  if (graph.subgraphs.size === 0) return;
  const read = new Set<string>();
  for (const { op, target } of graph.nodes()) if (op === "get_attr") read.add(target);
  for (const target of graph.subgraphs.keys())
    if (!read.has(target)) report("UNUSED_SUBGRAPH", `No get_attr reads the nested graph ${target}`);
}

function checkInputs(node: Node, graph: Graph, defined: ReadonlySet<string>, report: Report): void {
  forEachInput(node, (input) => {
    if (defined.has(input)) return;
    const argument = `Argument '${input}' of Node '${node.name}'`;
    if (graph.has(input)) {
      report(
        "USED_BEFORE_DEFINITION",
        `${argument} was used before it has been defined! ` +
          "Please check that Nodes in the graph are topologically ordered",
        node.name,
      );
    } else {
      report(
        "UNDEFINED_NAME",
        `${argument} does not belong to this Graph, but was used as an argument!`,
        node.name,
      );
    }
  });
}

/** Nodes between two pauses. */
const NODES_A_PIECE = 256;

/** Targets and values of the nodes of one graph. */
export function* checkNodes(graph: Graph, context: GraphContext, report: Report): Work<void> {
  let position = 0;
  const operands = new OperandReader(graph);
  const calls = new CallCheck(graph, operands, context.operators, report);
  for (const node of graph.nodes()) {
    if (position % NODES_A_PIECE === 0) yield;
    const unused = graph.userCount(position) === 0;
    operands.moveTo(position++);
    switch (node.op) {
      case "placeholder":
        checkPlaceholder(node, report);
        checkValue(node, report);
        checkDialect(node, graph, context, report);
        break;
      case "get_attr":
        checkAttributeForm(node, report);
        checkAttribute(node, graph, context, report);
        break;
      case "call_function":
        if (!mayLackValue(node, unused, context.operators)) checkValue(node, report);
        checkTargetOnce(node, context, report);
        checkGraphReads(node, graph, report);
        calls.check(node);
        checkDialect(node, graph, context, report);
        break;
      case "output":
        checkOutput(node, graph, context.isRoot, report);
        break;
      default:
        report(
          "UNKNOWN_OPCODE",
          `Node ${(node as Node).name} had unknown opcode ${(node as Node).op}!`,
          (node as Node).name,
        );
    }
  }
}

/** A target that may be called is checked at its first call only; others are reported at each. */
function checkTargetOnce(node: Node, context: GraphContext, report: Report): void {
  const { rules, operators, near, sound } = context;
  if (sound.has(node.target)) return;
  let isSound = true;
  checkTarget(node, rules, operators, near, (...problem) => {
    isSound = false;
    report(...problem);
  });
  if (isSound) sound.add(node.target);
}

/** Metadata that the dialect wants of calls, and what else it asks of a node. */
function checkDialect(node: Node, graph: Graph, { rules, operators }: GraphContext, report: Report): void {
  if (node.op === "call_function") {
    for (const key of rules.metadata ?? []) {
      if (node.meta[key] !== undefined) continue;
      report(
        "MISSING_METADATA",
        `Node.meta ${node.name} is missing ${key} field, which the dialect ${rules.name} requires.`,
        node.name,
        `set meta.${key}, or run the pass that lowers to ${rules.name}`,
      );
    }
  }
  let reason: string | undefined;
  try {
    reason = rules.refuseNode?.(node, graph, operators);
  } catch (error) {
    reason = `the rule of the dialect '${rules.name}' threw at node '${node.name}': ${errorText(error)}`;
  }
  if (reason !== undefined) report("NODE_REFUSED", reason, node.name);
}

/**
 * Operators without results have no value. Without a table, those that nothing uses get the benefit
 * of the doubt.
 */
function mayLackValue(node: Node, unused: boolean, operators: OperatorLookup | undefined): boolean {
  if (node.meta.val !== undefined || targetKind(node.target) !== "operator") return false;
  const schema = operators?.schemaOf(node.target);
  return schema === undefined ? unused : schema.returns.length === 0;
}

function checkValue(node: Node, report: Report): void {
  const { val } = node.meta;
  if (val === undefined) {
    report("MISSING_VAL", `Node.meta ${node.name} is missing val field.`, node.name);
    return;
  }
  const problem = valueProblem(val);
  if (problem !== undefined)
    report("INVALID_VAL", `Node.meta ${node.name} has invalid val field ${problem}`, node.name);
}

function checkAttribute(node: Node, graph: Graph, context: GraphContext, report: Report): void {
  const { target } = node;
  if (graph.subgraphs.has(target)) return;
  if (!context.hasTensor(target)) {
    report(
      "NO_SUBGRAPH",
      `Node ${node.name} target ${target} references nonexistent attribute ${target} of `,
      node.name,
    );
  } else if (context.isRoot) {
    report(
      "INVALID_GET_ATTR",
      `Invalid get_attr type <class 'torch.Tensor'> on target ${target}. \n` +
        "Valid get_attr types: (<class 'torch.fx.graph_module.GraphModule'>, <class 'torch.utils._pytree.TreeSpec'>)",
      node.name,
    );
  }
}

/**
 * Checks arguments against the schema. The structure checks report arguments that name missing
 * nodes.
 */
class CallCheck {
  readonly #graph: Graph;
  readonly #operands: OperandReader;
  readonly #operators: OperatorLookup | undefined;
  readonly #report: Report;
  #isKnown = true;
  readonly #resolve = ({ name }: NodeRef): MetaValue | undefined => {
    const val = this.#operands.find(name)?.meta.val;
    this.#isKnown &&= val !== undefined;
    return val;
  };

  /** @param operands moved to the node that is checked */
  constructor(graph: Graph, operands: OperandReader, operators: OperatorLookup | undefined, report: Report) {
    this.#graph = graph;
    this.#operands = operands;
    this.#operators = operators;
    this.#report = report;
  }

  check(node: Node): void {
    const kind = targetKind(node.target);
    const operators = this.#operators;
    if (kind === "higher_order")
      HIGHER_ORDER_RULES.get(node.target)?.(new HigherOrderCall(node, this.#graph, this.#report), operators);
    if (operators?.callProblem === undefined || kind !== "operator") return;
    this.#isKnown = true;
    const problem = operators.callProblem(node, this.#resolve);
    if (problem !== undefined && this.#isKnown) this.#report("CALL_ARGUMENTS", problem, node.name);
  }
}
