import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { SconceError } from "@sconce/errors";
import type { FakeTensor } from "@sconce/ir";
import { evaluate, freeSymbols, printExpr, printRange } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import {
  type ConstraintReport,
  checkConstraints,
  Dim,
  type FakeInputs,
  makeFakeInputs,
  refineDynamicShapesFromSuggestedFixes,
  solveConstraints,
} from "./index.js";
import {
  conditionOf,
  indexOf,
  prepare,
  type RandomProgram,
  sizesOf,
  trace,
} from "./random-program.fixture.js";

const FILE = new URL("../../../testing/fixtures/dynamic-shapes/cases.json.gz", import.meta.url);
const cases = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as readonly RandomProgram[];
type Inputs = ReturnType<typeof prepare>;

/** What an export of a case gives, in the form of the recording. */
function exported(steps: RandomProgram["steps"], { args, dynamicShapes }: Inputs): RandomProgram["result"] {
  const prepared = makeFakeInputs({ args }, dynamicShapes);
  trace(steps, prepared);
  const { rangeConstraints, guardsCode } = solveConstraints(prepared);
  return {
    shapes: prepared.inputs.map(({ fake }) =>
      (fake as FakeTensor).shape.map((size) => printExpr(prepared.env.replace(size))),
    ),
    ranges: Object.fromEntries(
      [...rangeConstraints].map(([name, range]) => [name, printRange(range).slice(3, -1)]),
    ),
    guards: guardsCode,
  };
}

interface Refusal {
  readonly message: string;
  /** Undefined where the specification was refused before the trace, or its hints conflict. */
  readonly report?: ConstraintReport;
  /** The inputs after the trace, with a report. */
  readonly prepared?: FakeInputs;
}

/** The error of an export, with its report where the specification was refused after the trace. */
function refusal(program: RandomProgram): Refusal {
  const made = refusals.get(program) ?? refuse(program);
  refusals.set(program, made);
  return made;
}

const refusals = new Map<RandomProgram, Refusal>();

function refuse(program: RandomProgram): Refusal {
  const { args, dynamicShapes } = prepare(program);
  try {
    const prepared = makeFakeInputs({ args }, dynamicShapes);
    trace(program.steps, prepared);
    const report = checkConstraints(prepared);
    if (report !== undefined) return { message: report.message, report, prepared };
    solveConstraints(prepared);
  } catch (error) {
    return { message: (error as Error).message };
  }
  return { message: "exported" };
}

/** The lines about violations are in the order of a Python set. */
const unordered = (message: string): readonly string[] => message.split("\n").sort();
const [head, fixes] = [0, 1].map(
  (part) => (message: string) => message.split("Suggested fixes:")[part] ?? "",
) as [(message: string) => string, (message: string) => string];
const fixesIn = (fixes: string): string => `\n  ${fixes}`;
/** Fixes of Sconce where PyTorch's solver ends with an error of Python, by position. */
const CRASHES: ReadonlyMap<RandomProgram, string> = new Map([
  // A multiple with one value in range: PyTorch makes a `Dim` with equal bounds, which it refuses.
  [cases[70]!, fixesIn("dx = 4")],
  [cases[240]!, fixesIn("dx = 4\n  dy = dx")],
  // A bound that is not an integer, `dx > 8/3`: PyTorch asserts that it is an equality.
  [cases[177]!, fixesIn("dx = Dim('dx', min=3)")],
  // A derived dim without a greatest size: PyTorch looks it up (`KeyError: 'max'`).
  [cases[204]!, fixesIn("dx = Dim('dx', min=4)")],
]);
/** Fixes of Sconce that are not PyTorch's, by position. */
const OTHER_FIXES: ReadonlyMap<RandomProgram, string> = new Map([
  // PyTorch suggests this or `3*_dx - 1`, by the order of a set; it refuses the latter.
  [cases[72]!, fixesIn("dx = 2")],
  // PyTorch suggests bounds for `(-1/2) + (1/2)*dx*dx` and for `dx*dx*dx`, which are not dims.
  [cases[170]!, fixesIn("dx = Dim('dx', min=3, max=64)")],
  [cases[217]!, fixesIn("dx = Dim('dx', min=12, max=16)")],
]);
const refused = cases.filter(({ result }) => result.error !== undefined);

describe("random functions and specifications", () => {
  test("what exports has PyTorch's sizes, ranges and guards", () => {
    const good = cases.filter(({ result }) => result.error === undefined);
    expect(good.length).toBeGreaterThan(80);
    for (const program of good) expect(exported(program.steps, prepare(program))).toEqual(program.result);
  });
  test("what is refused has PyTorch's message", () => {
    expect(refused.length).toBeGreaterThan(120);
    for (const program of refused) {
      const { message } = refusal(program);
      if (CRASHES.has(program)) expect(message).toContain("Constraints violated");
      else expect(unordered(head(message))).toEqual(unordered(head(program.result.message!)));
    }
  });
  test("fixes are PyTorch's, except those that PyTorch cannot take", () => {
    for (const program of refused) {
      const expected = CRASHES.get(program) ?? OTHER_FIXES.get(program) ?? fixes(program.result.message!);
      expect(fixes(refusal(program).message)).toBe(expected);
    }
    for (const { result } of CRASHES.keys()) expect(result.error).toMatch(/^(?:KeyError|AssertionError)$/);
    for (const { refined } of OTHER_FIXES.keys()) expect(refined).toMatch(/^(?:UserError|AssertionError)$/);
  });
  test("where following PyTorch's fix exports there, it exports here", () => {
    const fixed = refused.filter(({ refined }) => refined === "ok");
    expect(fixed.length).toBeGreaterThan(60);
    for (const program of fixed) {
      const inputs = prepare(program);
      const { message } = refusal(program);
      const refined = refineDynamicShapesFromSuggestedFixes(message, inputs.dynamicShapes);
      exported(program.steps, { ...inputs, dynamicShapes: refined });
    }
  });
});

describe("following a fix", () => {
  test("exports where the report says that the fixes suffice", () => {
    const sufficient = refused.filter((program) => refusal(program).report?.fixesSuffice === true);
    expect(sufficient.length).toBeGreaterThan(85);
    for (const program of sufficient) {
      const inputs = prepare(program);
      const refined = refineDynamicShapesFromSuggestedFixes(refusal(program).message, inputs.dynamicShapes);
      exported(program.steps, { ...inputs, dynamicShapes: refined });
    }
  });
  test("fails where the report says that they do not", () => {
    const insufficient = refused.filter((program) => {
      const { report } = refusal(program);
      return report?.fixesSuffice === false && report.fixes.length > 0;
    });
    expect(insufficient.length).toBeGreaterThan(10);
    for (const program of insufficient) {
      const inputs = prepare(program);
      const follow = (): unknown => {
        const { message } = refusal(program);
        const refined = refineDynamicShapesFromSuggestedFixes(message, inputs.dynamicShapes);
        return exported(program.steps, { ...inputs, dynamicShapes: refined });
      };
      expect(follow, JSON.stringify(program)).toThrow(SconceError);
    }
  });
  test("which are all fixes that PyTorch can take", () => {
    const taken = refused.filter(({ refined }) => refined === "ok");
    expect(taken.filter((program) => refusal(program).report?.fixesSuffice !== true)).toEqual([]);
  });
  test("`Dim.AUTO`, which is suggested for all others, exports", () => {
    const others = refused.filter((program) => refusal(program).report?.fixesSuffice === false);
    expect(others.length).toBeGreaterThan(40);
    for (const program of others) {
      const inputs = prepare(program);
      const relaxed = Object.entries(inputs.dynamicShapes).map(([name, entries]) => [
        name,
        entries.map((entry) => (entry === null || typeof entry === "number" ? entry : Dim.AUTO)),
      ]);
      exported(program.steps, { ...inputs, dynamicShapes: Object.fromEntries(relaxed) });
    }
  });
});

describe("counterexamples", () => {
  const reports = refused.flatMap((program) => {
    const { report, prepared } = refusal(program);
    return report === undefined ? [] : [{ program, report, prepared: prepared! }];
  });

  test("lie within the declared ranges, and take another path than the example", () => {
    expect(reports.length).toBeGreaterThan(120);
    for (const { program, report, prepared } of reports)
      for (const { counterexample } of report.violations) {
        if (counterexample === undefined) continue;
        const tried = sizesOf(program, counterexample.sizes);
        expect(isDeclared(tried, program), JSON.stringify({ program, tried })).toBe(true);
        const [before, after] = [program.inputs, tried].map((sizes) => pathOf(program, sizes, prepared));
        expect(after, JSON.stringify({ program, tried })).not.toBe(before);
      }
  });
  test("are missing only where no sizes break the condition", () => {
    const missing = reports.flatMap(({ program, report }) =>
      report.violations
        .filter(({ counterexample }) => counterexample === undefined)
        .map(({ requirement }) => ({ program, requirement })),
    );
    const without = [97, 130, 131, 139, 173, 242].map((position) => cases[position]);
    expect(missing.map(({ program }) => program)).toEqual(without);
    for (const { program, requirement } of missing) {
      const { least, most } = declaredBounds(program, requirement.source);
      if (requirement.kind === "equal") {
        // Bounds that leave one size: nothing else can be tried.
        expect(least).toBe(most);
        continue;
      }
      const [name] = freeSymbols(requirement.condition).keys();
      for (let size = least; size <= Math.min(most, 500); size++)
        expect(evaluate(requirement.condition, new Map([[name!, size]]))).toBe(true);
    }
  });
});

/** The declared bounds of a size, by its source. */
function declaredBounds(
  { spec }: RandomProgram,
  source: string,
): { readonly least: number; readonly most: number } {
  const [, name, dim] = /^L\['(\w)'\]\.size\(\)\[(\d)\]$/.exec(source)!;
  const entry = spec["xyz".indexOf(name!)]![Number(dim)] as readonly unknown[];
  const [min, max, factor = 1, offset = 0] = entry[0] === "d" ? entry.slice(2) : entry.slice(1);
  expect([factor, offset]).toEqual([1, 0]);
  return { least: Number(min ?? 0), most: Number(max ?? Infinity) };
}

/** Whether sizes are within the declared bounds, and related as declared. */
function isDeclared(sizes: readonly (readonly number[])[], { spec, inputs }: RandomProgram): boolean {
  const roots = new Map<string, number>();
  return spec.every((entries, i) =>
    entries.every((entry, d) => {
      const size = sizes[i]![d]!;
      if (entry === null || typeof entry === "number") return size === inputs[i]![d];
      if (typeof entry === "string") return size >= 0;
      const [kind, ...rest] = entry;
      // A hint's bounds are compared with the inferred range; the example need not be within them.
      if (kind !== "d")
        return (
          size === inputs[i]![d] || (size >= Number(rest[0] ?? 0) && size <= Number(rest[1] ?? Infinity))
        );
      const [name, min, max, factor, offset] = rest as [string, number | null, number | null, number, number];
      const root = (size - offset) / factor;
      const known = roots.get(name) ?? root;
      roots.set(name, known);
      return root === known && Number.isInteger(root) && root >= (min ?? 0) && root <= (max ?? Infinity);
    }),
  );
}

/** How a function runs on sizes: the truth of each condition, each number, and the constants. */
function pathOf(
  { steps }: RandomProgram,
  sizes: readonly (readonly number[])[],
  { inputs, env }: FakeInputs,
): string {
  const taken = steps.map((step) => {
    if (step[0] === "if" || step[0] === "check") return conditionOf(step, sizes);
    if (step[0] === "int") return indexOf(step, sizes);
    const [a, b] = [sizes[step[1] as number]!, sizes[step[2] as number]!];
    return a.every((size, d) => size === b[d] || (step[0] === "cat" && d === step[3]));
  });
  const constants = inputs.map(({ fake }, i) =>
    (fake as FakeTensor).shape.map((size, d) =>
      typeof env.replace(size) === "number" ? sizes[i]![d] : undefined,
    ),
  );
  return JSON.stringify([taken, constants]);
}
