/** @file The facts of `sconce info`, as data. */
import {
  type ExportedProgram,
  FakeTensor,
  type InputSpec,
  type MetaValue,
  type OutputSpec,
  unwrapFloat,
} from "@sconce/ir";
import { argumentText } from "@sconce/ir/text";
import type { OperatorTable } from "@sconce/ops";
import { dtypeInfo, type Tensor } from "@sconce/tensor";
import type { FileFormat } from "../open.js";

/** A size: a number, or an expression over symbols as text. */
type Size = number | string;

/** The type of a value of the graph. */
interface TypeFacts {
  /** What the value is: `tensor`, `int`, `float`, `bool`, `token`, `object`, or `constant`. */
  readonly type: string;
  readonly dtype?: string;
  readonly shape?: readonly Size[];
  readonly strides?: readonly Size[];
  readonly device?: string;
  /** The expression of a symbolic scalar. */
  readonly expression?: string;
  /** The value of a constant. */
  readonly value?: unknown;
}

interface SpecFacts extends TypeFacts {
  /** The placeholder or node; null for a constant output. */
  readonly name: string | null;
  /** `USER_INPUT`, `PARAMETER`, `USER_OUTPUT`, ... */
  readonly kind: string;
  /** Qualified name of the state, or the state or input that an output is written to. */
  readonly target: string | null;
}

/** A tensor of the program's state. */
interface TensorFacts {
  readonly name: string;
  readonly dtype: string;
  readonly shape: readonly number[];
  readonly elements: number;
  readonly bytes: number;
}

export interface Facts {
  readonly format: FileFormat;
  readonly torch: string | null;
  readonly dialect: string;
  readonly fileBytes: number;
  readonly nodes: number;
  readonly parameters: readonly TensorFacts[];
  readonly buffers: readonly TensorFacts[];
  readonly constants: readonly TensorFacts[];
  readonly parameterElements: number;
  readonly stateBytes: number;
  readonly inputs: readonly SpecFacts[];
  readonly outputs: readonly SpecFacts[];
  /** By symbol; null for no limit. */
  readonly ranges: Readonly<Record<string, { readonly min: number | null; readonly max: number | null }>>;
  /** Calls by target. */
  readonly operators: Readonly<Record<string, number>>;
  /** Operators of the program that nothing here defines: it prints, but does not run. */
  readonly unknownOperators: readonly string[];
}

export function factsOf(
  program: ExportedProgram,
  operators: OperatorTable,
  file: Pick<Facts, "format" | "fileBytes">,
): Facts {
  const { stateDict, constants, graphSignature, rangeConstraints, parameterNames } = program;
  const state = [...stateDict].map(([name, tensor]) => tensorFacts(name, tensor));
  const parameters = state.filter(({ name }) => parameterNames.has(name));
  const histogram = [...program.opHistogram()].sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...file,
    torch: program.torchVersion ?? null,
    dialect: program.dialect,
    nodes: program.graph.size,
    parameters,
    buffers: state.filter(({ name }) => !parameterNames.has(name)),
    constants: [...constants].map(([name, tensor]) => tensorFacts(name, tensor)),
    parameterElements: sum(parameters, ({ elements }) => elements),
    stateBytes: sum(state, ({ bytes }) => bytes),
    inputs: graphSignature.inputSpecs.map((spec) => specFacts(spec, program)),
    outputs: graphSignature.outputSpecs.map((spec) => specFacts(spec, program)),
    ranges: Object.fromEntries(
      [...rangeConstraints].map(([name, { min, max }]) => [name, { min: limit(min), max: limit(max) }]),
    ),
    operators: Object.fromEntries(histogram),
    unknownOperators: histogram.map(([target]) => target).filter((target) => isUnknown(target, operators)),
  };
}

const limit = (value: number): number | null => (Number.isFinite(value) ? value : null);

const sum = <T>(items: readonly T[], amount: (item: T) => number): number =>
  items.reduce((total, item) => total + amount(item), 0);

const tensorFacts = (name: string, { dtype, shape, numel }: Tensor): TensorFacts => ({
  name,
  dtype,
  shape,
  elements: numel,
  bytes: numel * dtypeInfo(dtype).itemSize,
});

function specFacts({ arg, kind, target }: InputSpec | OutputSpec, { graph }: ExportedProgram): SpecFacts {
  const name = arg.name === "" ? null : arg.name;
  const value = name === null ? undefined : graph.find(name)?.meta.val;
  if (arg.kind === "constant") {
    const plain = unwrapFloat(arg.value);
    const isPlain = plain === null || ["number", "string", "boolean", "bigint"].includes(typeof plain);
    const constant = typeof plain === "number" && !Number.isFinite(plain) ? String(plain) : plain;
    return { name, kind, target, type: "constant", value: isPlain ? constant : argumentText(arg.value) };
  }
  return { name, kind, target, ...typeFacts(value, arg.kind) };
}

const SCALARS: Readonly<Record<string, string>> = {
  SymInt: "int",
  SymFloat: "float",
  SymBool: "bool",
  symint: "int",
  symfloat: "float",
  symbool: "bool",
  custom_obj: "object",
};

function typeFacts(value: MetaValue | undefined, kind: string): TypeFacts {
  if (value instanceof FakeTensor) {
    const { dtype, shape, strides, device } = value;
    return {
      type: "tensor",
      dtype,
      shape: shape.map(sizeOf),
      strides: strides.map(sizeOf),
      device: argumentText(device).replace(/^device\((.*)\)$/, "$1"),
    };
  }
  if (typeof value === "object" && value !== null && "expr" in value)
    return { type: SCALARS[value.kind]!, expression: String(value.expr) };
  return { type: SCALARS[kind] ?? kind };
}

const sizeOf = (size: unknown): Size => (typeof size === "number" ? size : String(size));

/** Python functions and control flow are not in the operator table. */
const isUnknown = (target: string, operators: OperatorTable): boolean =>
  /^\w+\.\w+\.\w+$/.test(target) &&
  !/^(torch|math|operator)\./.test(target) &&
  operators.schemaOf(target) === undefined;
