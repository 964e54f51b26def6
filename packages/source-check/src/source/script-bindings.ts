/**
 * @file What the script around a function does with the variables that the function closes over:
 * whether other code assigns to them or changes what they hold.
 */

import { type AnyNode, type Identifier, type MemberExpression, parse } from "acorn";
import { inspect } from "./inspector.js";
import type { AnyFunction } from "./parse-function.js";
import { isNode } from "./syntax-node.js";

/** What other code does with a variable. */
export interface OuterBinding {
  /** Whether it gets another value after it was declared. */
  readonly isReassigned: boolean;
  /** Properties that functions assign, and `*` where any of them may be. */
  readonly changed: ReadonlySet<string>;
  /**
   * Paths of properties on which functions call methods with the names of those that change a
   * container, `options.sizes`; the empty text for the value itself: `list.push(x)`,
   * `torch.add(x)`.
   */
  readonly called: ReadonlySet<string>;
}

/** Represents all items of a container. */
export const ITEMS = "*";

/**
 * Returns what the script does with a variable of a function; undefined where the engine does not
 * show the script, or the script does not declare the variable.
 */
export function outerBinding(fn: AnyFunction, name: string): OuterBinding | undefined {
  let place = places.get(fn);
  if (place === undefined) {
    place = placeOf(fn);
    places.set(fn, place);
  }
  return place === null ? undefined : place.find(name);
}

const places = new WeakMap<AnyFunction, Block | null>();
const scripts = new Map<string, Script | null>();

function placeOf(fn: AnyFunction): Block | null {
  const found = inspect(fn, (inspected) => inspected.script((id) => scripts.has(id)));
  if (found === undefined) return null;
  const { id, text, line, column } = found;
  if (!scripts.has(id)) scripts.set(id, readScript(text ?? ""));
  const script = scripts.get(id) ?? null;
  if (script === null) return null;
  const offset = (script.lines[line] ?? 0) + column;
  const around = script.functions.filter(({ start, end }) => start <= offset && offset < end);
  return around.at(-1)?.block ?? null;
}

interface Script {
  /** Where the lines begin. */
  readonly lines: readonly number[];
  /** Functions with their scopes, outer ones first. */
  readonly functions: readonly { readonly start: number; readonly end: number; readonly block: Block }[];
}

function readScript(text: string): Script | null {
  const tree = parseScript(text, "module") ?? parseScript(text, "script");
  if (tree === undefined) return null;
  const functions: { start: number; end: number; block: Block }[] = [];
  const root = new Block(undefined, true);
  const uses: Use[] = [];
  visit(tree, root, { functions, uses });
  for (const use of uses) apply(use);
  const lines = [
    0,
    ...[...text.matchAll(/\r\n|[\n\r\u2028\u2029]/g)].map(({ 0: end, index }) => index + end.length),
  ];
  return { lines, functions };
}

function parseScript(text: string, sourceType: "module" | "script"): AnyNode | undefined {
  try {
    return parse(text, {
      ecmaVersion: "latest",
      sourceType,
      allowHashBang: true,
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
      allowImportExportEverywhere: true,
    });
  } catch {
    return undefined;
  }
}

class Variable implements OuterBinding {
  readonly changed = new Set<string>();
  readonly called = new Set<string>();
  readonly block: Block;
  isInitialized = false;
  isReassigned = false;

  constructor(block: Block) {
    this.block = block;
  }
}

/** A block with the names that it declares. */
class Block {
  readonly parent: Block | undefined;
  /** The innermost function around, or the script. */
  readonly owner: Block;
  readonly names = new Map<string, Variable>();

  constructor(parent: Block | undefined, isFunction: boolean) {
    this.parent = parent;
    this.owner = isFunction || parent === undefined ? this : parent.owner;
  }

  declare(name: string): Variable {
    let variable = this.names.get(name);
    if (variable === undefined) {
      variable = new Variable(this);
      this.names.set(name, variable);
    }
    return variable;
  }

  find(name: string): Variable | undefined {
    return this.names.get(name) ?? this.parent?.find(name);
  }
}

/** An assignment to a variable, or a change of what it holds. */
interface Use {
  readonly name: string;
  readonly block: Block;
  /** The property that is assigned; undefined where the variable is. */
  readonly property: string | undefined;
  /** Whether a method is called: `property` is a path then, empty for the variable. */
  readonly isCall?: boolean;
}

/** What functions do is a change; the code around them makes the value first. */
function apply({ name, block, property, isCall }: Use): void {
  const variable = block.find(name);
  if (variable === undefined) return;
  const isInitial = block.owner === variable.block.owner;
  if (property !== undefined) {
    if (!isInitial) (isCall ? variable.called : variable.changed).add(property);
  } else if (isInitial && !variable.isInitialized) variable.isInitialized = true;
  else variable.isReassigned = true;
}

interface Collected {
  readonly functions: { start: number; end: number; block: Block }[];
  readonly uses: Use[];
}

const FUNCTION = /^(?:Function(?:Declaration|Expression)|ArrowFunctionExpression)$/;
const SCOPE = /^(?:BlockStatement|For(?:In|Of)?Statement|SwitchStatement|CatchClause|StaticBlock|Class\w+)$/;
/** Methods that change a container. */
const CHANGES = /^(?:push|pop|shift|unshift|splice|sort|reverse|fill|copyWithin|set|add|delete|clear)$/;

function visit(node: AnyNode, block: Block, found: Collected): void {
  let inner = block;
  if (FUNCTION.test(node.type)) {
    const fn = node as AnyNode & { readonly id?: { readonly name: string } | null };
    if (node.type === "FunctionDeclaration" && fn.id) initialize(block, fn.id.name);
    inner = new Block(block, true);
    found.functions.push({ start: node.start, end: node.end, block: inner });
    for (const parameter of (node as { readonly params: readonly AnyNode[] }).params)
      for (const name of namesIn(parameter)) initialize(inner, name);
  } else if (SCOPE.test(node.type)) inner = new Block(block, false);
  declareIn(node, block, inner);
  collectUse(node, inner, found);
  for (const value of Object.values(node) as unknown[])
    for (const item of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(item)) visit(item, inner, found);
}

function initialize(block: Block, name: string): void {
  block.declare(name).isInitialized = true;
}

function declareIn(node: AnyNode, outer: Block, inner: Block): void {
  if (node.type === "VariableDeclaration")
    for (const { id, init } of node.declarations)
      for (const name of namesIn(id)) {
        const variable = (node.kind === "var" ? outer.owner : outer).declare(name);
        if (init) variable.isInitialized = true;
      }
  else if (node.type === "ClassDeclaration" && node.id !== null) initialize(outer, node.id.name);
  else if (node.type === "ImportDeclaration")
    for (const { local } of node.specifiers) initialize(outer, local.name);
  else if (node.type === "CatchClause" && node.param)
    for (const name of namesIn(node.param)) initialize(inner, name);
}

function collectUse(node: AnyNode, block: Block, { uses }: Collected): void {
  if (node.type === "AssignmentExpression") written(node.left, block, uses);
  else if (node.type === "UpdateExpression") written(node.argument, block, uses);
  else if (node.type === "UnaryExpression" && node.operator === "delete") written(node.argument, block, uses);
  else if (
    (node.type === "ForOfStatement" || node.type === "ForInStatement") &&
    node.left.type !== "VariableDeclaration"
  )
    written(node.left, block, uses);
  else if (node.type === "CallExpression" && node.callee.type === "MemberExpression") {
    const { object, property } = node.callee;
    if (property.type !== "Identifier") return;
    const [first, second] = node.arguments;
    if (CHANGES.test(property.name)) called(object, block, uses);
    else if (isWriter(object, property.name) && first)
      for (const name of writtenNames(second)) changed(first, name, block, uses);
  }
}

/**
 * Returns the properties that `Object.assign(target, { a: 1 })` or `Reflect.set(target, "a", 1)`
 * writes.
 */
function writtenNames(given: AnyNode | undefined): string[] {
  if (given?.type === "Literal" && typeof given.value === "string") return [given.value];
  if (given?.type !== "ObjectExpression") return [ITEMS];
  return given.properties.map((one) =>
    one.type === "Property" && !one.computed && one.key.type === "Identifier" ? one.key.name : ITEMS,
  );
}

/** Returns whether a function of `Object` or `Reflect` writes to its first argument. */
const isWriter = (object: AnyNode, name: string): boolean =>
  object.type === "Identifier" && /^(?:Object|Reflect)$/.test(object.name) && WRITES.test(name);

const WRITES = /^(?:assign|define(?:Property|Properties)|set(?:PrototypeOf)?|deleteProperty)$/;

/** Takes note of the variables that a target of an assignment changes. */
function written(target: AnyNode, block: Block, uses: Use[]): void {
  for (const part of targetsIn(target))
    if (part.type === "Identifier") uses.push({ name: part.name, block, property: undefined });
    else changed(part.object, nameOf(part), block, uses);
}

/**
 * Takes note of a change of what an expression holds: that of its first property, if it has one.
 */
function changed(holder: AnyNode, key: string, block: Block, uses: Use[]): void {
  if (holder.type === "MemberExpression") changed(holder.object, nameOf(holder), block, uses);
  else if (holder.type === "Identifier") uses.push({ name: holder.name, block, property: key });
}

/** Takes note of a call that changes what an expression holds, if that is a container. */
function called(holder: AnyNode, block: Block, uses: Use[]): void {
  const path: string[] = [];
  let at = holder;
  for (; at.type === "MemberExpression"; at = at.object) path.unshift(nameOf(at));
  if (at.type === "Identifier") uses.push({ name: at.name, block, property: path.join("."), isCall: true });
}

const nameOf = ({ property, computed }: MemberExpression): string =>
  !computed && property.type === "Identifier" ? property.name : ITEMS;

/** Returns the variables and properties that a pattern assigns. */
function targetsIn(node: AnyNode): (Identifier | MemberExpression)[] {
  if (node.type === "Identifier" || node.type === "MemberExpression") return [node];
  if (node.type === "AssignmentPattern") return targetsIn(node.left);
  if (node.type === "RestElement") return targetsIn(node.argument);
  if (node.type === "ArrayPattern")
    return node.elements.flatMap((item) => (item === null ? [] : targetsIn(item)));
  if (node.type === "ObjectPattern")
    return node.properties.flatMap((item) => targetsIn(item.type === "Property" ? item.value : item));
  return [];
}

/** Returns the names in a pattern. */
const namesIn = (node: AnyNode): string[] =>
  targetsIn(node).flatMap((part) => (part.type === "Identifier" ? [part.name] : []));
