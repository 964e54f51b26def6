/** @file The report of a draft, in PyTorch's words (`DraftExportReport`). */
import { showsAsText } from "@sconce/tensor";
import { shapesCode } from "../dynamic/index.js";
import {
  type DataDependentFailure,
  type DraftFailure,
  FAILURE_TYPES,
  type GuardFailure,
  type SymbolOrigin,
  type UserFrame,
} from "./failures.js";
import type { OperatorProfile } from "./operator-profiles.js";

const PAGE = "docs/concepts/draft-export.md";

/** What a draft assumed of a model, and what must be fixed so that an export succeeds. */
export class DraftReport {
  /** The kinds of failures, with the numbers of PyTorch's `FailureType`. */
  static readonly failureTypes = FAILURE_TYPES;
  /** What must be fixed, in the order in which it occurred. */
  readonly failures: readonly DraftFailure[];
  /** The kinds of calls of operators whose fake is missing or wrong, by target. */
  readonly operatorProfiles: ReadonlyMap<string, readonly OperatorProfile[]>;

  constructor(
    failures: readonly DraftFailure[],
    operatorProfiles: ReadonlyMap<string, readonly OperatorProfile[]> = new Map(),
  ) {
    this.failures = Object.freeze([...failures]);
    this.operatorProfiles = operatorProfiles;
  }

  /** Whether nothing must be fixed: then `exportProgram` gives the same program. */
  get successful(): boolean {
    return this.failures.length === 0;
  }

  /** PyTorch's text of the report, with code in TypeScript. */
  toString(): string {
    if (this.successful) return SUCCESS;
    const parts = this.failures.map((failure, i) => `${i + 1}. ${failureText(failure)}\n`);
    return `${warning(this.failures.length)}\n${parts.join("")}`;
  }

  /** Returns the report as plain data; specifications are TypeScript. */
  toJSON(): { readonly successful: boolean; readonly failures: readonly object[] } {
    const failures = this.failures.map((failure) =>
      failure.type === "GUARD_ADDED"
        ? { ...failure, dynamicShapes: shapesCode(failure.dynamicShapes) }
        : failure,
    );
    return { successful: this.successful, failures };
  }

  static {
    showsAsText(DraftReport.prototype);
  }
}

const line = (length: number): string => "#".repeat(length);

const SUCCESS = `
${line(94)}
Congratulations: No issues are found during export, and it was able to soundly produce a graph.
You can now change back to exportProgram()
${line(94)}
`;

const warning = (count: number): string => `
${line(99)}
WARNING: ${count} issue(s) found during export, and it was not able to soundly produce a graph.
Please follow the instructions to fix the errors.
${line(99)}

`;

/** Returns the text of one failure, without its number. */
function failureText(failure: DraftFailure): string {
  switch (failure.type) {
    case "MISSING_FAKE_KERNEL":
      return `Missing fake kernel.
    torch.ops.${failure.operator} is missing a fake kernel implementation.

    Please refer to ${PAGE}#missing-fake-kernel for more detailed instructions on how to write a meta implementation.
`;
    case "MISMATCHED_FAKE_KERNEL":
      return `Mismatched fake kernel.
    torch.ops.${failure.operator} has a fake kernel implementation, but it has incorrect behavior, based on the real kernel.
    The reason for the mismatch is: ${failure.reason}.

    Please refer to ${PAGE}#mismatched-fake-kernel for more detailed instructions on how to write a fake implementation.
`;
    case "GUARD_ADDED":
      return guardText(failure);
    case "DATA_DEPENDENT_ERROR":
      return dataDependentText(failure);
  }
}

const guardText = ({ expression, symbols, stack, dynamicShapes }: GuardFailure): string =>
  `Guard Added.
    A guard was added during tracing, which might've resulted in some incorrect
    tracing or constraint violation error.
    Specifically, this guard was added: ${expression}, where ${sourcesText(symbols)}.
    This occurred at the following stacktrace:${stackText(stack)}${symbolsText(symbols)}

    Because of this, we have modified the dynamic shapes structure to be the
    following. You can also use Dim.AUTO instead to specify your
    dynamic shapes, and we will automatically infer the dynamism for you.
    \`\`\`
    dynamicShapes = ${shapesCode(dynamicShapes)}
    \`\`\`
`;

const dataDependentText = ({
  expression,
  occurrences,
  result,
  stack,
  symbols,
}: DataDependentFailure): string =>
  `Data dependent error.
    When exporting, we were unable to evaluate the value of \`${expression}\`.
    This was encountered ${occurrences} times.
    This occurred at the following user stacktrace:${stackText(stack)}${symbolsText(symbols)}

    As a result, it was specialized to a constant (e.g. \`${result}\` in the 1st occurrence), and asserts were inserted into the graph.

    Please add \`check(...)\` to the original code to assert this data-dependent assumption.
    Please refer to ${PAGE}#data-dependent-error for more details.
`;

/** PyTorch's dict of the sizes that the symbols represent. */
function sourcesText(symbols: readonly SymbolOrigin[]): string {
  const inputs = symbols.filter(({ frame }) => frame === undefined);
  return `{${inputs.map(({ symbol, source }) => `'${symbol}': "${source}"`).join(", ")}}`;
}

function stackText(stack: readonly UserFrame[]): string {
  const frames = stack.map(({ file, line: at, name }) => `\n        File ${file}, lineno ${at}, in ${name}`);
  return `${frames.join("")}\n            ${stack.at(-1)?.code ?? "<no source>"}`;
}

function symbolsText(symbols: readonly SymbolOrigin[]): string {
  if (symbols.length === 0) return "";
  const lines = symbols.map(({ symbol, source, frame, value }) => {
    const place = frame === undefined ? "" : ` at ${frame.file}:${frame.line}`;
    const example = value === undefined ? "" : ` (${value} in the example)`;
    return `\n           ${symbol}: ${source}${place}${example}`;
  });
  return `\n        Symbols:${lines.join("")}`;
}
