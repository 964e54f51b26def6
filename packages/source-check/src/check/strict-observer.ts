/** @file Strict mode: reports what a trace cannot see of the code that it runs. */

import { Tensor } from "@sconce/tensor";
import type { AnyNode, Function as FunctionNode } from "acorn";
import { type AnyFunction, isClass } from "../source/parse-function.js";
import { ITEMS, type OuterBinding, outerBinding } from "../source/script-bindings.js";
import { HOST_READS, hostFunction, hostName, isHostObject } from "./host-functions.js";
import type { Scope, StrictObserver } from "./interpreter.js";
import { type Kind, mayBeTensor, primitive } from "./kinds.js";
import { isGlobal } from "./names.js";
import { isModule } from "./own-values.js";
import { isObject } from "./prototypes.js";
import { isProxy } from "./proxies.js";
import type { StrictConstruct } from "./strict-constructs.js";

/** Receives a construct that is refused, or why it is not known whether it is. */
export type ReportConstruct = (
  construct: StrictConstruct,
  node: AnyNode,
  scope: Scope,
  doubt?: string,
) => void;

/** Reports the constructs that strict mode refuses. */
export class StrictReporter implements StrictObserver {
  operators = 0;
  readonly refuse: ReportConstruct;
  /** Containers of the arguments: the trace has its own copies. */
  readonly #arguments: ReadonlySet<unknown>;
  readonly #iterated: Kind[] = [];
  /** The outer variables that hold an object or a class, which other variables may hold too. */
  readonly #bindings = new Map<unknown, Set<OuterBinding>>();

  constructor(args: readonly unknown[], report: ReportConstruct) {
    this.refuse = report;
    this.#arguments = containersIn(args);
  }

  countOperator(): void {
    this.operators++;
  }

  enter(node: FunctionNode, scope: Scope): void {
    const at = node as AnyNode;
    if (node.generator) this.refuse("generator", at, scope);
    if (node.async) this.refuse("async", at, scope);
  }

  read(name: string, value: Kind | undefined, node: AnyNode, scope: Scope): void {
    if (value !== undefined) {
      if (value.values.some(isHostObject)) this.refuse("host", node, scope);
      const { fn } = scope.frame;
      const holders = value.values.filter((one) => isContainer(one) || isClassValue(one));
      const binding = fn && (isState(value) || holders.length > 0) ? outerBinding(fn, name) : undefined;
      if (binding !== undefined) for (const holder of holders) this.#note(holder, binding);
      const changes =
        (binding?.changed.has(ITEMS) && value.values.some(isContainer)) ||
        (binding?.called.has("") && value.values.some(isCollection));
      if (binding?.isReassigned || changes) this.refuse("outer-read", node, scope);
      return;
    }
    if (name === "arguments") this.refuse("arguments", node, scope);
    else this.#global(name, node, scope);
  }

  #note(holder: unknown, binding: OuterBinding): void {
    const known = this.#bindings.get(holder) ?? new Set();
    this.#bindings.set(holder, known.add(binding));
  }

  /** A name that no code around declares. */
  #global(name: string, node: AnyNode, scope: Scope): void {
    if (isGlobal(name)) return;
    const construct = hostName(name) ?? (isUserGlobal(name) ? "outer-read" : undefined);
    if (construct !== undefined) this.refuse(construct, node, scope);
  }

  readMember(object: Kind, key: Kind, node: AnyNode, scope: Scope): void {
    const name = primitive(key)?.value;
    if (mayBeTensor(object) && HOST_READS.has(String(name))) this.refuse("host-read", node, scope);
    if (object.values.includes(globalThis)) this.#global(String(name), node, scope);
    if (object.values.some(isHostObject)) this.refuse("host", node, scope);
    if (readsClock(object, name)) this.refuse("clock", node, scope);
    const bindings = object.values.flatMap((value) => [...(this.#bindings.get(value) ?? [])]);
    if (bindings.some((binding) => isChanged(binding, name) || callsChange(binding, object, name)))
      this.refuse("outer-read", node, scope);
  }

  assigned(object: Kind, node: AnyNode, scope: Scope): void {
    if (object.values.some((owner) => this.#isOuter(owner))) this.refuse("outer-write", node, scope);
  }

  mutated(container: Kind, node: AnyNode, scope: Scope): void {
    this.assigned(container, node, scope);
    const isIterated = this.#iterated.some(
      ({ values, objects }) =>
        objects.some((one) => container.objects.includes(one)) ||
        values.some((one) => isContainer(one) && container.values.includes(one)),
    );
    if (isIterated) this.refuse("iterated-mutation", node, scope);
  }

  iterating<T>(container: Kind, run: () => T): T {
    this.#iterated.push(container);
    const result = run();
    this.#iterated.pop();
    return result;
  }

  called(fn: unknown, args: readonly Kind[], node: AnyNode, scope: Scope): boolean {
    if (fn === JSON.stringify && args[0] !== undefined && mayBeTensor(args[0]))
      this.refuse("host-read", node, scope);
    const construct = fn === Date ? dateConstruct(args, node) : hostFunction(fn);
    if (construct !== undefined) this.refuse(construct, node, scope);
    return construct !== undefined;
  }

  /** Returns whether a value was there before the trace: modules are put back as they were. */
  #isOuter(value: unknown): boolean {
    if (!isObject(value)) return false;
    return !(isModule(value) || value instanceof Tensor || this.#arguments.has(value));
  }
}

/**
 * `new Date(year, month)` is in the time zone of the host; `Date(...)` gives the time as a text.
 */
function dateConstruct(args: readonly Kind[], { type }: AnyNode): StrictConstruct | undefined {
  if (type === "CallExpression" || args.length === 0) return "clock";
  return args.length > 1 ? "host" : undefined;
}

/** Properties of `performance` that hold a time. */
const TIMES = /^(?:timeOrigin|timing|nodeTiming|navigation|memory|eventCounts|interactionCount)$/;

const readsClock = ({ values }: Kind, name: unknown): boolean =>
  TIMES.test(String(name)) &&
  values.some(
    (value) => value !== undefined && value === (globalThis as { performance?: unknown }).performance,
  );

const isClassValue = (value: unknown): boolean =>
  typeof value === "function" && !isModule(value) && isClass(value as AnyFunction);

/** Returns whether reading a property of a variable, or its items, reads what functions change. */
const isChanged = ({ changed }: OuterBinding, name: unknown): boolean =>
  changed.has(ITEMS) || (name === undefined ? changed.size > 0 : changed.has(String(name)));

/** Returns whether functions change a collection, or one that a property of a variable holds. */
function callsChange({ called }: OuterBinding, { values }: Kind, name: unknown): boolean {
  const paths = [...called].map((path) => path.split("."));
  const isRead = ([first]: readonly string[]): boolean => first === "" || first === String(name);
  return paths.some((path) => isRead(path) && values.some((value) => isCollection(valueAt(value, path))));
}

/** Returns what a path of properties leads to; undefined where a getter is in between. */
function valueAt(value: unknown, path: readonly string[]): unknown {
  return path.reduce(
    (at: unknown, key) =>
      key === "" || !isContainer(at) || isProxy(at)
        ? at
        : (Object.getOwnPropertyDescriptor(at, key)?.value as unknown),
    value,
  );
}

/** Returns whether a value is a collection of the language, whose methods change it. */
const isCollection = (value: unknown): boolean =>
  Array.isArray(value) ||
  ArrayBuffer.isView(value) ||
  [Map, Set, WeakMap, WeakSet].some((type) => value instanceof type);

/**
 * Returns whether a global variable is one of a program: those of engines are functions or not
 * listed.
 */
function isUserGlobal(name: string): boolean {
  const found = Object.getOwnPropertyDescriptor(globalThis, name);
  return found?.enumerable === true && typeof found.value !== "function";
}

const isContainer = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !isModule(value) && !(value instanceof Tensor);

/** Returns whether a variable holds state: modules and classes are traced, whatever holds them. */
const isState = ({ values }: Kind): boolean =>
  values.some((value) => !isModule(value) && !(typeof value === "function" && isClass(value as AnyFunction)));

/** Deeper containers are not looked for. */
const DEEPEST = 8;

function containersIn(values: readonly unknown[], found = new Set<unknown>(), depth = 0): Set<unknown> {
  for (const value of values) {
    if (!isContainer(value) || found.has(value) || depth > DEEPEST) continue;
    found.add(value);
    const items = value instanceof Map ? [...value.values()] : Object.values(value as object);
    containersIn(items as unknown[], found, depth + 1);
  }
  return found;
}
