import { markClass } from "@sconce/errors";
import { COPY } from "../this-copy.js";
import { jsonRepr } from "../values/python-repr.js";

/** The prefix of the types of classes that were registered without a name for files. */
export const UNNAMED = "<unnamed ";

type Equals = (a: unknown, b: unknown) => boolean;

/** Returns the method `equals` of a prototype as a function of two values. */
export function equalsOf(prototype: unknown): Equals | undefined {
  const method = (prototype as { equals?: unknown } | null)?.equals;
  return typeof method === "function" ? (a, b) => method.call(a, b) === true : undefined;
}

/**
 * A context that only lives in memory: an instance of a registered constant, or what the author of
 * a class keeps there without a way to write it.
 */
export class OpaqueContext {
  static {
    markClass(OpaqueContext, "OpaqueContext", COPY);
  }

  // Private, so that freezing a program leaves the user's object alone.
  readonly #value: unknown;
  readonly #equals: Equals;

  constructor(value: unknown, equals: Equals = equalsOf(value) ?? Object.is) {
    this.#value = value;
    this.#equals = equals;
  }

  /** The user's object. */
  get value(): unknown {
    return this.#value;
  }

  /** Returns whether another context holds an equal object. */
  equals(other: unknown): boolean {
    return (
      other instanceof OpaqueContext &&
      (this.#value === other.value ||
        (prototypeOf(this.#value) === prototypeOf(other.value) && this.#equals(this.#value, other.value)))
    );
  }

  /** Returns what PyTorch prints for a constant: `ConstantNode(value=...)`. */
  toString(): string {
    return `ConstantNode(value=${shown(this.#value)})`;
  }
}

const prototypeOf = (value: unknown): unknown =>
  typeof value === "object" && value !== null ? Object.getPrototypeOf(value) : undefined;

/** Returns the text of a class that defines one, otherwise its name with its fields. */
function shown(value: unknown): string {
  if (typeof value !== "object" || value === null) return jsonRepr(value);
  const text = (value as { toString?: unknown }).toString;
  if (typeof text === "function" && text !== Object.prototype.toString) return String(text.call(value));
  const fields = Object.entries(value).map(([name, field]) => `${name}=${jsonRepr(field)}`);
  return `${value.constructor?.name ?? "object"}(${fields.join(", ")})`;
}
