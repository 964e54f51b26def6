/**
 * @file Text of names and values in TypeScript. Texts of a program are data: they never become
 * code.
 */
import { scriptComment, scriptString } from "@sconce/errors";
import { type Argument, isRef, itemsOf, kindOf } from "@sconce/ir";
import { notWritable } from "./errors.js";

/** Words that cannot be names of variables in a module. */
const RESERVED = new Set(
  "arguments as async await break case catch class const continue debugger default delete do else enum eval export extends false finally for from function get if implements import in instanceof interface let new null of package private protected public return set static super switch this throw true try type typeof undefined var void while with yield NaN Infinity Object Array Map Promise Symbol globalThis Parameters ReadonlyMap".split(
    " ",
  ),
);

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** Returns whether a text is a name that needs no quotes as a property. */
export const isIdentifier = (text: string): boolean => IDENTIFIER.test(text);

/** Gives each variable a separate name, close to the wanted one. */
export class VariableNames {
  readonly #taken: Set<string>;
  /** The last number behind a name. */
  readonly #counts = new Map<string, number>();

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set(taken);
  }

  /** Takes a name: the wanted one, or one like it that is free and an identifier. */
  take(wanted: string): string {
    const plain = wanted
      .replace(/[^A-Za-z0-9_$]/g, "_")
      .replace(/^(?=\d|$)/, "_")
      .slice(0, 200);
    let name = RESERVED.has(plain) ? `${plain}_` : plain;
    let count = this.#counts.get(plain) ?? 0;
    while (this.#taken.has(name)) name = `${plain}_${++count}`;
    this.#counts.set(plain, count);
    this.#taken.add(name);
    return name;
  }
}

/** `a.b`, or `a["0"]` for a name that is not an identifier. */
export const memberText = (owner: string, name: string): string =>
  isIdentifier(name) ? `${owner}.${name}` : `${owner}[${scriptString(name)}]`;

/** Returns a property of an object literal or type. */
export const keyText = (name: string): string =>
  isIdentifier(name) && name !== "__proto__" ? name : `[${scriptString(name)}]`;

/**
 * Returns a comment on one line, of ASCII only: tools count the columns of others in different
 * ways.
 */
export const commentText = (text: string): string =>
  scriptComment(text.slice(0, 200)).replace(/[^ -~]/g, "?");

/** Notes that a function of Sconce is used, and gives its name. */
export type Use = (name: string) => string;

/** Returns a literal of a graph; `ofNode` gives the expression for a node. */
export function argumentText(
  value: Argument,
  use: Use,
  ofNode: (name: string) => string,
  where: string,
): string {
  if (typeof value === "number") return numberText(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "string") return scriptString(value);
  if (typeof value === "boolean" || value === null) return String(value);
  if (isRef(value)) return ofNode(value.name);
  const items = itemsOf(value);
  if (items !== undefined)
    return `[${items.map((item) => argumentText(item, use, ofNode, where)).join(", ")}]`;
  switch ((value as Exclude<typeof value, readonly Argument[]>).kind) {
    case "float": {
      const { value: number } = value as { readonly value: number };
      return `${use("float")}(${numberText(number)})`;
    }
    case "complex": {
      const { re, im } = value as { readonly re: number; readonly im: number };
      return `${use("complex")}(${numberText(re)}, ${numberText(im)})`;
    }
    case "dtype":
      return scriptString((value as { readonly dtype: string }).dtype);
    case "device": {
      const { type, index } = value as { readonly type: string; readonly index: number | null };
      return scriptString(index === null ? type : `${type}:${index}`);
    }
    case "layout":
      return scriptString((value as { readonly layout: string }).layout);
    case "memory_format":
      return scriptString((value as { readonly format: string }).format);
    default:
      throw notWritable(
        `an argument of the kind ${(value as { readonly kind: string }).kind}`,
        where,
        "lower the program with `decompose`, or remove the call with a pass",
      );
  }
}

const TAGGED = new Set(["dtype", "device", "layout", "memory_format"]);

/**
 * Returns a dtype, device, layout or memory format as `callOperator` takes it; undefined for
 * others.
 */
export function taggedText(value: Argument): string | undefined {
  if (!TAGGED.has(kindOf(value) ?? "")) return undefined;
  const parts = Object.entries(value as object).map(
    ([key, part]) => `${keyText(key)}: ${typeof part === "string" ? scriptString(part) : String(part)}`,
  );
  return `{ ${parts.join(", ")} } as const`;
}

/** Returns a number as JavaScript writes it. */
export const numberText = (value: number): string => (Object.is(value, -0) ? "-0" : String(value));
