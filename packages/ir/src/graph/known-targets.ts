/** @file Whether the target of a call exists, as graphs are read and built. */
import { type ErrorEdit, type OptionNames, misspelled as remedyFor } from "@sconce/errors";
import { type DialectRules, TRAINING } from "./dialect.js";
import { HIGHER_ORDER_TARGETS } from "./higher-order-names.js";
import { isOpaque } from "./opaque.js";
import type { OperatorLookup } from "./operator.js";
import { targetKind } from "./target.js";

/** What the targets of calls are compared with when a graph is read or built. */
export interface TargetOptions {
  /**
   * The operators that exist. Custom operators that are not among them are kept as opaque ones.
   * Without a table only the spelling of an operator is checked: `namespace.name.overload`.
   */
  readonly operators?: Pick<OperatorLookup, "schemaOf" | "targets"> | undefined;
  /**
   * Dialects of plugins: the functions and higher-order operators that they allow besides
   * PyTorch's.
   */
  readonly dialects?: ReadonlyMap<string, DialectRules> | undefined;
  /** `allow` accepts any target, as a test of the verifier needs. @defaultValue "refuse" */
  readonly unknownTargets?: "refuse" | "allow" | undefined;
}

export const TARGETS: OptionNames<TargetOptions> = { operators: true, dialects: true, unknownTargets: true };

/** Why a target is refused, and what to do. */
export interface TargetProblem {
  readonly message: string;
  readonly fix: string;
  /** The right name, where it is known. */
  readonly edits?: readonly ErrorEdit[];
}

/**
 * Returns what is wrong with the target of a call; undefined when nothing is, or unknown targets
 * are allowed.
 */
export function targetProblem(target: string, options: TargetOptions): TargetProblem | undefined {
  if (options.unknownTargets === "allow") return undefined;
  const kind = targetKind(target);
  if (kind === "operator") return operatorProblem(target, options.operators);
  const { operators, dialects = new Map<string, DialectRules>() } = options;
  const all = [TRAINING, ...dialects.values()];
  const lists =
    kind === "higher_order"
      ? [HIGHER_ORDER_TARGETS, ...all.map(({ higherOrder }) => higherOrder ?? new Set<string>())]
      : all.map((rules) => (kind === "torch" ? rules.torchFunctions : rules.pythonFunctions));
  if (lists.some((list) => list.has(target)) || operators?.schemaOf(target) !== undefined) return undefined;
  const what = kind === "higher_order" ? "higher-order operator" : "function";
  return unknown(what, target, new Set(lists.flatMap((list) => [...list])));
}

const SPELLING = /^[A-Za-z_]\w*\.[A-Za-z_]\w*\.\w+$/;

function operatorProblem(target: string, operators: TargetOptions["operators"]): TargetProblem | undefined {
  if (operators === undefined) return SPELLING.test(target) ? undefined : misspelled(target, []);
  if (operators.schemaOf(target) !== undefined) return undefined;
  const known = operators.targets?.() ?? [];
  if (!SPELLING.test(target)) return misspelled(target, known);
  return isOpaque(target, operators) ? undefined : unknown("operator", target, known);
}

const misspelled = (target: string, known: Iterable<string>): TargetProblem => ({
  message: `'${target}' is not the name of an operator: namespace.name.overload`,
  ...remedy(target, known, "name an overload, such as aten.add.Tensor"),
});

const unknown = (what: string, target: string, known: Iterable<string>): TargetProblem => ({
  message: `${what} '${target}' is not known`,
  ...remedy(target, known, "call one that PyTorch or a plugin has"),
});

function remedy(target: string, known: Iterable<string>, advice: string): Omit<TargetProblem, "message"> {
  return remedyFor(target, known, `${advice}; ${ALLOW}`);
}

const ALLOW = 'unknownTargets: "allow" accepts any name';
