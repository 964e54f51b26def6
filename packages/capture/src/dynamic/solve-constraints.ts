/**
 * @file The verdict on a specification after the trace (`produce_guards_and_solve_constraints`).
 */
import { SconceError } from "@sconce/errors";
import { askRequiredAgain, type SymExpr, type ValueRange } from "@sconce/symbolic";
import { type Counterexample, CounterexampleSearch } from "./counterexample.js";
import { isDerived, type NamedDim } from "./dim.js";
import { constraintViolation } from "./errors.js";
import type { FakeInputs } from "./fake-inputs.js";
import { fixesSuffice } from "./fix-check.js";
import { guardsCode } from "./guards-code.js";
import { produceGuards, type Violation } from "./produce-guards.js";
import { rangeConstraints } from "./range-constraints.js";
import { fixEdits } from "./shape-edits.js";
import { fixCode, fixText, namedDims, type SuggestedFix, suggestFixes } from "./suggested-fixes.js";

/** One requirement of a program that the specification does not meet. */
export interface ReportedViolation extends Violation {
  /** Sizes that the specification admits and the program refuses, if some were found. */
  readonly counterexample: Counterexample | undefined;
}

/** Why a specification was refused. */
export interface ConstraintReport {
  /** PyTorch's message. */
  readonly message: string;
  /** What the program requires of declared sizes, and they do not have. */
  readonly violations: readonly ReportedViolation[];
  /** Changes of the specification that PyTorch suggests. */
  readonly fixes: readonly SuggestedFix[];
  /** Whether an export with these fixes succeeds. */
  readonly fixesSuffice: boolean;
}

/** What a program declares of its sizes. */
export interface SolvedConstraints {
  /** Ranges by the printed size: `s77`, `2*s39`. */
  readonly rangeConstraints: ReadonlyMap<string, ValueRange>;
  /** Conditions on the inputs as PyTorch writes them. */
  readonly guardsCode: readonly string[];
  /** Sizes that became constants because the example is 0 or 1. */
  readonly warnings: readonly string[];
}

/** Options of {@link solveConstraints}. */
export interface SolveOptions {
  /** Symbols that the trace made for values of tensors. */
  readonly unbacked?: readonly SymExpr[] | undefined;
  /** Whether the export is strict. @defaultValue false */
  readonly isStrict?: boolean | undefined;
  /** Describes a place that `locate` returned: `model.ts:12`. */
  readonly describe?: ((location: unknown) => string | undefined) | undefined;
}

const reports = new WeakMap<SconceError, ConstraintReport>();

/** Returns the details of a `CONSTRAINT_VIOLATION`: counterexamples and fixes as values. */
export const constraintReport = (error: unknown): ConstraintReport | undefined =>
  error instanceof SconceError ? reports.get(error) : undefined;

/**
 * Compares what a trace required of the inputs with what was declared, and gives what the program
 * declares.
 *
 * @throws SconceError `CONSTRAINT_VIOLATION` with PyTorch's message and suggested fixes, and sizes
 * that break each requirement
 */
export function solveConstraints(
  prepared: FakeInputs,
  { unbacked, describe = () => undefined, isStrict = false }: SolveOptions = {},
): SolvedConstraints {
  const report = prepared.fromSpec === true ? undefined : checkConstraints(prepared);
  if (report !== undefined) throw violationError(report, describe, namedDims(prepared.dynamicShapes));
  askRequiredAgain(prepared.env);
  const { ranges, warnings } = rangeConstraints(prepared, unbacked, isStrict);
  return {
    rangeConstraints: ranges,
    guardsCode: prepared.fromSpec === true ? [] : guardsCode(prepared),
    warnings,
  };
}

/** Returns why a specification has to be refused; undefined when the program keeps to it. */
export function checkConstraints(prepared: FakeInputs): ConstraintReport | undefined {
  const guards = prepared.env.guards.slice();
  const { violations, solver, sourceOf } = produceGuards(prepared);
  const results = solver.solve();
  const forced = forcedText(prepared, [...solver.specialized], solver.marked, sourceOf);
  if (violations.length === 0 && forced === "") return undefined;
  const fixes = suggestFixes(results, prepared.debugNames, sourceOf, prepared.dynamicShapes);
  const suggestions = fixes.length === 0 ? "" : `\nSuggested fixes:\n  ${fixes.map(fixText).join("\n  ")}`;
  const search = new CounterexampleSearch(prepared, sourceOf);
  const message = violationsText(violations) + forced + suggestions;
  return {
    message,
    fixesSuffice: fixes.length > 0 && fixesSuffice(prepared, message, guards),
    violations: violations.map((violation) => ({
      ...violation,
      counterexample: search.find(violation.requirement),
    })),
    fixes,
  };
}

/** What PyTorch's message says of PyTorch's logs, which are not here. */
const LOGS = ' For more information, run with TORCH_LOGS="+dynamic".';

function violationsText(violations: readonly Violation[]): string {
  if (violations.length === 0) return "";
  const names = [...new Set(violations.map(({ name }) => name))].sort();
  const lines = violations.map(({ text }) => `  - ${text}`);
  return `Constraints violated (${names.join(", ")})!${LOGS}\n${lines.join("\n")}`;
}

/** Dims that can have one value only (`forced_specializations`). */
function forcedText(
  { debugNames, dynamicShapes }: FakeInputs,
  specialized: readonly (readonly [string, number])[],
  marked: ReadonlySet<string>,
  sourceOf: (symbol: string) => string,
): string {
  const forced = specialized
    .filter(([name]) => marked.has(name))
    .map(([name, value]) => ({ source: sourceOf(name), value }))
    .sort((a, b) => (a.source < b.source ? -1 : 1));
  if (forced.length === 0) return "";
  const dims = namedDims(dynamicShapes);
  const roots = forced.map(({ source }) => {
    const name = debugNames.get(source) ?? source;
    const dim = dims.get(name);
    return dim !== undefined && isDerived(dim) ? dim.root.name : name;
  });
  const lines = forced.map(
    ({ source, value }) =>
      `  - solving the guards generated for ${debugNames.get(source) ?? source} = ${source} resulted in a specialized value of ${value}.\n`,
  );
  const names = [...new Set(roots)].sort().join(", ");
  return `Specializations unexpectedly required (${names})!${LOGS}\n${lines.join("")}`;
}

const LARGER = "pass larger example sizes";

/**
 * Returns what helps besides `Dim.AUTO`: a larger example only where the example is what is too
 * small.
 */
function otherRemedy({ text }: ReportedViolation): string {
  const constant = /specialized it to be a constant \((-?\d+)\)/.exec(text)?.[1];
  const guard = / the generated guard (.*?)\.?$/.exec(text)?.[1] ?? "";
  const isUpperBound = guard.split(" and ").some((part) => /^[^<>=!]*<=? *\d+$/.test(part));
  const isTooSmall = constant === undefined ? isUpperBound : Number(constant) < 2;
  if (isTooSmall) return LARGER;
  return constant === undefined ? "declare a range without the sizes that break it" : "leave the size static";
}

function violationError(
  report: ConstraintReport,
  describe: (location: unknown) => string | undefined,
  dims: ReadonlyMap<string, NamedDim>,
): SconceError {
  const lines = report.violations.flatMap(({ counterexample, name, location }) => {
    const place = location === undefined ? undefined : describe(location);
    const where = place === undefined ? "" : ` (required at ${place})`;
    if (counterexample === undefined) return place === undefined ? [] : [`  - ${name}: required at ${place}`];
    const chosen = [...counterexample.dims].map(([dim, value]) => `${dim} = ${value}`);
    return [`  - ${chosen.join(", ")}${where}`];
  });
  const examples = lines.length === 0 ? "" : `\n\nSizes that break it:\n${[...new Set(lines)].join("\n")}`;
  const names = [...new Set(report.violations.map(({ name }) => name))].join(", ");
  const other = [...new Set(report.violations.map(otherRemedy))].join(", ");
  const relax = `use \`Dim.AUTO\` for ${names}${other === "" ? "" : `, or ${other}`}`;
  const fixes = report.fixes.map(fixCode).join("; ");
  const isTooSmall = report.violations.some((violation) => otherRemedy(violation) === LARGER);
  const fix = report.fixesSuffice
    ? `${fixes}${isTooSmall ? `; if the size is to be dynamic, ${LARGER}` : ""}`
    : fixes === ""
      ? relax
      : `${fixes}; if that is refused too, ${relax}`;
  const edits = report.fixesSuffice ? fixEdits(report.fixes, dims) : {};
  const error = constraintViolation(report.message.replaceAll(LOGS, "") + examples, fix, edits);
  reports.set(error, report);
  return error;
}
