/** @file Calls of nested graphs as the functions of control flow: the graphs become functions. */
import {
  type Argument,
  FakeTensor,
  type Graph,
  isRef,
  isSymScalar,
  itemsOf,
  type Node,
  ref,
} from "@sconce/ir";
import { notWritable } from "./errors.js";
import type { FlowBody } from "./flow-body.js";
import { functionalizedText } from "./functionalized-text.js";

const COND = "higher_order.cond";
const SWITCH = "higher_order.switch";
const MAP = "higher_order.map_impl";
const SCAN = "higher_order.scan";
export const ASSOCIATIVE_SCAN = "higher_order.associative_scan";
const WHILE = "higher_order.while_loop";
const CHECKPOINT = "higher_order.tag_activation_checkpoint";
const WITH_GRAD = "higher_order.wrap_with_set_grad_enabled";

/** Returns whether a call runs nested graphs. */
export const isFlow = (target: string): boolean => target.startsWith("higher_order.");

/** Where the function of a nested graph has the inputs of the graph from. */
interface BodyInputs {
  /** Inputs that the function takes, in order: a tensor each, or a list of tensors. */
  readonly parameters: readonly (Node | readonly Node[])[];
  /** Inputs that are expressions of the code around. */
  readonly closed: readonly (readonly [input: Node, expression: string])[];
}

/** Writes the call of a nested graph. `later` are the nodes behind it. */
export function flowText(body: FlowBody, node: Node, later: readonly Node[]): void {
  switch (node.target) {
    case COND:
      body.declare(node, condText(body, node));
      return;
    case SWITCH:
      body.declare(node, switchText(body, node));
      return;
    case MAP:
      body.declare(node, mapText(body, node));
      return;
    case SCAN:
      body.declare(node, scanText(body, node));
      return;
    case ASSOCIATIVE_SCAN:
      associativeText(body, node);
      return;
    case WHILE:
      body.declare(node, whileText(body, node));
      return;
    case CHECKPOINT:
      body.declare(node, checkpointText(body, node));
      return;
    case WITH_GRAD:
      gradText(body, node, later);
      return;
    case "higher_order.auto_functionalized_v2":
      functionalizedText(body, node);
      return;
    default:
      throw notWritable(
        `the call of ${node.target}`,
        node.name,
        "write the lowered program, `sconce print FILE --lower --format ts`",
      );
  }
}

/** Returns the nested graph that an argument reads. */
function graphOf({ graph }: FlowBody, { name, target }: Node, argument: Argument | undefined): Graph {
  const read = isRef(argument) ? graph.find(argument.name) : undefined;
  const nested = read?.op === "get_attr" ? graph.subgraphs.get(read.target) : undefined;
  if (nested === undefined)
    throw notWritable(`an argument of ${target}`, name, "check the program with `verify`");
  return nested;
}

/** Returns a function as text: its parameters, its statements and what it returns. */
function functionText(
  body: FlowBody,
  graph: Graph,
  { parameters, closed }: BodyInputs,
  result: (items: readonly string[]) => string,
): string {
  const { file, indent } = body;
  const values = new Map(closed.map(([{ name }, expression]) => [name, expression]));
  const take = (input: Node): string => {
    const name = file.names.take(input.name);
    values.set(input.name, name);
    return name;
  };
  const shownParameters = parameters.map((parameter) => {
    if ("op" in parameter) {
      // A loop may carry an integer.
      const type = isSymScalar(parameter.meta.val) ? "Size" : "Tensor";
      return `${take(parameter)}: ${file.use(type)}`;
    }
    const tensor = file.use("Tensor");
    return `${listText(parameter.map(take))}: readonly ${listText(parameter.map(() => tensor))}`;
  });
  const inner = body.nested(graph, values);
  const items = inner.run().map((item) => inner.text(item, "output"));
  const shown = result(items);
  const head = `(${shownParameters.join(", ")}) =>`;
  if (inner.lines.length === 0 && shown !== "") return `${head} ${shown}`;
  const last = shown === "" ? [] : [`${indent}  return ${shown};`];
  return [`${head} {`, ...inner.lines, ...last, `${indent}}`].join("\n");
}

const listText = (items: readonly string[]): string => `[${items.join(", ")}]`;

/** The operands of a call as tensors that are passed, and others that the functions close over. */
function operandsOf(body: FlowBody, { name }: Node, argument: Argument | undefined) {
  const operands = (itemsOf(argument ?? null) ?? []).map((operand) => ({
    operand,
    expression: body.text(operand, name),
    isTensor: isRef(operand) && body.graph.find(operand.name)?.meta.val instanceof FakeTensor,
  }));
  const inputsOf = (graph: Graph, skipped = 0): BodyInputs => {
    const inputs = graph.placeholders().slice(skipped);
    return {
      parameters: inputs.filter((_, i) => operands[i]!.isTensor),
      closed: inputs.flatMap((input, i) =>
        operands[i]!.isTensor ? [] : [[input, operands[i]!.expression] as const],
      ),
    };
  };
  const passed = operands.filter(({ isTensor }) => isTensor).map(({ expression }) => expression);
  return { passed, inputsOf };
}

/** Declares a function that both branches are: nested, their text would double each time. */
function sharedFunction(body: FlowBody, text: string): readonly string[] {
  const name = body.file.names.take("branch");
  body.line(`const ${name} = ${text};`);
  return [name, name];
}

function condText(body: FlowBody, node: Node): string {
  const [pred, whenTrue, whenFalse, operands] = node.args;
  noteOrder(body, node);
  noteUnused(body, node);
  const { passed, inputsOf } = operandsOf(body, node, operands);
  const branch = (argument: Argument | undefined): string => {
    const graph = graphOf(body, node, argument);
    return functionText(body, graph, inputsOf(graph), listText);
  };
  const isShared = graphOf(body, node, whenTrue) === graphOf(body, node, whenFalse);
  const functions = isShared ? sharedFunction(body, branch(whenTrue)) : [branch(whenTrue), branch(whenFalse)];
  return `${body.file.use("cond")}(${[body.text(pred!, node.name), ...functions, listText(passed)].join(", ")})`;
}

function checkpointText(body: FlowBody, node: Node): string {
  const [graph, ...operands] = node.args;
  const { passed, inputsOf } = operandsOf(body, node, operands);
  const inner = graphOf(body, node, graph);
  const fn = functionText(body, inner, inputsOf(inner), listText);
  return `${body.file.use("checkpoint")}(${[fn, ...passed].join(", ")})`;
}

function switchText(body: FlowBody, node: Node): string {
  const [index, branches, operands] = node.args;
  body.file.differ("switch-index", node.name);
  const { passed, inputsOf } = operandsOf(body, node, operands);
  const written = new Map<Graph, string>();
  const functions = (itemsOf(branches ?? null) ?? []).map((argument) => {
    const graph = graphOf(body, node, argument);
    const known = written.get(graph);
    if (known !== undefined) return known;
    const [name] = sharedFunction(body, functionText(body, graph, inputsOf(graph), listText));
    written.set(graph, name!);
    return name!;
  });
  const given = [body.text(index!, node.name), listText(functions), listText(passed)];
  return `${body.file.use("switch")}(${given.join(", ")})`;
}

/**
 * Notes operands in another order than an export of nested functions gives: first what both read,
 * each part in the order of the inputs around.
 */
function noteOrder(body: FlowBody, node: Node): void {
  if (!body.isNested) return;
  const [, whenTrue, whenFalse, operands] = node.args;
  const places = body.graph.placeholders().map(({ name }) => name);
  const branches = [whenTrue, whenFalse].map((argument) => graphOf(body, node, argument));
  let last = [0, -1];
  for (const [i, operand] of (itemsOf(operands ?? null) ?? []).entries()) {
    const place = isRef(operand) ? places.indexOf(operand.name) : -1;
    if (place < 0) return;
    const isShared = branches.every((graph) => graph.users(graph.placeholders()[i]!.name).length > 0);
    const key = [isShared ? 0 : 1, place];
    if (key[0]! < last[0]! || (key[0] === last[0] && key[1]! < last[1]!)) {
      body.file.differ("operand-order", node.name);
      return;
    }
    last = key;
  }
}

/** Notes operands that no branch reads: the export has them, and lowering leaves them out. */
function noteUnused(body: FlowBody, node: Node): void {
  if (!body.file.isLowered) return;
  const [, whenTrue, whenFalse, operands] = node.args;
  const branches = [whenTrue, whenFalse].map((argument) => graphOf(body, node, argument));
  const isUnused = (_: unknown, i: number): boolean =>
    branches.every((graph) => graph.users(graph.placeholders()[i]!.name).length === 0);
  if (itemsOf(operands ?? null)?.some(isUnused) === true) body.file.differ("unused-operand", node.name);
}

function mapText(body: FlowBody, node: Node): string {
  const [fn, xs, rest] = node.args;
  const graph = graphOf(body, node, fn);
  const items = (itemsOf(xs ?? null) ?? []).map((item) => body.text(item, node.name));
  const { passed, inputsOf } = operandsOf(body, node, rest);
  const rows = graph.placeholders().slice(0, items.length);
  const { parameters, closed } = inputsOf(graph, items.length);
  const text = functionText(body, graph, { parameters: [rows, ...parameters], closed }, listText);
  return `${body.file.use("map")}(${[text, listText(items), ...passed].join(", ")})`;
}

function scanText(body: FlowBody, node: Node): string {
  const [fn, init, xs, rest] = node.args;
  const graph = graphOf(body, node, fn);
  const texts = (argument: Argument | undefined): string[] =>
    (itemsOf(argument ?? null) ?? []).map((item) => body.text(item, node.name));
  const [carry, items] = [texts(init), texts(xs)];
  const inputs = graph.placeholders();
  const closed = texts(rest).map((text, i) => [inputs[carry.length + items.length + i]!, text] as const);
  const { use } = body.file;
  const tensor = use("Tensor");
  const typeOf = (count: number): string => `readonly ${listText(new Array<string>(count).fill(tensor))}`;
  const outputs = (itemsOf(graph.outputArgument()) ?? []).length - carry.length;
  const text = functionText(
    body,
    graph,
    {
      parameters: [inputs.slice(0, carry.length), inputs.slice(carry.length, carry.length + items.length)],
      closed,
    },
    (all) => `[${listText(all.slice(0, carry.length))}, ${listText(all.slice(carry.length))}]`,
  );
  const types = [carry.length, items.length, outputs].map(typeOf).join(", ");
  return `${use("scan")}<${types}>(${text}, ${listText(carry)}, ${listText(items)}).flat()`;
}

function associativeText(body: FlowBody, node: Node): void {
  const [fn, xs, rest] = node.args;
  const graph = graphOf(body, node, fn);
  const axis = body.scans.get(node.name);
  const texts = (items: readonly Argument[]): string[] => items.map((item) => body.text(item, node.name));
  const items = texts(axis?.inputs ?? itemsOf(xs ?? null) ?? []);
  const [count, inputs] = [items.length, graph.placeholders()];
  const closed = texts(itemsOf(rest ?? null) ?? []).map((text, i) => [inputs[2 * count + i]!, text] as const);
  const { use } = body.file;
  const parameters = [inputs.slice(0, count), inputs.slice(count, 2 * count)];
  const text = functionText(body, graph, { parameters, closed }, listText);
  const type = `readonly ${listText(items.map(() => use("Tensor")))}`;
  const options = `{ dim: ${axis?.dim ?? 0}${axis?.reverse === true ? ", reverse: true" : ""} }`;
  if (axis === undefined) body.file.differ("scanned-axis", node.name);
  body.declare(node, `${use("associativeScan")}<${type}>(${text}, ${listText(items)}, ${options})`);
  for (const [i, result] of (axis?.results ?? []).entries())
    if (result !== undefined) body.declare(result, `${body.text(ref(node.name), node.name)}[${i}]!`);
}

function whileText(body: FlowBody, node: Node): string {
  const [condition, step, carried, rest] = node.args;
  const count = (itemsOf(carried ?? null) ?? []).length;
  const given = body.text(carried ?? [], node.name);
  const outer = (itemsOf(rest ?? null) ?? []).map((item) => body.text(item, node.name));
  const write = (argument: Argument | undefined, result: (items: readonly string[]) => string): string => {
    const graph = graphOf(body, node, argument);
    const inputs = graph.placeholders();
    const closed = inputs.slice(count).map((input, i) => [input, outer[i]!] as const);
    return functionText(body, graph, { parameters: inputs.slice(0, count), closed }, result);
  };
  return `${body.file.use("whileLoop")}(${write(condition, (items) => items[0]!)}, ${write(step, listText)}, ${given})`;
}

/**
 * A region with or without gradients. Where an empty one comes first, the mode was set twice, as
 * `setGradEnabled` does.
 */
function gradText(body: FlowBody, node: Node, later: readonly Node[]): void {
  const [enabled, fn, ...operands] = node.args;
  const graph = graphOf(body, node, fn);
  const next = later.find(({ op }) => op === "call_function");
  const isEmpty = graph.size === 1 && operands.length === 0;
  const isTwice = isEmpty && next?.target === WITH_GRAD && next.args[0] === enabled;
  const region = isTwice ? next! : node;
  const [, inner, ...given] = region.args;
  const nested = graphOf(body, region, inner);
  const closed = nested.placeholders().map((input, i) => [input, body.text(given[i]!, region.name)] as const);
  const text = functionText(body, nested, { parameters: [], closed }, (items) =>
    items.length === 0 ? "" : listText(items),
  );
  if (isTwice) body.skip(region.name);
  const { use } = body.file;
  const call = isTwice
    ? `${use("setGradEnabled")}(${String(enabled === true)}, ${text})`
    : `${use(enabled === true ? "enableGrad" : "noGrad")}(${text})`;
  body.declare(region, call);
}
