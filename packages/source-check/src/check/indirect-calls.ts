/** @file Functions of the language that call other functions, or use what they are given. */
import type { AnyNode } from "acorn";
import type { AnyFunction } from "../source/parse-function.js";
import { construct } from "./construct.js";
import { changesThis } from "./host-functions.js";
import type { Interpreter, Scope } from "./interpreter.js";
import { join, type Kind, made, NOTHING, UNDEFINED } from "./kinds.js";

/** A function with what it is bound to. */
export interface Bound {
  readonly target: Kind;
  readonly given: Kind;
  readonly before: readonly Kind[];
}

/** Functions of the language that call another function; undefined for other functions. */
export function indirectCall(
  fn: AnyFunction,
  self: Kind,
  args: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): Kind | undefined {
  const [first = UNDEFINED, second = UNDEFINED, third] = args;
  switch (fn as unknown) {
    case Function.prototype.call:
      return on.call(self, first, args.slice(1), node, scope);
    case Function.prototype.apply:
      return on.call(self, first, spreadOf(args[1], on), node, scope);
    case Function.prototype.bind: {
      const closure: Bound = { target: self, given: first, before: args.slice(1) };
      return made({ type: "bound", props: new Map(), element: NOTHING, closure });
    }
    case Reflect.apply:
      return on.call(first, second, spreadOf(third, on), node, scope);
    case Reflect.construct:
      return construct(first, spreadOf(args[1], on), node, scope, on);
    case Reflect.get:
      return on.member(first, second, node, scope);
    default:
      return undefined;
  }
}

/** What a function of the language runs of the values that it is given, and what it changes. */
export function useIntrinsic(
  fn: unknown,
  self: Kind,
  args: readonly Kind[],
  node: AnyNode,
  scope: Scope,
  on: Interpreter,
): void {
  if (changesThis(fn, self)) on.strict?.mutated(self, node, scope);
  if (KEEPS.has(fn)) return;
  for (const value of [self, ...args]) on.hidden(value, "any", node, scope);
}

/** Functions that keep what they are given as it is. */
const KEEPS = new Set<unknown>([
  ...[Map, Set, WeakMap, WeakSet].flatMap(({ prototype }) =>
    Object.values(Object.getOwnPropertyDescriptors(prototype)).map(({ value }) => value as unknown),
  ),
  Object.freeze,
  Object.keys,
  Object.hasOwn,
  Object.is,
  Object.getPrototypeOf,
  Array.isArray,
  Array.of,
  Boolean,
]);

const spreadOf = (list: Kind | undefined, on: Interpreter): Kind[] =>
  list === undefined ? [] : Array.from({ length: 8 }, () => join(on.elements(list), UNDEFINED));
