import { itemsOf } from "../argument.js";
import type { Graph } from "../graph.js";
import { FakeTensor } from "../meta.js";
import { forEachInput, type Node } from "../node.js";
import { isOpaque } from "../opaque.js";
import type { OperatorLookup, OpSchema } from "../operator.js";
import { targetKind } from "../print-torch/target.js";
import type { DialectRules } from "./dialect.js";
import { errorText, type Report, told } from "./problem.js";

/** What checks of one graph need to know besides the graph. */
export interface GraphContext {
  readonly rules: DialectRules;
  readonly operators: OperatorLookup | undefined;
  readonly isRoot: boolean;
  /** Whether a `get_attr` of a nested graph may read this name from the program's state. */
  readonly hasTensor: (target: string) => boolean;
}

/** Names, order and output of one graph. */
export function checkStructure(graph: Graph, context: GraphContext, report: Report): void {
  const defined = new Set<string>();
  let past: "placeholders" | "body" | "output" = "placeholders";
  for (const node of graph.nodes()) {
    checkInputs(node, graph, defined, report);
    if (defined.has(node.name)) report("DUPLICATE_NAME", `Node redefined name ${node.name}!`, node.name);
    defined.add(node.name);
    if (past === "output") report("OUTPUT_NOT_LAST", `Node ${node.name} comes after the output`, node.name);
    if (node.op === "placeholder") {
      if (past !== "placeholders")
        report("PLACEHOLDER_ORDER", `Placeholder ${node.name} comes after other nodes`, node.name);
    } else if (past !== "output") past = node.op === "output" ? "output" : "body";
  }
  if (past !== "output") report("NO_OUTPUT", "The graph has no output node");
  else if (
    context.isRoot &&
    graph.nodeAt(graph.size - 1).op === "output" &&
    itemsOf(graph.outputArgument()) === undefined
  ) {
    report("OUTPUT_NOT_TUPLE", "The output of the program is not a tuple", graph.outputNode().name);
  }
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

/** Targets and values of the nodes of one graph. */
export function checkNodes(graph: Graph, context: GraphContext, report: Report): void {
  let position = 0;
  for (const node of graph.nodes()) {
    const unused = graph.userCount(position++) === 0;
    switch (node.op) {
      case "placeholder":
        checkValue(node, report);
        break;
      case "get_attr":
        checkAttribute(node, graph, context, report);
        break;
      case "call_function":
        if (!mayLackValue(node, unused, context.operators)) checkValue(node, report);
        checkTarget(node, context, report);
        checkCall(node, graph, context.operators, report);
        break;
      case "output":
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

/** Operators without results have no value. Without a table, those that nothing uses get the benefit of the doubt. */
function mayLackValue(node: Node, unused: boolean, operators: OperatorLookup | undefined): boolean {
  if (node.meta.val !== undefined || targetKind(node.target) !== "operator") return false;
  const schema = operators?.schemaOf(node.target);
  return schema === undefined ? unused : schema.returns.length === 0;
}

function checkValue(node: Node, report: Report): void {
  const { val } = node.meta;
  if (val === undefined) report("MISSING_VAL", `Node.meta ${node.name} is missing val field.`, node.name);
  else if (!isValue(val))
    report("INVALID_VAL", `Node.meta ${node.name} has invalid val field ${told(val)}`, node.name);
}

function isValue(value: unknown): boolean {
  if (value === null) return true;
  if (value instanceof FakeTensor)
    return typeof value.dtype === "string" && Array.isArray(value.shape) && Array.isArray(value.strides);
  if (Array.isArray(value)) return value.every(isValue);
  if (typeof value !== "object") return false;
  const { kind } = value as { kind?: unknown };
  return (
    kind === "SymInt" ||
    kind === "SymFloat" ||
    kind === "SymBool" ||
    kind === "custom_obj" ||
    kind === "constant"
  );
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

function checkTarget(node: Node, context: GraphContext, report: Report): void {
  const { rules } = context;
  const { target, name } = node;
  const kind = targetKind(target);
  if (kind === "higher_order" || kind === "operator") {
    if (kind === "operator") checkOperator(node, context, report);
    else refuseBy(rules, node, undefined, report);
    return;
  }
  const allowed = kind === "torch" ? rules.torchFunctions : rules.pythonFunctions;
  if (allowed.has(target)) return;
  report(
    "OPERATOR_NOT_ALLOWED",
    `Operator '${target}' is not an allowed operator type: ` +
      "(<class 'torch._ops.OpOverload'>, <class 'torch._ops.HigherOrderOperator'>)",
    name,
  );
}

function checkOperator(node: Node, { rules, operators }: GraphContext, report: Report): void {
  const { target, name } = node;
  const schema = operators?.schemaOf(target);
  if (target.split(".").length < 3) {
    report(
      "OPERATOR_NOT_ALLOWED",
      `Operator '${target}' is not an allowed operator type: it names no overload`,
      name,
    );
    return;
  }
  if (operators !== undefined && schema === undefined && !isOpaque(target, operators)) {
    report("UNKNOWN_OPERATOR", `operator '${target}' is not known`, name);
  }
  const mutable = schema === undefined ? looksMutable(target) : schema.isMutable;
  if (rules.functional && mutable) report("NOT_FUNCTIONAL", `operator '${target}' is not functional`, name);
  refuseBy(rules, node, schema, report);
}

/** In-place operators end in one underscore, by PyTorch's convention: all that can be told without a schema. */
const looksMutable = (target: string): boolean => /^aten\.[^.]*[^_]_\./.test(target);

/** A plugin's rule that throws refuses, and is told. */
function refusalOf(rules: DialectRules, target: string, schema: OpSchema | undefined): string | undefined {
  try {
    return rules.refuse?.(target, schema);
  } catch (error) {
    return `the rule of the dialect '${rules.name}' threw at '${target}': ${errorText(error)}`;
  }
}

/** Arguments against the schema; those of nodes that are not there are told with the structure of the graph. */
function checkCall(node: Node, graph: Graph, operators: OperatorLookup | undefined, report: Report): void {
  if (operators?.callProblem === undefined || targetKind(node.target) !== "operator") return;
  let known = true;
  const problem = operators.callProblem(node, ({ name }) => {
    const val = graph.find(name)?.meta.val;
    known &&= val !== undefined;
    return val;
  });
  if (problem !== undefined && known) report("CALL_ARGUMENTS", problem, node.name);
}

function refuseBy(rules: DialectRules, node: Node, schema: OpSchema | undefined, report: Report): void {
  const reason = refusalOf(rules, node.target, schema);
  if (reason !== undefined) report("OPERATOR_REFUSED", reason, node.name);
}
