/** @file Functions that `oracle/call_texts.py` records. */
import { distributions as D, type Exportable, nn, slice, sym, torch } from "@sconce/capture";
import { type ExportedProgram, flattenValue, float } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { fixtureJson } from "../fixtures.js";

/** A function in TypeScript, as `oracle/call_texts.py` records it. */
export interface RecordedCall {
  readonly typescript: string;
  /** Sizes by name, with the dtype in front of those that are not float32. */
  readonly inputs: Readonly<Record<string, readonly (number | string)[]>>;
  readonly wanted:
    | { readonly text: string; readonly lowered: string; readonly outputs: readonly (number | string)[][] }
    | { readonly error: string; readonly refused: string };
}

/** The calls that PyTorch recorded. */
export const CALLS = fixtureJson("capture/call-texts.json.gz") as readonly RecordedCall[];
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

/** Returns the function of a call. */
export function modelOf({ typescript, inputs }: RecordedCall): Exportable {
  const names = Object.keys(inputs).join(", ");
  const make = new Function(...Object.keys(SCOPE), `return (${names}) => ${typescript}`);
  return make(...Object.values(SCOPE)) as Exportable;
}

/** Returns the lines of a text that have content. */
export const linesOf = (program: ExportedProgram): string =>
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

function isNear(got: number, wanted: number | string): boolean {
  const value = Number(wanted);
  return Object.is(got, value) || Math.abs(got - value) <= 1e-4 * Math.max(1, Math.abs(value));
}

/** Returns the inputs of a call. */
export const inputsOf = ({ inputs }: RecordedCall): Tensor[] => Object.values(inputs).map(tensorOf);

/** Returns whether results are the recorded ones, to float32 rounding. */
export function areNear(results: unknown, wanted: readonly (readonly (number | string)[])[]): boolean {
  const got = flattenValue(results).leaves.map((leaf) => numbersOf(leaf as Tensor));
  return (
    got.length === wanted.length &&
    got.every(
      (values, i) =>
        values.length === wanted[i]!.length && values.every((value, at) => isNear(value, wanted[i]![at]!)),
    )
  );
}
