/** @file Names of the inputs of a graph (`placeholder_naming_pass` in `torch/_export/utils.py`). */
import type { InputKind } from "@sconce/ir";
import { CollisionNames } from "@sconce/passes";

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

const PREFIXES: Readonly<Record<LiftedInput["kind"], string>> = {
  PARAMETER: "p_",
  BUFFER: "b_",
  CONSTANT_TENSOR: "c_",
  CUSTOM_OBJ: "obj_",
  TOKEN: "token",
};

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
  return { user, lifted: lifted.map((input) => others.placeholder(liftedName(input))), others };
}

/** The name that a lifted input asks for: `p_layers_0_weight`. */
function liftedName({ kind, target }: LiftedInput): string {
  const base = (target ?? "").replace(/^(?:L__self___|self_)/, "");
  return PREFIXES[kind] + base.replace(/[^a-zA-Z0-9]/g, "_").toLowerCase();
}

/** A name that Python accepts. */
function identifier(name: string): string {
  if (KEYWORDS.has(name)) return `${name}_1`;
  return /^[a-z_]/.test(name) ? name : `_${name}`;
}
