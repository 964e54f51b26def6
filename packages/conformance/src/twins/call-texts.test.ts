import { distributions as D, type Exportable, exportProgram, nn, slice, sym, torch } from "@sconce/capture";
import { SconceError } from "@sconce/errors";
import { type ExportedProgram, flattenValue, float } from "@sconce/ir";
import { runDecompositions } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { fixtureJson } from "../fixtures.js";

/** A function in TypeScript, as `oracle/call_texts.py` records it. */
interface RecordedCall {
  readonly typescript: string;
  /** Sizes by name, with the dtype in front of those that are not float32. */
  readonly inputs: Readonly<Record<string, readonly (number | string)[]>>;
  readonly wanted:
    | { readonly text: string; readonly lowered: string; readonly outputs: readonly (number | string)[][] }
    | { readonly error: string; readonly refused: string };
}

const CALLS = fixtureJson("capture/call-texts.json.gz") as readonly RecordedCall[];
const { vmap } = torch;
const SCOPE = { torch, F: nn.functional, D, vmap, slice, sym, float };
const DTYPES = { i64: "int64", i32: "int32", f16: "float16", bf16: "bfloat16", f64: "float64" } as const;

function tensorOf(sizes: readonly (number | string)[]): Tensor {
  const kind = typeof sizes[0] === "string" ? sizes[0] : "f32";
  const shape = (kind === "f32" ? sizes : sizes.slice(1)) as readonly number[];
  const count = shape.reduce((product, size) => product * size, 1);
  const steps = torch.arange(count).sub(2).reshape(shape);
  if (kind === "f32") return steps.to("float32");
  if (kind === "f32r") return steps.to("float32").div(3);
  if (kind === "i64r") return steps.add(2).remainder(3);
  if (kind === "bool") return steps.remainder(2).eq(0);
  if (kind === "c64") return torch.complex(steps.to("float32"), torch.ones(shape));
  if (kind === "c128") return torch.complex(steps.to("float64"), torch.ones(shape, { dtype: "float64" }));
  return steps.to(DTYPES[kind as keyof typeof DTYPES]);
}

function modelOf({ typescript, inputs }: RecordedCall): Exportable {
  const names = Object.keys(inputs).join(", ");
  const make = new Function(...Object.keys(SCOPE), `return (${names}) => ${typescript}`);
  return make(...Object.values(SCOPE)) as Exportable;
}

const linesOf = (program: ExportedProgram): string =>
  String(program)
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.trim().startsWith("#"))
    .join("\n");

function numbersOf(result: Tensor): readonly number[] {
  const isComplex = result.dtype.startsWith("complex");
  const real = isComplex ? torch.viewAsReal(result.resolveConj()) : result;
  const { data } = real.contiguous().flatten().to("float64");
  return [...data].slice(0, 40).map(Number);
}

/** Reasons that are worded in another way, with PyTorch's. */
const OTHER_WORDS: readonly (readonly [got: string, wanted: string])[] = [
  [
    "ihfftn expects a real-valued input tensor, but got ComplexFloat",
    "Expected cond to be True, but got False",
  ],
];

const isSameReason = (got: string, wanted: string): boolean =>
  got.includes(wanted) ||
  OTHER_WORDS.some(([ours, theirs]) => got.includes(ours) && wanted.startsWith(theirs));

function isNear(got: number, wanted: number | string): boolean {
  const value = Number(wanted);
  return Object.is(got, value) || Math.abs(got - value) <= 1e-4 * Math.max(1, Math.abs(value));
}

/** Returns what differs from PyTorch: texts, numbers of both programs, or the refusal. */
function differences(call: RecordedCall): readonly unknown[] {
  const { wanted, typescript } = call;
  const inputs = Object.values(call.inputs).map(tensorOf);
  let program: ExportedProgram;
  try {
    program = exportProgram(modelOf(call), inputs, { checkSource: false });
  } catch (error) {
    if (!(error instanceof SconceError)) throw error;
    const isSame = "refused" in wanted && isSameReason(error.message, wanted.refused);
    return isSame ? [] : [[typescript, "refused", error.message, wanted]];
  }
  if ("refused" in wanted) return [[typescript, "taken", wanted]];
  const lowered = runDecompositions(program);
  const texts: readonly (readonly [got: string, wanted: string])[] = [
    [linesOf(program), wanted.text],
    [linesOf(lowered), wanted.lowered],
  ];
  const wrong: unknown[] = texts.filter(([got, text]) => got !== text).map((pair) => [typescript, ...pair]);
  for (const each of [program, lowered]) {
    const got = flattenValue(each.module()(...inputs)).leaves.map((leaf) => numbersOf(leaf as Tensor));
    const isSame =
      got.length === wanted.outputs.length &&
      got.every(
        (values, i) =>
          values.length === wanted.outputs[i]!.length &&
          values.every((value, j) => isNear(value, wanted.outputs[i]![j]!)),
      );
    if (!isSame) wrong.push([typescript, got, wanted.outputs]);
  }
  return wrong;
}

test("calls have PyTorch's texts before and after lowering, numbers and refusals", () => {
  expect(CALLS.length).toBeGreaterThan(400);
  expect(sampled(CALLS, 3).flatMap(differences)).toEqual([]);
});
