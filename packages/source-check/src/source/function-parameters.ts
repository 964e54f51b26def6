import type { Identifier, ObjectPattern, Pattern } from "acorn";
import { originalNames } from "./original-names.js";
import { type AnyFunction, parseFunction } from "./parse-function.js";

/** A parameter of a function, as its source declares it. */
export interface FunctionParameter {
  /** The name; undefined for a pattern, `{ scale }`. */
  readonly name: string | undefined;
  /** Whether it takes all arguments that are left: `...rest`. */
  readonly isRest: boolean;
  /** Whether it may be left out. */
  readonly hasDefault: boolean;
  /** The names that a pattern takes, `{ scale }`; undefined where it takes further ones. */
  readonly keywords?: readonly string[] | undefined;
}

const declared = new WeakMap<AnyFunction, readonly FunctionParameter[]>();

/**
 * Declares the names of the parameters of a function whose source does not show them; undefined
 * represents a pattern, which takes keywords.
 */
export function declareParameters(fn: AnyFunction, names: readonly (string | undefined)[]): void {
  declared.set(
    fn,
    names.map((name) => ({ name, isRest: false, hasDefault: false })),
  );
}

const models = new WeakMap<AnyFunction, AnyFunction>();

/** Declares that a function takes the parameters of another one behind its first. */
export function takeParametersOf(fn: AnyFunction, model: AnyFunction): void {
  models.set(fn, model);
}

/**
 * Returns the parameters of a function by its source, with the names that they had before a tool
 * renamed them, where a source map has these. Undefined where the engine has none: built-in
 * and bound functions.
 */
export function functionParameters(fn: AnyFunction): readonly FunctionParameter[] | undefined {
  const known = declared.get(fn);
  if (known !== undefined) return known;
  const model = models.get(fn);
  if (model !== undefined) return functionParameters(model)?.slice(1);
  const parsed = parseFunction(fn);
  if (parsed === null) return undefined;
  const { params } = parsed.node;
  const names = originalNames(fn, parsed, params.map(identifierOf));
  const parameters = params.map((pattern, i) => ({
    ...parameterOf(pattern),
    name: names[i] ?? identifierOf(pattern)?.name,
  }));
  declared.set(fn, parameters);
  return parameters;
}

/**
 * Returns whether a function may take more arguments than its parameters show: it speaks of
 * `arguments`, or the engine has no source of it.
 */
export function mayTakeMore(fn: AnyFunction): boolean {
  const model = models.get(fn);
  const parsed = parseFunction(model ?? fn);
  return parsed === null || /\barguments\b/.test(parsed.source);
}

/** Returns the identifier that a parameter declares; undefined for a pattern. */
function identifierOf(pattern: Pattern): Identifier | undefined {
  if (pattern.type === "RestElement") return identifierOf(pattern.argument);
  if (pattern.type === "AssignmentPattern") return identifierOf(pattern.left);
  return pattern.type === "Identifier" ? pattern : undefined;
}

function parameterOf(pattern: Pattern): Omit<FunctionParameter, "name"> {
  if (pattern.type === "RestElement") return { ...parameterOf(pattern.argument), isRest: true };
  if (pattern.type === "AssignmentPattern") return { ...parameterOf(pattern.left), hasDefault: true };
  const keywords = pattern.type === "ObjectPattern" ? keywordsOf(pattern) : undefined;
  return { isRest: false, hasDefault: false, ...(keywords && { keywords }) };
}

/**
 * Returns the names that an object pattern takes; undefined where it has a rest or computes a name.
 */
function keywordsOf({ properties }: ObjectPattern): readonly string[] | undefined {
  const names = properties.map((property) => {
    if (property.type === "RestElement" || property.computed) return undefined;
    const { key } = property;
    if (key.type === "Identifier") return key.name;
    const value = key.type === "Literal" ? key.value : undefined;
    return typeof value === "string" || typeof value === "number" ? String(value) : undefined;
  });
  return names.includes(undefined) ? undefined : (names as string[]);
}
