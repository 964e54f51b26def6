/** @file A program as the server offers it: inputs and outputs in the words of the protocol. */
import {
  type Argument,
  type ExportedProgram,
  FakeTensor,
  isInt,
  type MetaValue,
  unwrapFloat,
  type Value,
} from "@sconce/ir";
import { inputCheck, MUTATIONS, mutatedPlaceholders, type OperatorTable, userLeaves } from "@sconce/ops";
import type { DType } from "@sconce/tensor";
import { datatypeOf, TEXT } from "../protocol/datatypes.js";
import { notServable } from "../protocol/errors.js";
import { modelLabel } from "./keys.js";
import { inputName, outputNames } from "./names.js";

/** A tensor in the metadata of a model. */
export interface TensorMetadata {
  /** The name; requests and responses use it. */
  readonly name: string;
  /** The element type: `FP32`. */
  readonly datatype: string;
  /** Sizes; -1 where any size of the program's range is taken. */
  readonly shape: readonly number[];
}

/** An input that a request gives. */
export interface ModelInput extends TensorMetadata {
  readonly dtype: DType;
  /** Names that mean the same input: that of the graph. */
  readonly otherName: string;
  /** Whether the program takes a number, which the protocol gives as a tensor of one element. */
  readonly isScalar: boolean;
  /** Its position among the inputs of the program. */
  readonly at: number;
}

/** An output that a response has. */
interface ModelOutput extends TensorMetadata {
  /** The position among the outputs of the program. */
  readonly at: number;
  /** The value where it is the same for all calls. */
  readonly constant: Value | undefined;
}

/** One version of a program, ready to be offered. */
export interface Model {
  readonly name: string;
  readonly version: string;
  readonly program: ExportedProgram;
  readonly inputs: readonly ModelInput[];
  readonly outputs: readonly ModelOutput[];
  /** The inputs by the names that requests may use. */
  readonly inputNamed: ReadonlyMap<string, ModelInput>;
  readonly outputNamed: ReadonlyMap<string, ModelOutput>;
  /**
   * Inputs of the program with the constants of the export; undefined where a request gives one.
   */
  readonly defaults: readonly (Value | undefined)[];
  /** Inputs that the program writes to, by name. A client does not see what it writes. */
  readonly written: readonly string[];
  /** Throws where inputs are not what the program takes. */
  readonly check: (inputs: readonly Value[]) => void;
}

/**
 * Returns a program as the server offers it.
 *
 * @param lower returns the program as `runDecompositions` does
 * @throws SconceError `SERVE_MODEL` for programs that write to their buffers or parameters, and for
 * values that the protocol does not have
 */
export function modelOf(
  name: string,
  version: string,
  program: ExportedProgram,
  operators: OperatorTable,
  lower: () => ExportedProgram,
): Model {
  const label = modelLabel({ name, version });
  const { state, inputs: writtenInputs } = writtenBy(program, operators, lower);
  requireStateless(state, label);
  const leaves = userLeaves(program);
  const inputs = leaves.flatMap((leaf, at): ModelInput[] => {
    if (leaf.spec.arg.kind === "constant") return [];
    const one = tensorOf(program.graph.node(leaf.name).meta.val, `input ${leaf.place}`, label);
    return [{ name: inputName(leaf), otherName: leaf.name, at, ...one }];
  });
  const names = outputNames(program);
  const outputs = program.userOutputs.flatMap((output, at): ModelOutput[] => {
    const own = names[at]!;
    if ("name" in output)
      return [
        {
          name: own,
          at,
          constant: undefined,
          ...tensorOf(program.graph.node(output.name).meta.val, `output ${own}`, label),
        },
      ];
    const constant = unwrapFloat(output.value) as Value;
    // The protocol has no None.
    return constant === null
      ? []
      : [{ name: own, at, constant, datatype: constantType(output.value), shape: [1] }];
  });
  return {
    name,
    version,
    program,
    inputs,
    outputs,
    // Names of the structure go before those of the graph.
    inputNamed: new Map([
      ...inputs.map((one) => [one.otherName, one] as const),
      ...inputs.map((one) => [one.name, one] as const),
    ]),
    outputNamed: new Map(outputs.map((one) => [one.name, one])),
    defaults: leaves.map(({ spec: { arg } }) =>
      arg.kind === "constant" ? (unwrapFloat(arg.value) as Value) : undefined,
    ),
    written: leaves.flatMap((leaf) => (writtenInputs.has(leaf.name) ? [inputName(leaf)] : [])),
    check: inputCheck(program, leaves.map(inputName)),
  };
}

type Described = Pick<ModelInput, "datatype" | "dtype" | "shape" | "isScalar">;

/** Numbers of programs as tensors of one element. */
const SCALARS: Readonly<Record<string, DType>> = { SymInt: "int64", SymFloat: "float64", SymBool: "bool" };

function tensorOf(val: MetaValue | undefined, place: string, label: string): Described {
  const kind = (val as { readonly kind?: string } | null | undefined)?.kind ?? "";
  const dtype = val instanceof FakeTensor ? val.dtype : SCALARS[kind];
  const datatype = dtype === undefined ? undefined : datatypeOf(dtype);
  if (dtype === undefined || datatype === undefined)
    throw notServable(
      label,
      `has ${place}, ${dtype === undefined ? "which is neither a tensor nor a number" : `whose dtype ${dtype} the protocol does not have`}`,
      "export a module that takes and returns tensors of integers, floats of 16 to 64 bits, or bool",
    );
  if (!(val instanceof FakeTensor)) return { dtype, datatype, shape: [1], isScalar: true };
  return {
    dtype,
    datatype,
    shape: val.shape.map((size) => (typeof size === "number" ? size : -1)),
    isScalar: false,
  };
}

function constantType(value: unknown): string {
  if (typeof value === "string") return TEXT;
  if (typeof value === "boolean") return "BOOL";
  return isInt(value as Argument) ? "INT64" : "FP64";
}

/** Requests must not depend on those before them, and workers each have their own state. */
function requireStateless(written: readonly string[], label: string): void {
  if (written.length === 0) return;
  throw notServable(
    label,
    `writes to its state: ${written.slice(0, 8).join(", ")}. Its answers would depend on earlier requests, and on which worker computes them`,
    "export the module in eval mode, or give the state as an input and return the new one as an output",
  );
}

/** Names of what a program writes to. */
interface Written {
  /** Buffers and parameters, by their names in the module. */
  readonly state: readonly string[];
  /** Inputs, by their names in the graph. */
  readonly inputs: ReadonlySet<string>;
}

/**
 * Returns what a program writes to. A call such as `batch_norm` writes in training only: where one
 * is there, the lowered program decides.
 */
function writtenBy(
  program: ExportedProgram,
  operators: OperatorTable,
  lower: () => ExportedProgram,
): Written {
  const mayWrite = mutatedPlaceholders(program.graph, operators).size > 0;
  const { inputSpecs, outputSpecs } = (mayWrite ? lower() : program).graphSignature;
  const mutations = outputSpecs.filter(({ kind, target }) => MUTATIONS.has(kind) && target !== null);
  const isInput = ({ kind }: { readonly kind: string }): boolean => kind === "USER_INPUT_MUTATION";
  const known = new Set(inputSpecs.map(({ arg }) => arg.name));
  return {
    state: [...new Set(mutations.filter((one) => !isInput(one)).map(({ target }) => target!))],
    inputs: new Set(mutations.filter(isInput).flatMap(({ target }) => (known.has(target!) ? [target!] : []))),
  };
}

/** Returns the metadata of a model. */
export const metadataOf = (
  { name, inputs, outputs }: Pick<Model, "name" | "inputs" | "outputs">,
  versions: readonly string[],
): Readonly<Record<string, unknown>> => ({
  name,
  versions,
  platform: "pytorch_exportedprogram",
  inputs: inputs.map(tensorMetadata),
  outputs: outputs.map(tensorMetadata),
});

const tensorMetadata = ({ name, datatype, shape }: TensorMetadata): TensorMetadata => ({
  name,
  datatype,
  shape,
});
