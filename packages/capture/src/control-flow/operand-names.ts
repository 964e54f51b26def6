/**
 * @file The names by which TorchDynamo orders the operands of `cond` and `while_loop`: it calls an
 * input by the way from the arguments of the operator to it, `l_args_1_closure_0_contents_`.
 */
import { Tensor } from "@sconce/tensor";
import { closureValue } from "../source/closure-values.js";
import { freeVariables } from "../source/free-variables.js";
import type { AnyFunction } from "../source/parse-function.js";
import { isSym } from "../trace/sym-int.js";
import type { TraceNode } from "../trace/trace-node.js";
import { TracedTensor } from "../trace/traced-tensor.js";
import type { Tracer } from "../trace/tracer.js";

/** How deep containers and closures are searched. */
const DEEPEST = 6;
/** How many values are looked at, and how many functions, each of which takes about 1 ms. */
const MOST_VALUES = 2000;
const MOST_FUNCTIONS = 20;

/** Finds the names of tensors and sizes that functions of control flow read. */
export class OperandNames {
  readonly #parent: Tracer;
  readonly #names = new Map<object, string>();
  readonly #variables = new Map<object, string>();
  readonly #seen = new Set<unknown>();
  #functions = 0;

  constructor(parent: Tracer) {
    this.#parent = parent;
  }

  /** Names an argument of the operator, and what it holds. */
  argument(index: number, value: unknown): void {
    this.#visit(value, `L['args'][${index}]`, undefined, 0);
  }

  /** Names what a function of the operator closes over. */
  closure(index: number, fn: unknown): void {
    if (typeof fn === "function") this.#visitFunction(fn as AnyFunction, `L['args'][${index}]`, 0);
  }

  /** Lets a constant have the name of the tensor with its values. */
  share(tensor: Tensor, fake: object): void {
    const name = this.#names.get(tensor);
    if (name !== undefined && !this.#names.has(fake)) this.#names.set(fake, name);
  }

  /** The name of a value with its node in the graph around. */
  of(value: object, outer: TraceNode): string {
    // An input of the graph around has the name that it has there; other nodes have variables.
    const known = this.#parent.keyOf(outer);
    if (known !== undefined) return known;
    return (this.#parent.isNested ? this.#variables : this.#names).get(value) ?? outer.name;
  }

  #visit(value: unknown, path: string, variable: string | undefined, depth: number): void {
    if ((typeof value !== "object" && typeof value !== "function") || value === null) return;
    const parts = this.#parent.pathsOf(value);
    if (typeof value === "function" && parts === undefined) {
      if (variable !== undefined && depth < DEEPEST)
        this.#visitFunction(value as AnyFunction, path, depth + 1);
      return;
    }
    if (value instanceof Tensor || isSym(value)) {
      const key = value instanceof TracedTensor ? value.fake : value;
      if (!this.#names.has(key)) this.#names.set(key, nameOf(path));
      if (variable !== undefined && !this.#variables.has(key)) this.#variables.set(key, variable);
      return;
    }
    if (depth >= DEEPEST || this.#seen.has(value) || this.#seen.size >= MOST_VALUES) return;
    this.#seen.add(value);
    for (const [step, item] of parts ?? itemsOf(value)) this.#visit(item, path + step, undefined, depth + 1);
  }

  /** The variables in alphabetical order, as Python numbers them. */
  #visitFunction(fn: AnyFunction, path: string, depth: number): void {
    if (this.#seen.has(fn) || this.#functions++ >= MOST_FUNCTIONS) return;
    this.#seen.add(fn);
    const variables = freeVariables(fn)
      .map((name) => (name === "this" ? "self" : name))
      .sort();
    let index = 0;
    for (const name of variables) {
      const value = name === "self" ? this.#parent.currentModule : closureValue(fn, name)?.value;
      if (value === undefined || isLibrary(value)) continue;
      this.#visit(value, `${path}.__closure__[${index++}].contents`, name, depth);
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

const nameOf = (path: string): string => path.replace(/[^a-zA-Z0-9]+/g, "_").replace(/^L_/, "l_");
