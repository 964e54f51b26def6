/**
 * @file The names by which TorchDynamo orders the operands of `cond` and `while_loop`: it calls an
 * input by the way from the arguments of the operator to it, `l_args_1_closure_0_contents_`. In
 * functions of other control flow it calls an operand as the node, or as the input there.
 */
import { type AnyFunction, closureValue, freeVariables } from "@sconce/source-check";
import { Tensor } from "@sconce/tensor";
import { isSym } from "../trace/sym-int.js";
import type { TraceNode } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import type { Tracer } from "../trace/tracer.js";

/** How deep containers and closures are searched. */
const DEEPEST = 6;
/** How many values are looked at, and how many functions, each of which takes about 1 ms. */
const MOST_VALUES = 2000;
const MOST_FUNCTIONS = 20;

/** Where the arguments of an operator are among the places. */
const ARGUMENTS = "";

/** What is found on the ways from one argument. */
interface Place {
  readonly names: Map<object, string>;
  readonly seen: Set<unknown>;
  /** What is still to be searched. */
  readonly unread: ((place: Place) => void)[];
}

/** Finds the names of tensors and sizes that functions of control flow read. */
export class OperandNames {
  readonly #parent: Tracer;
  /** Values by the ways to them, for the arguments and for each function. */
  readonly #places = new Map<string, Place>();
  /** Tensors with values by the constants that they are. */
  readonly #shared = new Map<object, Tensor>();
  #functions = 0;

  constructor(parent: Tracer) {
    this.#parent = parent;
  }

  /**
   * Names an argument of the operator, and what it holds.
   *
   * @param path the way to it: `args[3]`
   */
  argument(path: string, value: unknown): this {
    this.#place(ARGUMENTS).unread.push((place) => this.#visit(value, path, false, 0, place));
    return this;
  }

  /** Names what a function of the operator closes over. */
  closure(path: string, fn: unknown): this {
    if (typeof fn === "function")
      this.#place(path).unread.push((place) => this.#visitFunction(fn as AnyFunction, path, 0, place));
    return this;
  }

  /** Returns whether a value is an argument of the operator, or in one. */
  isArgument(value: unknown): boolean {
    return typeof value === "object" && value !== null && this.#read(ARGUMENTS).names.has(value);
  }

  /** Lets a constant have the name of the tensor with its values. */
  share(tensor: Tensor, fake: object): void {
    this.#shared.set(fake, tensor);
  }

  /**
   * Returns the name of a value with its node in the enclosing graph.
   *
   * @param path the way to the function that reads it
   */
  of(value: object, outer: TraceNode, path: string): string {
    // A strict export names inputs by their paths in the module, and other values by their nodes.
    if (this.#parent.isNested || this.#parent.isStrict) return this.#parent.keyOf(outer) ?? outer.name;
    const tensor = this.#shared.get(value) ?? value;
    for (const { names } of [this.#read(ARGUMENTS), this.#read(path)]) {
      const name = names.get(value) ?? names.get(tensor);
      if (name !== undefined) return name;
    }
    return outer.name;
  }

  #place(path: string): Place {
    const place = this.#places.get(path) ?? { names: new Map(), seen: new Set(), unread: [] };
    this.#places.set(path, place);
    return place;
  }

  #read(path: string): Place {
    const place = this.#place(path);
    for (const read of place.unread.splice(0)) read(place);
    return place;
  }

  #visit(value: unknown, path: string, isVariable: boolean, depth: number, place: Place): void {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return;
    const parts = this.#parent.pathsOf(value);
    if (typeof value === "function" && parts === undefined) {
      if (isVariable && depth < DEEPEST) this.#visitFunction(value as AnyFunction, path, depth + 1, place);
      return;
    }
    if (value instanceof Tensor || isSym(value)) {
      const key = value instanceof TracedTensor ? value.fake : value;
      if (!place.names.has(key)) place.names.set(key, nameOf(path));
      return;
    }
    if (depth >= DEEPEST || place.seen.has(value) || place.seen.size >= MOST_VALUES) return;
    place.seen.add(value);
    for (const [step, item] of parts ?? itemsOf(value))
      this.#visit(item, path + step, false, depth + 1, place);
  }

  /** The variables in alphabetical order, as Python numbers them. */
  #visitFunction(fn: AnyFunction, path: string, depth: number, place: Place): void {
    if (place.seen.has(fn) || this.#functions++ >= MOST_FUNCTIONS) return;
    place.seen.add(fn);
    const variables = freeVariables(fn)
      .map((name) => (name === "this" ? "self" : name))
      .sort();
    let index = 0;
    for (const name of variables) {
      const value = name === "self" ? this.#parent.currentModule : closureValue(fn, name)?.value;
      if (value === undefined || isLibrary(value)) continue;
      this.#visit(value, `${path}.__closure__[${index++}].contents`, true, depth, place);
    }
  }
}

/** Namespaces that Python imports, which are not closed over there: `torch`. */
const isLibrary = (value: unknown): boolean => typeof value === "object" && Object.isFrozen(value);

function itemsOf(value: object): (readonly [step: string, item: unknown])[] {
  if (value instanceof Map) return [...value].map(([key, item]) => [`['${String(key)}']`, item]);
  const isList = Array.isArray(value);
  return Object.entries(value).map(([key, item]) => [isList ? `[${key}]` : `['${key}']`, item]);
}

const nameOf = (path: string): string => `l_${path.replace(/[^a-zA-Z0-9]+/g, "_")}`;
