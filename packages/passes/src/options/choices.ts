/** @file Choices of options that a session knows. */
import { TRAINING } from "@sconce/ir";
import type { Choices, OptionSession } from "./spec.js";

/** Overloads of operators: PyTorch's, and those that plugins define. */
export const operatorNames: Choices = Object.freeze({
  kind: "operator",
  words: ({ operators }: OptionSession) => operators?.targets(),
  has: isOperator,
  fix: "write overloads out: aten.conv2d.default",
});

/** Operators, or nodes of the program; whether a node is there is known only when the pass runs. */
export const operatorOrNodeNames: Choices = Object.freeze({
  ...operatorNames,
  kind: "operator or node",
  // Names of nodes are words without dots.
  has: (word: string, session: OptionSession) => !word.includes(".") || isOperator(word, session),
});

/** What calls may call: operators, Python's and torch's functions, higher-order operators. */
export const callTargets: Choices = Object.freeze({
  ...operatorNames,
  words: ({ operators }: OptionSession) =>
    operators && [...operators.targets(), ...TRAINING.pythonFunctions, ...TRAINING.torchFunctions],
  // Which functions and higher-order operators there are is up to dialects.
  has: (word: string, session: OptionSession) =>
    /^(operator|math|builtins|torch|higher_order)\.\w/.test(word) || isOperator(word, session),
});

/** Rewrite rules of the session. */
export const ruleNames: Choices = Object.freeze({
  kind: "rule",
  code: "UNKNOWN_RULE",
  words: ({ rules }: OptionSession) => rules?.keys(),
});

/** Backends of the session. */
export const backendNames: Choices = Object.freeze({
  kind: "backend",
  code: "UNKNOWN_BACKEND",
  words: ({ backends }: OptionSession) => backends?.keys(),
});

/** For `check`: whole numbers from `min` on. */
export const wholeNumber =
  (min: number) =>
  (value: string | number | boolean): string | undefined =>
    Number.isInteger(value) && Number(value) >= min ? undefined : `must be a whole number of at least ${min}`;

function isOperator(word: string, { operators }: OptionSession): boolean {
  return operators?.schemaOf(word) !== undefined;
}
