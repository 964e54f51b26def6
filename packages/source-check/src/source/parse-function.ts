/** @file The syntax tree of a function, read from its own source (`fn.toString()`). */
import { type AnyNode, type Class, type Expression, parseExpressionAt } from "acorn";

/** What can be called: functions, methods, arrow functions, modules. */
// biome-ignore lint/suspicious/noExplicitAny: any function has a source
export type AnyFunction = (...args: any[]) => any;

/** The tree of a function; positions are offsets into `source`. */
export interface ParsedFunction {
  readonly node: AnyNode & { readonly type: "FunctionExpression" | "ArrowFunctionExpression" };
  /** The text that was parsed: the function's own, in something that makes it an expression. */
  readonly source: string;
  /** Where the function's own text begins in `source`. */
  readonly start: number;
}

const parsed = new WeakMap<object, ParsedFunction | null>();

/**
 * Returns the tree of a function; null where the engine has no source: built-in and bound
 * functions, and classes.
 */
export function parseFunction(fn: AnyFunction): ParsedFunction | null {
  let known = parsed.get(fn);
  if (known === undefined) {
    known = parseSource(sourceOf(fn));
    parsed.set(fn, known);
  }
  return known;
}

/** The tree of a class; positions are offsets into `source`. */
export interface ParsedClass extends Omit<ParsedFunction, "node"> {
  readonly node: Class;
}

const classes = new WeakMap<object, ParsedClass | null>();

/** Returns the tree of a class; null for other functions, and where the engine has no source. */
export function parseClass(fn: AnyFunction): ParsedClass | null {
  let known = classes.get(fn);
  if (known === undefined) {
    const source = `(${sourceOf(fn)})`;
    const tree = isClass(fn) ? expressionOf(source, "module") : undefined;
    known = tree?.type === "ClassExpression" ? { node: tree, source, start: 1 } : null;
    classes.set(fn, known);
  }
  return known;
}

const NATIVE = /\{\s*\[native code\]\s*\}\s*$/;

const sourceOf = (fn: AnyFunction): string => Function.prototype.toString.call(fn);

/** Returns whether a function is built in or bound: the engine has no source of it. */
export const isNative = (fn: AnyFunction): boolean => NATIVE.test(sourceOf(fn));

/** Returns whether a function is a class of JavaScript, which cannot be called without `new`. */
export const isClass = (fn: AnyFunction): boolean => /^class\b/.test(sourceOf(fn));

function parseSource(text: string): ParsedFunction | null {
  if (NATIVE.test(text)) return null;
  // A function or an arrow function is an expression; a method only stands in a class.
  return parseIn("(", text, ")") ?? parseIn("(class{", text, "})") ?? parseIn("(", text, ")", "script");
}

/** `script` is the older language, which has `with`. */
function parseIn(
  before: string,
  text: string,
  after: string,
  sourceType: "module" | "script" = "module",
): ParsedFunction | null {
  const source = before + text + after;
  const tree = expressionOf(source, sourceType);
  const node = tree && functionIn(tree);
  return node === undefined ? null : { node, source, start: before.length };
}

function expressionOf(source: string, sourceType: "module" | "script"): Expression | undefined {
  try {
    return parseExpressionAt(source, 0, {
      ecmaVersion: "latest",
      sourceType,
      checkPrivateFields: false,
      allowSuperOutsideMethod: true,
      allowAwaitOutsideFunction: true,
    });
  } catch {
    return undefined;
  }
}

function functionIn(tree: Expression): ParsedFunction["node"] | undefined {
  if (tree.type === "FunctionExpression" || tree.type === "ArrowFunctionExpression") return tree;
  if (tree.type !== "ClassExpression") return undefined;
  const { body } = tree.body;
  const [method] = body;
  return body.length === 1 && method?.type === "MethodDefinition" ? method.value : undefined;
}
