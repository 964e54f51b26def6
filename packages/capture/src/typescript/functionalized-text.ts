/**
 * @file Calls of `auto_functionalized_v2` as what they represent: an operator that writes to its
 * arguments, which runs on copies where anything else reads them.
 */
import { type Argument, type Graph, isRef, itemsOf, type Node, type OpSchema } from "@sconce/ir";
import { notWritable } from "./errors.js";
import type { FlowBody } from "./flow-body.js";
import { keyText, taggedText } from "./literals.js";

const GETITEM = "operator.getitem";
const FUNCTIONALIZED = "higher_order.auto_functionalized_v2";

/** Writes the call, and lets the results be the variables that it wrote to. */
export function functionalizedText(body: FlowBody, node: Node): void {
  const [operator] = node.args as readonly (Argument & { readonly target?: string })[];
  const target = operator?.target ?? "";
  const schema = body.file.operators.get(target)?.schema;
  if (schema === undefined)
    throw notWritable(
      `the call of ${target}`,
      node.name,
      "declare the operator with `library.customOp`, or a plugin, before you write the program",
    );
  const bases = (itemsOf(node.kwargs["_all_bases"] ?? null) ?? []).map((base) => ownMemory(body, node, base));
  const call = callText(body, node, { target, schema, bases });
  const results = bindResults(body, node, schema, bases);
  const { use } = body.file;
  if (results.length === 0) body.line(`${call};`);
  else if (schema.returns.length > 1)
    body.line(`const [${results.join(", ")}] = ${call} as ${use("Tensor")}[];`);
  else body.line(`const ${results[0]} = ${call} as ${use("Tensor")};`);
}

/**
 * Returns the variable that the operator writes to: the tensor itself, where nothing reads it any
 * more.
 */
function ownMemory(body: FlowBody, node: Node, base: Argument): string {
  const text = body.text(base, node.name);
  if (!isRef(base) || isFree(body, base.name, node.name)) return text;
  const copy = body.file.names.take(base.name);
  body.line(`const ${copy} = ${text}.clone();`);
  return copy;
}

/**
 * Returns whether a call may write to a tensor itself: nothing reads the tensor later, and nothing
 * shares its memory.
 */
function isFree(body: FlowBody, name: string, at: string): boolean {
  const { graph } = body;
  const readers = graph.users(name).filter((reader) => reader.name !== at);
  const isHarmless = (reader: Node): boolean =>
    reader.target.startsWith("aten.sym_") ||
    (graph.positionOf(reader.name) < graph.positionOf(at) && makesMemory(body, reader));
  if (!readers.every(isHarmless)) return false;
  const made = graph.node(name);
  return made.op === "placeholder" ? isWritten(body, name) : makesMemory(body, made);
}

/** Returns whether the result of a call shares its memory with nothing. */
function makesMemory({ graph, file }: FlowBody, { op, target, args }: Node): boolean {
  if (op !== "call_function") return false;
  if (target === GETITEM) {
    const [owner] = args;
    return isRef(owner) && graph.node(owner.name).target === FUNCTIONALIZED;
  }
  const schema = file.operators.get(target)?.schema;
  return schema?.namespace === "aten" && schema.returns.every(({ alias }) => alias === undefined);
}

/** Returns whether calls of this kind alone give what the program writes to an input. */
function isWritten({ graph, file }: FlowBody, input: string): boolean {
  let [last] = [...file.writes].find(([, place]) => place === input) ?? [];
  while (last !== undefined && last !== input) last = sourceOf(graph, last);
  return last === input;
}

/** Returns the tensor before the call that wrote to it. */
function sourceOf(graph: Graph, name: string): string | undefined {
  const { target, args } = graph.node(name);
  const [owner, item] = args;
  if (target !== GETITEM || !isRef(owner)) return undefined;
  const { target: called, kwargs, meta } = graph.node(owner.name);
  if (called !== FUNCTIONALIZED) return undefined;
  const bases = itemsOf(kwargs["_all_bases"] ?? null) ?? [];
  const results = (meta.val as readonly unknown[]).length - bases.length;
  const base = bases[Number(item) - results];
  return base !== undefined && isRef(base) ? base.name : undefined;
}

interface Call {
  readonly target: string;
  readonly schema: OpSchema;
  readonly bases: readonly string[];
}

function callText(body: FlowBody, node: Node, { target, schema, bases }: Call): string {
  const { kwargs, name: where } = node;
  const given: string[] = [];
  const named: string[] = [];
  for (const { name, kwargOnly } of schema.args) {
    const text = Object.hasOwn(kwargs, name)
      ? (taggedText(kwargs[name]!) ?? body.text(kwargs[name]!, where))
      : writtenText(body, node, name, bases);
    if (kwargOnly) named.push(`${keyText(name)}: ${text}`);
    else given.push(text);
  }
  return body.file.operatorCall(target, given, named);
}

/** Returns an argument that the operator writes to: a tensor, a view of one, or a list. */
function writtenText(body: FlowBody, node: Node, name: string, bases: readonly string[]): string {
  const { kwargs } = node;
  const length = kwargs[`_${name}_length`];
  if (length === null) return "null";
  if (length !== undefined) {
    const items = Array.from({ length: Number(length) }, (_, i) =>
      writtenText(body, node, `${name}_${i}`, bases),
    );
    return `[${items.join(", ")}]`;
  }
  const index = kwargs[`_${name}_base_index`];
  if (index === undefined || index === null) return "null";
  const base = bases[Number(index)]!;
  const part = (key: string): string => body.text(kwargs[`_${name}_${key}`] ?? null, node.name);
  if (Object.hasOwn(kwargs, `_${name}_slice_dim`)) {
    const range = [part("slice_dim"), part("slice_start"), part("slice_end")].join(", ");
    return `${body.file.use("torch")}.ops.aten.slice.Tensor(${base}, ${range})`;
  }
  if (Object.hasOwn(kwargs, `_${name}_size`))
    return `${base}.asStrided(${part("size")}, ${part("stride")}, ${part("storage_offset")})`;
  if (Object.hasOwn(kwargs, `_${name}_alias`))
    return `${body.file.use("torch")}.ops.aten.alias.default(${base})`;
  return base;
}

/** Lets reads of the results be variables. Returns the variables for what the operator returns. */
function bindResults(body: FlowBody, node: Node, schema: OpSchema, bases: readonly string[]): string[] {
  const returned = schema.returns.map(() => body.file.names.take(node.name));
  const results = [...(returned.length === 0 ? [""] : returned), ...bases];
  for (const { name, target, args } of body.graph.users(node.name)) {
    if (target !== GETITEM)
      throw notWritable(`the result of ${node.target}`, name, "check the program with `verify`");
    body.bind(name, results[Number(args[1])]!);
    body.skip(name);
  }
  return returned;
}
