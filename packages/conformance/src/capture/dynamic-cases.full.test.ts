/**
 * Random functions over sizes, exported: PyTorch's verdicts, and counterexamples that are tried.
 */
import {
  check,
  constraintReport,
  Dim,
  type DimBounds,
  type Exportable,
  exportProgram,
  guard,
  type Size,
  sym,
  torch,
} from "@sconce/capture";
import { rangeConstraintsText } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { fixtureJson } from "../fixtures.js";
import { SIZE_OPERATORS } from "./size-operators.fixture.js";

type Expression = number | string | readonly [op: string, a: Expression, b: Expression];
type Entry = null | number | string | readonly unknown[];

interface Case {
  readonly inputs: readonly (readonly number[])[];
  readonly spec: readonly (readonly Entry[])[];
  readonly steps: readonly (readonly [kind: string, ...args: unknown[]])[];
  readonly result: {
    readonly error?: string;
    readonly message?: string;
    readonly ranges?: Readonly<Record<string, string>>;
    readonly guards?: readonly string[];
  };
}

const cases = fixtureJson("dynamic-shapes/cases.json.gz") as readonly Case[];

const RELATIONS = { "==": sym.eq, "!=": sym.ne, "<": sym.lt, "<=": sym.le, ">": sym.gt, ">=": sym.ge };

function sizeOf(e: Expression, tensors: readonly Tensor[]): Size {
  if (typeof e === "number") return e;
  if (typeof e === "string") return tensors["xyz".indexOf(e[0]!)]!.size(Number(e[1])) as unknown as Size;
  return SIZE_OPERATORS[e[0]]!(sizeOf(e[1], tensors), sizeOf(e[2], tensors));
}

/**
 * What a step decides for real tensors: a truth value or sizes. A size that is taken for a number
 * is compared with the example's.
 */
function runStep(
  [kind, ...args]: Case["steps"][number],
  tensors: readonly Tensor[],
  { inputs }: Case,
): unknown {
  if (kind === "add") return torch.add(tensors[args[0] as number]!, tensors[args[1] as number]!);
  if (kind === "cat")
    return torch.cat([tensors[args[0] as number]!, tensors[args[1] as number]!], args[2] as number);
  if (kind === "int") {
    const name = args[0] as string;
    return guard(sym.eq(sizeOf(name, tensors), inputs["xyz".indexOf(name[0]!)]![Number(name[1])]!));
  }
  const [op, a, b] = args[0] as [keyof typeof RELATIONS, Expression, Expression];
  const condition = RELATIONS[op](sizeOf(a, tensors), sizeOf(b, tensors));
  if (kind === "check") check(condition);
  else return guard(condition);
  return true;
}

function modelOf(program: Case): Exportable {
  const { steps, inputs } = program;
  const run = (...tensors: Tensor[]): unknown => {
    const results = steps
      .map((step) => runStep(step, tensors, program))
      .filter((result) => result instanceof Tensor);
    return results.length === 0 ? [torch.add(tensors[0]!, 1)] : results;
  };
  return inputs.length === 1 ? (x: Tensor) => run(x) : (x: Tensor, y: Tensor) => run(x, y);
}

function dimOf(entry: Entry, dims: Map<string, Dim>): unknown {
  if (entry === null || typeof entry === "number") return entry;
  if (typeof entry === "string") return Dim[entry as "AUTO" | "DYNAMIC"];
  const [kind, ...rest] = entry as [string, ...(number | null)[]];
  const bounds = (min: unknown, max: unknown): DimBounds =>
    Object.fromEntries(Object.entries({ min, max }).filter(([, value]) => value !== null));
  if (kind !== "d") return Dim[kind as "AUTO" | "DYNAMIC"](bounds(rest[0], rest[1]));
  const [name, min, max, factor, offset] = rest as unknown as [string, unknown, unknown, number, number];
  const key = [name, min, max].join();
  const root = dims.get(key) ?? Dim(name, bounds(min, max));
  dims.set(key, root);
  const scaled = factor === 1 ? root : root.mul(factor);
  return offset === 0 ? scaled : scaled.add(offset);
}

const tensorsOf = (shapes: readonly (readonly number[])[]): Tensor[] =>
  shapes.map((shape) => torch.zeros([...shape]));

function exported(program: Case): { readonly ranges: string; readonly guards: readonly string[] } {
  const dims = new Map<string, Dim>();
  const dynamicShapes = program.spec.map((entries) => entries.map((entry) => dimOf(entry, dims)));
  const made = exportProgram(modelOf(program), tensorsOf(program.inputs), {
    dynamicShapes: Object.fromEntries(dynamicShapes.map((entry, i) => ["xyz"[i]!, entry])),
    onWarning: () => {},
  });
  return { ranges: rangeConstraintsText(made.rangeConstraints), guards: made.guardsCode };
}

const lines = (message: string): readonly string[] =>
  message.split("Suggested fixes:")[0]!.split("\n").sort();

test("exports have PyTorch's guards and ranges, refusals its message", () => {
  for (const program of cases) {
    const { error, message, ranges, guards } = program.result;
    if (error === "KeyError" || error === "AssertionError") continue;
    try {
      const got = exported(program);
      expect([error, got.guards]).toEqual([undefined, guards]);
      for (const [size, range] of Object.entries(ranges!))
        expect(got.ranges).toContain(`${size}: VR[${range}]`);
    } catch (failure) {
      if (error === undefined) throw failure;
      const text = constraintReport(failure)?.message ?? (failure as Error).message;
      expect(lines(text)).toEqual(lines(message!));
    }
  }
});

/** How a model runs on real tensors of some sizes. */
function outcome(program: Case, shapes: readonly (readonly number[])[]): string {
  const tensors = tensorsOf(shapes);
  const taken = program.steps.map((step) => {
    try {
      const result = runStep(step, tensors, program);
      return result instanceof Tensor ? "tensor" : result;
    } catch (error) {
      return (error as { code?: string }).code;
    }
  });
  return JSON.stringify(taken);
}

test("a counterexample, tried on the model, takes another way or fails", () => {
  let tried = 0;
  for (const program of cases) {
    if (program.result.error !== "UserError") continue;
    try {
      exported(program);
    } catch (error) {
      for (const { counterexample, text } of constraintReport(error)?.violations ?? []) {
        // The root of a multiple is a constant because of the example, whatever the model does.
        if (counterexample === undefined || text.startsWith("You marked")) continue;
        const shapes = program.inputs.map((shape, i) =>
          shape.map((_, d) => counterexample.sizes.get(`L['${"xyz"[i]!}'].size()[${d}]`)!),
        );
        expect(outcome(program, shapes), text).not.toBe(outcome(program, program.inputs));
        tried++;
      }
    }
  }
  expect(tried).toBeGreaterThan(100);
});
