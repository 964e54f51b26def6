import {
  Budget,
  checkOptions,
  isSconceError,
  requireText,
  WORK_OPTIONS,
  type WorkOptions,
} from "@sconce/errors";
import type { Argument } from "@sconce/ir";
import { argumentText, IrCursor, parseArgument } from "@sconce/ir/text";
import { patternSyntax } from "./errors.js";

/** Matches anything, and captures it when named. The same name twice must capture the same. */
interface AnyPattern {
  readonly kind: "any";
  readonly name: string | undefined;
  /** `$xs...`, in lists only: any number of items, captured as a list. */
  readonly many?: true;
}

/**
 * Matches an equal literal; an int also the float of the same value, as `1` and `1.0` (but `0` is
 * not `-0.0`).
 */
interface LiteralPattern {
  readonly kind: "literal";
  readonly value: Argument;
}

/** Matches a list or tuple item by item. */
export interface ListPattern {
  readonly kind: "list";
  readonly items: readonly Pattern[];
}

/**
 * Matches a call of one of the targets. Parameters that the pattern leaves out must have their
 * defaults, unless `open` says that they do not matter.
 */
export interface CallPattern {
  readonly kind: "call";
  readonly targets: readonly string[];
  readonly args: readonly Pattern[];
  readonly kwargs: ReadonlyMap<string, Pattern>;
  /** `...`: what is left out may be anything. */
  readonly open: boolean;
  /** The name under which a rule finds the node. */
  readonly name: string | undefined;
}

/** What a rule looks for: anything, a literal, a list, or a call of an operator. */
export type Pattern = AnyPattern | LiteralPattern | ListPattern | CallPattern;

/**
 * Reads a pattern:
 *
 * - `aten.add.Tensor(a, b, alpha=c)`: a call; `aten.relu.default|aten.gelu.default(a)`: of one of
 *   several operators;
 * - `... as $name` behind a call names its node;
 * - `$x` captures anything, `_` matches anything;
 * - `1`, `1.0`, `float32`, `none`, `"text"`, `device(cpu)`: literals as in IR text;
 * - `[a, b]`: a list; `$xs...` in it takes any number of items, as few as it can, and `...` does
 *   without capturing them;
 * - `...` at the end of a call: its other arguments may be anything; without it they must be the
 *   defaults.
 *
 * @throws SconceError `PATTERN_SYNTAX`, `BUDGET_EXCEEDED`
 */
export function parsePattern(text: string, options: WorkOptions = {}): Pattern {
  checkOptions("parsePattern", options, WORK_OPTIONS);
  requireText(text, "parsePattern");
  try {
    const cursor = new IrCursor(text, Budget.of(options, text.length));
    const pattern = readPattern(cursor);
    if (!cursor.done) throw cursor.fail(`unexpected ${cursor.found()}`);
    return pattern;
  } catch (error) {
    if (isSconceError(error, "BUDGET_EXCEEDED")) throw error;
    throw patternSyntax(text, error);
  }
}

function readPattern(cursor: IrCursor): Pattern {
  return cursor.nested(() => {
    if (cursor.accept("$")) return { kind: "any", name: cursor.word("a capture's name") };
    if (cursor.accept("[")) return readList(cursor);
    if (cursor.ahead(() => cursor.acceptAnyPath() > 0)) return readCall(cursor);
    if (cursor.acceptWord("_")) return { kind: "any", name: undefined };
    return { kind: "literal", value: parseArgument(cursor) };
  });
}

function readCall(cursor: IrCursor): CallPattern {
  const targets = [cursor.path("an operator")];
  while (cursor.accept("|")) targets.push(cursor.path("an operator"));
  cursor.expect("(");
  const args: Pattern[] = [];
  const kwargs = new Map<string, Pattern>();
  let open = false;
  readItems(cursor, ")", () => {
    if (open) throw cursor.fail("nothing may follow `...`");
    if (cursor.accept("...")) open = true;
    else if (seesMany(cursor)) throw cursor.fail("the other arguments of a call cannot be captured");
    else if (cursor.ahead(() => cursor.acceptAnyWord() && cursor.sees("="))) {
      const key = cursor.word("a parameter's name");
      cursor.expect("=");
      kwargs.set(key, readPattern(cursor));
    } else if (kwargs.size > 0) throw cursor.fail("an argument without a name after one with a name");
    else args.push(readPattern(cursor));
  });
  let name: string | undefined;
  if (cursor.ahead(() => cursor.acceptWord("as") && cursor.sees("$"))) {
    cursor.acceptWord("as");
    cursor.expect("$");
    name = cursor.word("a node's name");
  }
  return { kind: "call", targets, args, kwargs, open, name };
}

function readList(cursor: IrCursor): ListPattern {
  const items: Pattern[] = [];
  readItems(cursor, "]", () => {
    if (cursor.accept("...")) items.push({ kind: "any", name: undefined, many: true });
    else if (seesMany(cursor)) {
      cursor.expect("$");
      items.push({ kind: "any", name: cursor.word("a capture's name"), many: true });
      cursor.expect("...");
    } else items.push(readPattern(cursor));
  });
  return { kind: "list", items };
}

/** Returns whether `$xs...` comes next. */
const seesMany = (cursor: IrCursor): boolean =>
  cursor.ahead(() => cursor.accept("$") && cursor.acceptAnyWord() && cursor.sees("..."));

/** Items up to the closing sign. */
function readItems(cursor: IrCursor, close: string, read: () => void): void {
  while (!cursor.accept(close)) {
    read();
    if (!cursor.sees(close)) cursor.expect(",");
  }
}

/** Returns the text that reads back to the pattern. */
export function patternText(pattern: Pattern): string {
  switch (pattern.kind) {
    case "any":
      if (pattern.many) return `${pattern.name === undefined ? "" : `$${pattern.name}`}...`;
      return pattern.name === undefined ? "_" : `$${pattern.name}`;
    case "literal":
      return argumentText(pattern.value);
    case "list":
      return `[${pattern.items.map(patternText).join(", ")}]`;
    case "call": {
      const kwargs = [...pattern.kwargs].map(([key, value]) => `${key}=${patternText(value)}`);
      const items = [...pattern.args.map(patternText), ...kwargs, ...(pattern.open ? ["..."] : [])];
      const name = pattern.name === undefined ? "" : ` as $${pattern.name}`;
      return `${pattern.targets.join("|")}(${items.join(", ")})${name}`;
    }
  }
}

/** Returns how many calls deep a pattern is. */
export function depthOf(pattern: Pattern): number {
  if (pattern.kind === "list") return Math.max(0, ...pattern.items.map(depthOf));
  if (pattern.kind !== "call") return 0;
  return 1 + Math.max(0, ...[...pattern.args, ...pattern.kwargs.values()].map(depthOf));
}

/** Names of the captures in a pattern's text, as a type: `"x" | "y"`. */
export type CaptureNames<S extends string> = string extends S
  ? string
  : S extends `${string}$${infer Rest}`
    ? Word<Rest> | CaptureNames<Rest>
    : never;

type Letter =
  | "a"
  | "b"
  | "c"
  | "d"
  | "e"
  | "f"
  | "g"
  | "h"
  | "i"
  | "j"
  | "k"
  | "l"
  | "m"
  | "n"
  | "o"
  | "p"
  | "q"
  | "r"
  | "s"
  | "t"
  | "u"
  | "v"
  | "w"
  | "x"
  | "y"
  | "z"
  | "0"
  | "1"
  | "2"
  | "3"
  | "4"
  | "5"
  | "6"
  | "7"
  | "8"
  | "9"
  | "_";
type Word<S extends string> = S extends `${infer Head}${infer Tail}`
  ? Lowercase<Head> extends Letter
    ? `${Head}${Word<Tail>}`
    : ""
  : "";

/** Returns the operators that the calls of patterns name, nested ones included. */
export function targetsIn(patterns: readonly Pattern[]): string[] {
  return patterns.flatMap((pattern) => {
    if (pattern.kind === "list") return targetsIn(pattern.items);
    if (pattern.kind !== "call") return [];
    return [...pattern.targets, ...targetsIn([...pattern.args, ...pattern.kwargs.values()])];
  });
}
