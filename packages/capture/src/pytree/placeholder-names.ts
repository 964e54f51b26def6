/** @file Names of the inputs of a graph (`placeholder_naming_pass` in `torch/_export/utils.py`). */
import type { InputKind } from "@sconce/ir";
import { CollisionNames, liftedName } from "@sconce/trace";

/** An input that the user does not give: state, a constant, an object or a token. */
export interface LiftedInput {
  readonly kind: Exclude<InputKind, "USER_INPUT">;
  /** The name of the state: `layers.0.weight`. Null for a token. */
  readonly target: string | null;
}

/** The names of a graph. */
export interface PlaceholderNames {
  /** Names of the user's inputs, in order. */
  readonly user: readonly string[];
  /** Names of the other inputs, in order. */
  readonly lifted: readonly string[];
  /** Names all other nodes, in the order of the graph: those of inputs are taken. */
  readonly others: CollisionNames;
}

/** Words of Python that JavaScript takes as names. */
const KEYWORDS = new Set(
  "and as assert async await break class continue def del elif else except finally for from global if import in is lambda nonlocal not or pass raise return try while with yield".split(
    " ",
  ),
);

/**
 * Names the inputs of a graph: first those of the user, by the wanted names of `flattenInputs`,
 * then the others by their kinds and targets. A name that is taken gets a number.
 */
export function placeholderNames(
  wanted: readonly string[],
  lifted: readonly LiftedInput[],
): PlaceholderNames {
  const others = new CollisionNames();
  const user = wanted.map((name) => others.placeholder(identifier(name)));
  return {
    user,
    lifted: lifted.map(({ kind, target }) => others.placeholder(liftedName(kind, target))),
    others,
  };
}

/** Returns a name that Python accepts. */
function identifier(name: string): string {
  if (KEYWORDS.has(name)) return `${name}_1`;
  return /^[a-z_]/.test(name) ? name : `_${name}`;
}
