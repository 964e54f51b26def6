/** @file Whether a use of a value is wrong, and what to write instead. */
import { Tensor } from "@sconce/tensor";
import { type Kind, mayBeSym, mayBeTensor, SIZE, UNKNOWN } from "./kinds.js";

/** What is wrong with a use: without a fix, the check cannot decide. */
export interface Problem {
  readonly message: string;
  readonly fix?: string;
}

const MAYBE_SIZE = "it may be a dynamic size; compare sizes with `sym.eq`, `sym.lt` and the like";

/** Returns the problem of a value that is used as a condition; undefined for none. */
export function conditionProblem(value: Kind, code: string, hasSymbols: boolean): Problem | undefined {
  if (mayBeTensor(value))
    return {
      message: `\`${code}\` is a tensor, and JavaScript takes every tensor for true`,
      fix: `to ask whether it is given, compare it with undefined or null; to choose by its values use \`torch.where(${code}, a, b)\` or \`torch.cond(${code}, ...)\``,
    };
  if (mayBeSym(value))
    return {
      message: `\`${code}\` is dynamic, and JavaScript takes every dynamic size and condition for true`,
      fix: `decide it while tracing: \`guard(${code})\` for a condition, \`guard(sym.ne(${code}, 0))\` for a size`,
    };
  return open(value, hasSymbols);
}

function open({ flags, reason }: Kind, hasSymbols: boolean): Problem | undefined {
  if (flags & UNKNOWN) return { message: reason ?? "it is not known" };
  return flags & SIZE && hasSymbols ? { message: MAYBE_SIZE } : undefined;
}

/** Values that a tensor or a size is compared with to ask what it is: null, undefined, a text. */
const asksForKind = ({ flags, values, objects }: Kind): boolean =>
  flags === 0 &&
  objects.length === 0 &&
  values.every((value) => value === null || value === undefined || typeof value === "string");

/** Objects that no tensor and no size equals: modules, lists. */
const isOther = ({ flags, values }: Kind): boolean =>
  flags === 0 &&
  values.every(
    (value) =>
      ((typeof value === "object" && value !== null) || typeof value === "function") &&
      !(value instanceof Tensor),
  );

/** Two values that are compared by identity. */
export function identityProblem(
  a: Kind,
  b: Kind,
  [left, right]: readonly (string | undefined)[],
  construct: string,
  hasSymbols: boolean,
): Problem | undefined {
  if (asksForKind(a) || asksForKind(b)) return undefined;
  const call = construct.startsWith("!") ? "ne" : "eq";
  const [first = "a", second = "b"] = right === undefined ? ["a", "b"] : [left, right];
  if (mayBeTensor(a) || mayBeTensor(b))
    return {
      message: `\`${left}\`: tensors are compared as objects, not by their values`,
      fix: `compare values with \`${first}.${call}(${second})\`, and choose by the result with \`torch.where\` or \`cond\``,
    };
  if (mayBeSym(a) || mayBeSym(b))
    return {
      message: `\`${left}\`: a dynamic size is compared as an object, not by its value`,
      fix: `write \`guard(sym.${call}(${first}, ${second}))\``,
    };
  if (isOther(a) || isOther(b)) return undefined;
  return open(a, hasSymbols) ?? open(b, hasSymbols);
}

const METHODS: Readonly<Record<string, string>> = {
  "+": "add",
  "-": "sub",
  "*": "mul",
  "/": "trueDiv",
  "%": "mod",
  "**": "pow",
  "<": "lt",
  "<=": "le",
  ">": "gt",
  ">=": "ge",
  "++": "add",
  "--": "sub",
  "&": "and",
  "|": "or",
};

const TEXTS = new Set(["template literal", "String", "join"]);

/**
 * Returns the problem of a value that is converted to a number or a text; undefined for none. A
 * tensor may become a text, which shows it.
 */
export function coercionProblem(value: Kind, code: string, construct: string): Problem | undefined {
  const method = METHODS[construct.replace(/=$/, (end) => (/^[<>]/.test(construct) ? end : ""))];
  if (mayBeTensor(value) && !TEXTS.has(construct))
    return {
      message: `\`${code}\` is a tensor, which \`${construct}\` cannot make a number`,
      fix:
        method === undefined
          ? "compute with the methods of tensors"
          : `use the method: \`${code}.${method === "trueDiv" ? "div" : method}(...)\``,
    };
  if (!mayBeSym(value)) return undefined;
  return {
    message: `\`${code}\` is a dynamic size, which \`${construct}\` cannot make a ${TEXTS.has(construct) ? "text" : "number"}`,
    fix:
      method === undefined
        ? `use a size that is static, or \`guardInt(${code})\``
        : `use \`sym.${method}(...)\``,
  };
}
