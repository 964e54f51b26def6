import { checkOptions, isSconceError, markObject, type OptionNames, type SconceError } from "@sconce/errors";
import { type FakeTensor, type Graph, type MetaValue, type Node, sealMap } from "@sconce/ir";
import type { Emit, EmitArg, OperatorTable } from "@sconce/ops";
import type { SymEnv } from "@sconce/symbolic";
import { COPY } from "../copy/this-copy.js";
import { numberChangeProblem } from "../sampling/declaration.js";
import type { NumberChange } from "../sampling/number-change.js";
import { badNumberChange, badRule } from "./errors.js";
import {
  type CallPattern,
  type CaptureNames,
  type Pattern,
  parsePattern,
  patternText,
  targetsIn,
} from "./pattern.js";
import { planRoots } from "./roots.js";

/**
 * What a pattern captured, by name: fake tensors for tensors, symbolic scalars, literals, lists of
 * those. A fake tensor represents the node that it came from; handed to the emitter, it becomes a
 * reference to it.
 */
export type Captures<Names extends string = string> = Readonly<Record<Names, EmitArg>>;

/** What a rule's functions may ask about a match. */
export interface Match {
  /** The first root's node, and every node that the pattern covers, roots last. */
  readonly root: Node;
  /** The matched nodes. */
  readonly nodes: readonly Node[];
  /** Returns a node named with `as $name`. @throws SconceError `RULE` */
  node(name: string): Node;
  /** Returns a captured tensor. @throws SconceError `RULE` when it is none */
  tensor(name: string): FakeTensor;
  /** Returns a captured number, or undefined when it is none (or symbolic). */
  number(name: string): number | undefined;
  /** Returns the node that a capture represents, when it is one. */
  source(name: string): Node | undefined;
  /**
   * Returns whether a capture is a parameter, buffer or lifted constant that nothing changes.
   * Nested graphs have none.
   */
  isConstant(name: string): boolean;
  /** The operators of the session. */
  readonly operators: OperatorTable;
  /** Decides conditions on symbolic sizes. */
  readonly env: SymEnv;
  /** The graph before the rewrite. */
  readonly graph: Graph;
}

/**
 * The value that represents the root from now on, or one for each root; a string says why the rule
 * does not fire.
 */
export type Replacement = MetaValue | Readonly<Record<string, MetaValue>> | string;

/**
 * A local rewrite: where the pattern matches and the guard agrees, the replacement takes the place
 * of the roots.
 */
export interface Rule {
  /** The name that reports and pipelines use, in kebab case. */
  readonly name: string;
  /** One sentence: what becomes what, and why that is the same. */
  readonly doc: string;
  /**
   * Named patterns of the values that are replaced; one of them, called `root`, in the usual case.
   */
  readonly roots: ReadonlyMap<string, CallPattern>;
  /** Inner calls of the pattern may have users outside of it. */
  readonly sharesInner: boolean;
  /** The replacement may have other strides than the root: users compute theirs anew. */
  readonly changesLayout: boolean;
  /**
   * How far the new value may be from the old one; undefined when it is the same up to rounding.
   */
  readonly changesNumbers: NumberChange | undefined;
  /** Decides whether a match is replaced: true, or the reason why not. */
  readonly where: ((captures: Captures, match: Match) => true | string) | undefined;
  /** Operators that the replacement calls, where it is written as a text. */
  readonly emits?: readonly string[] | undefined;
  /** Emits the replacement and returns what represents the root, or a reason not to rewrite. */
  readonly replace: (emit: Emit, captures: Captures, match: Match) => Replacement;
}

/** What {@link defineRule} takes. */
export interface RuleDefinition<S extends string, T extends Readonly<Record<string, string>>> {
  /** The name that reports and pipelines use, in kebab case. */
  readonly name: string;
  /** What the rule does, in one sentence. */
  readonly doc: string;
  /**
   * The expression to replace, or several that belong together, by name. See {@link parsePattern}.
   */
  readonly match: S | T;
  /** A guard: true, or the reason why not, which `sconce explain` shows. */
  readonly where?: (captures: Captures<CaptureNames<S | T[keyof T]>>, match: Match) => true | string;
  /**
   * The new value: an expression over the captures, or a function that emits calls and gives the
   * value, the values by the names of the roots, or the reason why it has none.
   */
  readonly replace:
    | string
    | Readonly<Record<keyof T, string>>
    | ((emit: Emit, captures: Captures<CaptureNames<S | T[keyof T]>>, match: Match) => Replacement);
  /** Inner calls may have other users; they then stay beside the replacement. */
  readonly sharesInner?: boolean;
  /** Whether the replacement may have other strides than the root. @defaultValue false */
  readonly changesLayout?: boolean;
  /**
   * Declares a tolerance, or classes of input values for which the new value may differ from the
   * old one.
   */
  readonly changesNumbers?: NumberChange;
}

const RULE: OptionNames<RuleDefinition<string, Readonly<Record<string, string>>>> = {
  name: true,
  doc: true,
  match: true,
  where: true,
  replace: true,
  sharesInner: true,
  changesLayout: true,
  changesNumbers: true,
};

/**
 * Defines a rewrite rule; the result is a frozen value.
 *
 * @throws SconceError `PATTERN_SYNTAX`, `RULE`
 */
export function defineRule<
  const S extends string = never,
  const T extends Readonly<Record<string, string>> = never,
>(definition: RuleDefinition<S, T>): Rule {
  checkOptions("defineRule", definition, RULE);
  const texts: Readonly<Record<string, string>> =
    typeof definition.match === "string" ? { root: definition.match } : definition.match;
  const label = `rule "${definition.name}"`;
  const roots = new Map(Object.entries(texts).map(([name, text]) => [name, rootOf(label, text)]));
  checkRoots(label, roots);
  checkNames(label, [...roots.values()]);
  checkNumbers(label, definition.changesNumbers);
  const rule: Rule = {
    name: definition.name,
    doc: definition.doc,
    roots,
    sharesInner: definition.sharesInner ?? false,
    changesLayout: definition.changesLayout ?? false,
    changesNumbers: definition.changesNumbers,
    where: definition.where as Rule["where"],
    ...replacementOf(label, definition.replace as RuleDefinition<string, T>["replace"], roots),
  };
  return Object.freeze(markObject(rule, label, COPY));
}

/** @throws SconceError `RULE` */
function checkNumbers(label: string, declared: NumberChange | undefined): void {
  const problem = declared === undefined ? undefined : numberChangeProblem(declared);
  if (problem === undefined) return;
  throw badNumberChange(label, problem);
}

function rootOf(label: string, text: string): CallPattern {
  const pattern = patternOf(label, text);
  if (pattern.kind === "call") return pattern;
  throw badRule(label, `has the pattern ${JSON.stringify(text)}, which is not a call`);
}

/** @throws SconceError `PATTERN_SYNTAX` with the rule */
function patternOf(label: string, text: string): Pattern {
  try {
    return parsePattern(text);
  } catch (error) {
    throw isSconceError(error) ? error.at(label) : error;
  }
}

/**
 * A name is one node's: what it represents is written alike wherever it is written. @throws
 * SconceError `RULE`
 */
function checkNames(label: string, patterns: readonly Pattern[], texts = new Map<string, string>()): void {
  for (const pattern of patterns) {
    if (pattern.kind === "call" && pattern.name !== undefined) {
      const text = patternText(pattern);
      if ((texts.get(pattern.name) ?? text) !== text)
        throw badRule(
          label,
          `calls two expressions $${pattern.name}: ${texts.get(pattern.name)} and ${text}`,
        );
      texts.set(pattern.name, text);
    }
    if (pattern.kind === "call") checkNames(label, [...pattern.args, ...pattern.kwargs.values()], texts);
    if (pattern.kind === "list") checkNames(label, pattern.items, texts);
  }
}

function replacementOf(
  label: string,
  given: string | Readonly<Record<string, string>> | Rule["replace"],
  roots: ReadonlyMap<string, CallPattern>,
): Pick<Rule, "replace" | "emits"> {
  return typeof given === "function" ? { replace: given } : templateOf(label, given, roots);
}

/** Replacements written as expressions over the captures. */
function templateOf(
  label: string,
  given: string | Readonly<Record<string, string>>,
  roots: ReadonlyMap<string, CallPattern>,
): Pick<Rule, "replace" | "emits"> {
  const texts = typeof given === "string" ? { root: given } : given;
  const templates = new Map(Object.entries(texts).map(([name, text]) => [name, patternOf(label, text)]));
  for (const name of templates.keys())
    if (!roots.has(name))
      throw badRule(label, `gives a replacement for "${name}", which is not one of its roots`);
  for (const name of roots.keys()) {
    if (!templates.has(name)) throw badRule(label, `gives no replacement for "${name}"`);
  }
  for (const template of templates.values()) checkTemplate(label, template);
  const captured = capturesIn([...roots.values()]);
  for (const name of capturesIn([...templates.values()])) {
    if (!captured.has(name)) throw badRule(label, `uses $${name}, which its pattern does not capture`);
  }
  const emits = targetsIn([...templates.values()]);
  const only = templates.size === 1 ? templates.get("root") : undefined;
  if (only !== undefined)
    return { emits, replace: (emit, captures) => instantiate(only, emit, captures) as MetaValue };
  const replace: Rule["replace"] = (emit, captures) => {
    const values = [...templates].map(
      ([name, template]) => [name, instantiate(template, emit, captures) as MetaValue] as const,
    );
    return Object.fromEntries(values);
  };
  return { emits, replace };
}

function capturesIn(patterns: readonly Pattern[]): Set<string> {
  const found = new Set<string>();
  const visit = (pattern: Pattern): void => {
    if (pattern.kind === "any" && pattern.name !== undefined) found.add(pattern.name);
    if (pattern.kind === "list" || pattern.kind === "call") {
      for (const item of pattern.kind === "list" ? pattern.items : pattern.args) visit(item);
    }
    if (pattern.kind === "call") for (const item of pattern.kwargs.values()) visit(item);
  };
  patterns.forEach(visit);
  return found;
}

function instantiate(template: Pattern, emit: Emit, captures: Captures): EmitArg {
  switch (template.kind) {
    case "any":
      return template.name === undefined ? null : captures[template.name];
    case "literal":
      return template.value;
    case "list":
      return template.items.flatMap((item) =>
        item.kind === "any" && item.many
          ? itemsOf(item.name!, captures)
          : [instantiate(item, emit, captures)],
      );
    case "call": {
      const args = template.args.map((item) => instantiate(item, emit, captures));
      const kwargs: Record<string, EmitArg> = {};
      template.kwargs.forEach((item, key) => {
        kwargs[key] = instantiate(item, emit, captures);
      });
      return emit.value(template.targets[0]!, args, kwargs) as EmitArg;
    }
  }
}

/** @throws RuleFault */
function itemsOf(name: string, captures: Captures): readonly EmitArg[] {
  const value = captures[name];
  if (Array.isArray(value)) return value as readonly EmitArg[];
  throw new RuleFault(`takes the items of $${name} in its replacement, which is not a list here`);
}

/** What only means something in a pattern. @throws SconceError `RULE` */
function checkTemplate(label: string, template: Pattern): void {
  const refuse = (what: string): SconceError => badRule(label, `has ${what} in its replacement`);
  if (template.kind === "any" && template.name === undefined) throw refuse(template.many ? "`...`" : "`_`");
  if (template.kind === "list") for (const item of template.items) checkTemplate(label, item);
  if (template.kind !== "call") return;
  if (template.targets.length > 1) throw refuse("a choice of operators");
  if (template.open) throw refuse("`...`");
  if (template.name !== undefined) throw refuse(`a name, $${template.name},`);
  for (const item of [...template.args, ...template.kwargs.values()]) checkTemplate(label, item);
}

/** A mistake of a rule at a match: the driver reports it with the rule, its plugin and the node. */
export class RuleFault extends Error {}

/** Returns why roots cannot be found together. */
export const disconnectedRoots = (start: string, disconnected: readonly string[]): string => {
  const names = disconnected.map((name) => `"${name}"`).join(" and ");
  return `has roots that share nothing: no capture or call leads from "${start}" to ${names}`;
};

/** @throws SconceError `RULE` when roots share nothing */
export function checkRoots(label: string, roots: ReadonlyMap<string, CallPattern>): void {
  const start = roots.keys().next().value;
  if (start === undefined) throw badRule(label, "has no pattern");
  sealMap(roots, "a rule");
  const { disconnected } = planRoots(roots, start);
  if (disconnected.length > 0) throw badRule(label, disconnectedRoots(start, disconnected));
}
