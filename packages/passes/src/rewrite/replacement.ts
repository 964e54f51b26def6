/** @file Reads the result of a rule's `replace`. */
import { FakeTensor, forEachInput, isRef, type MetaValue, type NodeRef } from "@sconce/ir";
import type { Candidate, Root } from "./candidate.js";
import { Refusal } from "./context.js";
import { replacementProblem } from "./replacement-problem.js";
import type { Replacer } from "./replacer.js";
import { type Replacement, RuleFault } from "./rule.js";

/** A root with what represents it from now on. */
export interface Replaced {
  readonly root: Root;
  readonly value: NodeRef;
}

/**
 * Returns the node that represents each root, or why the replacement cannot.
 *
 * @throws RuleFault
 */
export function replacedRoots(
  { rule, roots, found }: Candidate,
  replacer: Replacer,
  result: Exclude<Replacement, string>,
): readonly Replaced[] | Refusal {
  const valueFrom = valuesByRoot(roots, result);
  const values: Replaced[] = [];
  for (const root of roots) {
    const { name, node } = root;
    const value = valueFrom(name);
    refuseNodes(name, value, found);
    const problem = replacementProblem(node.meta.val, value, rule.changesLayout);
    if (problem !== undefined)
      return new Refusal("type", roots.length === 1 ? problem : `${name}: ${problem}`);
    const argument = replacer.argumentOf(value as never);
    if (!isRef(argument)) return new Refusal("type", "the replacement is not a node");
    if (argument.name === node.name) return new Refusal("cycle", "the replacement is the same node");
    values.push({ root, value: argument });
  }
  return circle(roots, replacer, values) ?? values;
}

/**
 * Values come from the captures and the emitter: other nodes may be of any graph. @throws RuleFault
 */
function refuseNodes(root: string, value: MetaValue, { captures }: Candidate["found"]): void {
  const { kind, name } = (value ?? {}) as { readonly kind?: unknown; readonly name?: unknown };
  if (kind !== "node") return;
  const isCaptured = [...captures.values()].some((capture) => isRef(capture) && capture.name === name);
  if (isCaptured) return;
  throw new RuleFault(
    `gives the node %${String(name)} for its root "${root}"; it must give one of its captures, or what its emitter gave`,
  );
}

/** Returns why roots cannot go: what represents them reads one, or is one. */
function circle(
  roots: readonly Root[],
  { nodes }: Replacer,
  values: readonly Replaced[],
): Refusal | undefined {
  const isReplaced = (name: string): boolean => roots.some(({ node }) => node.name === name);
  let read: string | undefined;
  const visit = (name: string): void => {
    if (read === undefined && isReplaced(name)) read = name;
  };
  for (const node of nodes) forEachInput(node, visit);
  if (read !== undefined) return new Refusal("cycle", `the replacement reads %${read}, which it replaces`);
  for (const { value } of values)
    if (isReplaced(value.name))
      return new Refusal("cycle", `the replacement is %${value.name}, which is replaced too`);
  return undefined;
}

/**
 * Returns the value for each root. A result that is not a value is a mistake of the rule. A value
 * of the wrong type only keeps the rule from firing.
 *
 * @throws RuleFault
 */
function valuesByRoot(
  roots: readonly Root[],
  result: Exclude<Replacement, string>,
): (root: string) => MetaValue {
  const given: unknown = result;
  if (roots.length === 1 && roots[0]!.name === "root") {
    const value = valueFor("root", given);
    return () => value;
  }
  const names = roots.map(({ name }) => name);
  const list = names.map((name) => `"${name}"`).join(", ");
  if (typeof given !== "object" || given === null || Array.isArray(given) || isTagged(given))
    throw new RuleFault(`gives ${describeValue(given)} where it must give an object with values for ${list}`);
  const values = given as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(values).find((name) => !names.includes(name));
  if (unknown !== undefined)
    throw new RuleFault(`gives a value for "${unknown}", which is not one of its roots (${list})`);
  const checked = new Map(names.map((name) => [name, valueFor(name, values[name])] as const));
  return (name) => checked.get(name)!;
}

function valueFor(root: string, value: unknown): MetaValue {
  if (value === undefined || value === null)
    throw new RuleFault(`gives ${describeValue(value)} as value for its root "${root}"`);
  const isValue =
    typeof value === "object" ? Array.isArray(value) || isTagged(value) : typeof value !== "function";
  if (isValue) return value as MetaValue;
  throw new RuleFault(
    `gives ${describeValue(value)} for its root "${root}", which is not a value that its emitter gave`,
  );
}

/** Fake tensors, promises, and what has a kind, such as symbolic scalars. */
const isTagged = (value: object): boolean =>
  value instanceof FakeTensor || "kind" in value || "expr" in value;

/** Describes a value for error messages. */
export function describeValue(value: unknown): string {
  if (value instanceof Promise) return "a promise (rules are not asynchronous)";
  if (value instanceof FakeTensor) return "one tensor";
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === "function") return "a function";
  return typeof value === "object" && value !== null
    ? `an object with ${Object.keys(value).join(", ") || "nothing"}`
    : String(value);
}
