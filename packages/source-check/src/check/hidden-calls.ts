/**
 * @file Functions that the language calls by itself: conversions, iterators, getters. Strict mode
 * follows them where a value is used.
 */

import { Tensor } from "@sconce/tensor";
import type { AnyNode } from "acorn";
import { type AnyFunction, isNative } from "../source/parse-function.js";
import { type HiddenUse, type Interpreter, runAnyTimes, type Scope } from "./interpreter.js";
import { isNothing, type Kind, known, made, NOTHING, PLAINS, UNDEFINED } from "./kinds.js";
import { ownFunctionName } from "./own-functions.js";
import { isModule, isSym } from "./own-values.js";
import { isObject, prototypesOf } from "./prototypes.js";
import { isProxy, PROXY } from "./proxies.js";

type Uses = ReadonlySet<HiddenUse>;

/** Names of the functions that each use calls. */
const NAMES: readonly (readonly [name: string | symbol, use: HiddenUse])[] = [
  [Symbol.toPrimitive, "convert"],
  ["valueOf", "convert"],
  ["toString", "convert"],
  [Symbol.iterator, "iterate"],
  [Symbol.asyncIterator, "iterate"],
  [Symbol.hasInstance, "instance"],
  ["toJSON", "read"],
];

const ANY_USE: Uses = new Set(["convert", "iterate", "read"]);

/** Containers in containers whose getters are followed: `JSON.stringify` reads all of them. */
const DEEPEST = 4;
/** Items of a container that are looked at. */
const MOST_ITEMS = 1000;

/** Runs the functions that a use of a value calls. */
export function runHidden(on: Interpreter, value: Kind, use: HiddenUse, node: AnyNode, scope: Scope): void {
  const uses: Uses = use === "any" ? ANY_USE : new Set([use]);
  new HiddenCalls(on, uses, node, scope).run(value, 0);
}

class HiddenCalls {
  readonly #on: Interpreter;
  readonly #uses: Uses;
  readonly #node: AnyNode;
  readonly #scope: Scope;
  readonly #seen = new Set<unknown>();

  constructor(on: Interpreter, uses: Uses, node: AnyNode, scope: Scope) {
    this.#on = on;
    this.#uses = uses;
    this.#node = node;
    this.#scope = scope;
  }

  run({ values, objects }: Kind, depth: number): void {
    for (const value of values) this.#value(value, depth);
    for (const object of objects) {
      if (this.#seen.has(object)) continue;
      this.#seen.add(object);
      const self = made(object);
      for (const [name, use] of NAMES) {
        const fn = object.props.get(String(name));
        if (fn !== undefined && this.#uses.has(use)) this.#call(fn, self, use);
      }
      if (depth < DEEPEST && this.#uses.has("read"))
        for (const [name, item] of object.props) if (name !== "constructor") this.run(item, depth + 1);
    }
  }

  #value(value: unknown, depth: number): void {
    if (!mayHide(value) || this.#seen.has(value)) return;
    this.#seen.add(value);
    if (isProxy(value)) {
      this.#on.unchecked("proxy", PROXY, this.#node, this.#scope);
      return;
    }
    const self = known(value);
    if (this.#uses.has("iterate") && isRunning(value))
      this.#on.unchecked("iterator", "an iterator that was started is not followed", this.#node, this.#scope);
    for (const [name, use] of NAMES) {
      if (!this.#uses.has(use)) continue;
      const found = descriptorOf(value, name);
      if (typeof found?.value === "function") this.#call(known(found.value), self, use);
      else if (found?.get !== undefined) this.#on.follow(found.get as AnyFunction, self, []);
    }
    if (this.#uses.has("read") && !isModule(value)) this.#properties(value, depth);
  }

  #properties(value: object, depth: number): void {
    let count = 0;
    for (const own of Object.values(Object.getOwnPropertyDescriptors(value))) {
      if (count++ > MOST_ITEMS) return;
      if (own.get !== undefined) this.#call(known(own.get), known(value), "read");
      else if (depth < DEEPEST) this.#value(own.value, depth + 1);
    }
  }

  /** Calls a function that is not one of the language, and the iterator that it gives. */
  #call(fn: Kind, self: Kind, use: HiddenUse): void {
    const on = this.#on;
    const own = {
      ...fn,
      values: fn.values.filter((one) => typeof one === "function" && !isNative(one as AnyFunction)),
    };
    if (isNothing({ ...own, flags: 0 })) return;
    const args = use === "instance" ? [PLAINS] : [];
    const result = runAnyTimes(on, () => on.call({ ...own, flags: 0 }, self, args, this.#node, this.#scope));
    if (use !== "iterate") return;
    const next = on.member({ ...result, flags: 0 }, known("next"), this.#node, this.#scope);
    const step = { ...NOTHING, values: next.values, objects: next.objects };
    if (!isNothing(step) && step !== UNDEFINED) this.#call(step, result, "convert");
  }
}

/** What the classes of Sconce carry: they compare copies of packages. */
const MADE_BY = Symbol.for("sconce.made-by");

/** Returns whether a value may have functions of the user's that the language calls. */
function mayHide(value: unknown): value is object {
  if (!isObject(value)) return false;
  if (isProxy(value)) return true;
  if (ArrayBuffer.isView(value) || isSym(value)) return false;
  if (value instanceof Tensor || ownFunctionName(value) !== undefined) return false;
  const { prototype } = value as { readonly prototype?: object | null };
  return typeof value !== "function" || !prototype || !(MADE_BY in prototype);
}

/** Returns a property of an object or of what it inherits from, except from classes of Sconce. */
function descriptorOf(value: object, name: string | symbol): PropertyDescriptor | undefined {
  for (const at of prototypesOf(value)) {
    const type = Object.getOwnPropertyDescriptor(at, "constructor")?.value as object | undefined;
    if (typeof type === "function" && Object.hasOwn(type, "torchClass")) return undefined;
    const found = Object.getOwnPropertyDescriptor(at, name);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns whether a value is an iterator, which each loop takes further. */
const isRunning = (value: object): boolean => {
  const next: unknown = descriptorOf(value, "next")?.value;
  return typeof next === "function" && isNative(next as AnyFunction);
};
