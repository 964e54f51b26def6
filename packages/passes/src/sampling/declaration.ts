/**
 * @file What is wrong with a declaration of numbers that change; types do not stop it in JavaScript
 * or through casts.
 */
import { didYouMean, misspelled } from "@sconce/errors";
import { VALUE_CLASSES } from "./number-change.js";

const KEYS = ["rtol", "atol", "valueClasses", "operators"] as const;
type Key = (typeof KEYS)[number];

/**
 * A problem as the rest of a sentence whose subject declares, with what to do; undefined when there
 * is none.
 */
export interface DeclarationProblem {
  readonly what: string;
  readonly fix: string;
}

/** Returns what is wrong with a `NumberChange`. */
export function numberChangeProblem(given: unknown): DeclarationProblem | undefined {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return {
      what: `declares changesNumbers: ${textOf(given)}, which says neither how far nor where`,
      fix: 'write { rtol, atol } or { valueClasses: ["infinity"] }',
    };
  const entries = Object.entries(given);
  if (entries.length === 0)
    return {
      what: "declares changesNumbers: {}, which allows nothing",
      fix: "give a tolerance or value classes, or leave changesNumbers out",
    };
  for (const [key, value] of entries) {
    const problem = partProblem(key, value);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function partProblem(key: string, value: unknown): DeclarationProblem | undefined {
  if (!KEYS.includes(key as Key))
    return {
      what: `declares changesNumbers with "${key}", which is not one of its parts`,
      ...misspelled(key, KEYS, `its parts are: ${KEYS.join(", ")}`),
    };
  if (value === undefined) return undefined;
  if (key === "valueClasses") return classesProblem("valueClasses", value);
  if (key === "operators") return operatorsProblem(value);
  if (typeof value === "number" && value >= 0) return undefined;
  return {
    what: `declares changesNumbers with ${key} ${textOf(value)}`,
    fix: `give ${key} a number that is not negative`,
  };
}

function operatorsProblem(value: unknown): DeclarationProblem | undefined {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return {
      what: `declares changesNumbers with operators ${textOf(value)}`,
      fix: 'give value classes by operator: { "aten.rsqrt.default": ["infinity"] }',
    };
  for (const [target, classes] of Object.entries(value)) {
    const problem = classesProblem(`operators["${target}"]`, classes);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function classesProblem(place: string, value: unknown): DeclarationProblem | undefined {
  const known: readonly string[] = VALUE_CLASSES;
  const listed = `the value classes are: ${known.join(", ")}`;
  if (!Array.isArray(value))
    return {
      what: `declares changesNumbers with ${place} ${textOf(value)}, which is not a list`,
      fix: listed,
    };
  const stray = (value as readonly unknown[]).find((one) => !known.includes(one as string));
  if (stray === undefined && !value.includes(undefined)) return undefined;
  return {
    what: `declares changesNumbers with the value class ${textOf(stray)}, which does not exist`,
    fix: typeof stray === "string" ? didYouMean(stray, known, listed) : listed,
  };
}

const textOf = (value: unknown): string =>
  typeof value === "function" ? "a function" : (JSON.stringify(value) ?? "undefined");
