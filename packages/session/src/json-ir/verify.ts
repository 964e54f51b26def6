import { checkOptions, countText, type OptionNames } from "@sconce/errors";
import type { JsonIR } from "@sconce/formats/json-ir";
import { ExportedProgram, flattenValue, type StateValues, typeText, type Value } from "@sconce/ir";
import { type DType, Tensor } from "@sconce/tensor";
import { measureError } from "@sconce/tensor/compare";
import { createSconce, type Sconce } from "../create-sconce.js";
import { otherOutputs } from "./errors.js";
import { executeIR, runOnce } from "./execute.js";

/** What is compared with what. */
export interface VerifyIRRequest {
  /** The JSON IR. */
  readonly ir: JsonIR;
  /** The values of its parameters and buffers. */
  readonly stateDict: StateValues;
  /** The model that it was made of, or the program. */
  readonly originalModel: ExportedProgram | ((...inputs: never[]) => unknown);
  /** The inputs of both. */
  readonly testInputs: readonly Value[];
  /** Values of constants, in place of those in the JSON. */
  readonly constants?: StateValues | undefined;
  /** The relative part of the tolerance. @defaultValue 1e-5 */
  readonly rtol?: number | undefined;
  /** The absolute part of the tolerance. @defaultValue 1e-5 */
  readonly atol?: number | undefined;
  /** The session that runs the JSON IR. @defaultValue a new one */
  readonly session?: Sconce | undefined;
}

/** How far an output is from that of the model. */
export interface OutputReport {
  /** The position among the outputs. */
  readonly index: number;
  /** The name of the value in the graph. */
  readonly name: string;
  /** The element type. */
  readonly dtype: DType;
  /** Sizes, outermost dimension first. */
  readonly shape: readonly number[];
  /** The largest difference of two elements. */
  readonly maxAbsoluteDifference: number;
  /** The largest difference as a part of the expected element; infinite beside zero. */
  readonly maxRelativeDifference: number;
  /** Elements whose difference is beyond the tolerance. */
  readonly differing: number;
}

/** The result of {@link verifyIRWithStateDict}. */
export interface VerificationReport {
  /** One entry for each output. */
  readonly outputs: readonly OutputReport[];
  /** The largest difference of all outputs. */
  readonly maxAbsoluteDifference: number;
  /** The largest relative difference of all outputs. */
  readonly maxRelativeDifference: number;
}

const REQUEST: OptionNames<VerifyIRRequest> = {
  ir: true,
  stateDict: true,
  originalModel: true,
  testInputs: true,
  constants: true,
  rtol: true,
  atol: true,
  session: true,
};

const TOLERANCE = 1e-5;

/**
 * Runs JSON IR and the model that it was made of, and compares their outputs.
 * @throws SconceError as `executeIR`; `OUTPUT_MISMATCH` for another number, dtype or shape of
 * outputs
 */
export async function verifyIRWithStateDict(
  request: VerifyIRRequest,
): Promise<{ readonly isValid: boolean; readonly report: VerificationReport }> {
  checkOptions("verifyIRWithStateDict", request, REQUEST);
  const { ir, stateDict, testInputs, constants, rtol = TOLERANCE, atol = TOLERANCE } = request;
  const session = request.session ?? createSconce();
  // The reference, where the session has it: other backends round in other places.
  const backend = session.backends.has("cpu") ? "cpu" : undefined;
  const got = await executeIR(ir, testInputs, { weights: stateDict, constants, session, backend });
  const want = await expected(request, session, backend);
  if (got.length !== want.length)
    throw otherOutputs(countText(got.length, "output"), `${want.length}`, ir.modelName);
  const outputs = got.map((tensor, index): OutputReport => {
    const model = want[index]!;
    const { dtype, shape } = model;
    const name = ir.graphOutputs[index]!.name;
    const [type, wanted] = [typeText(tensor), typeText(model)];
    if (type !== wanted) throw otherOutputs(type, wanted, name);
    const { maxAbsolute, maxRelative, differing } = measureError(tensor, model, { rtol, atol });
    return {
      index,
      name,
      dtype,
      shape,
      maxAbsoluteDifference: maxAbsolute,
      maxRelativeDifference: maxRelative,
      differing,
    };
  });
  const largest = (part: "maxAbsoluteDifference" | "maxRelativeDifference"): number =>
    outputs.reduce((most, output) => Math.max(most, output[part]), 0);
  return {
    isValid: outputs.every(({ differing }) => differing === 0),
    report: {
      outputs,
      maxAbsoluteDifference: largest("maxAbsoluteDifference"),
      maxRelativeDifference: largest("maxRelativeDifference"),
    },
  };
}

/** Returns the tensors that the model gives, in order. */
async function expected(
  { originalModel, testInputs }: VerifyIRRequest,
  session: Sconce,
  backend: string | undefined,
): Promise<Tensor[]> {
  const outputs =
    originalModel instanceof ExportedProgram
      ? await runOnce(originalModel, testInputs, session, { backend })
      : await (originalModel as (...inputs: readonly Value[]) => unknown)(...testInputs);
  return flattenValue(outputs).leaves.filter((leaf) => leaf instanceof Tensor);
}
