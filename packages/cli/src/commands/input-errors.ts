/** @file Every error about the inputs of `sconce run`. */
import { didYouMean, SconceError, shellWord } from "@sconce/errors";
import { inputsText, type NamedInput } from "./input-names.js";

const placeOf = ({ position, name, type }: NamedInput): string => `input ${position} (${name}: ${type})`;

/**
 * Returns the error for an input that nothing gives. `held` are the names in the file of inputs.
 */
export const missingInput = (
  position: number,
  inputs: readonly NamedInput[],
  held: readonly string[],
): SconceError => {
  const { name } = inputs[position]!;
  const others = inputs.length === 1 ? "" : `; the inputs are ${inputsText(inputs)}`;
  return new SconceError({
    code: "MISSING_INPUT",
    message: `no value for input ${position} (${name})`,
    where: held.length === 0 ? undefined : `the inputs file, which holds ${held.slice(0, 10).join(", ")}`,
    fix:
      `give --input ${shellWord(`${name}=VALUE`)} (JSON, a .safetensors or a .npy file), or put a tensor ${name} or i${position} into the ` +
      `--inputs file; --samples runs on the example inputs of the file, --random SEED on random ones${others}`,
  });
};

/** Returns the error for a position that the program does not have. */
export const unknownPosition = (name: string, count: number): SconceError =>
  new SconceError({
    code: "UNKNOWN_INPUT",
    message: `unknown input ${name}: the program takes ${count}, which count from 0`,
    fix: "give only inputs of kind USER_INPUT, which `sconce info` lists",
  });

/** Returns the error for a name that no input has. */
export const unknownInput = (name: string, inputs: readonly NamedInput[], where?: string): SconceError =>
  /^i\d+$/.test(name)
    ? unknownPosition(name, inputs.length)
    : new SconceError({
        code: "UNKNOWN_INPUT",
        message: `unknown input ${JSON.stringify(name)}`,
        where,
        fix: didYouMean(
          name,
          inputs.flatMap(({ name: own, path }) => [own, path]),
          inputs.length === 0 ? "the program takes no inputs" : `the inputs are ${inputsText(inputs)}`,
        ),
      });

/** Two options, or two names in a file, that give the same input. */
export const inputGivenTwice = (input: NamedInput): SconceError =>
  new SconceError({
    code: "INPUT_VALUE",
    message: "the input is given twice",
    where: placeOf(input),
    fix: `give it once: by its name ${input.name} or its position ${input.position}`,
  });

/** Returns the error for a value that cannot be an input. */
export const inputValue = (message: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "INPUT_VALUE",
    message,
    fix: 'write JSON such as [[1, 2.5], ["nan", 4]], or the path of a .safetensors or .npy file',
    cause,
  });

/** Returns an error about the value of an input, with the input as its place. */
export const atInput = (error: unknown, input: NamedInput): unknown =>
  error instanceof SconceError ? error.at(placeOf(input)) : error;

/** Returns the error when the program has no example inputs. */
export const noExampleInputs = (): SconceError =>
  new SconceError({
    code: "NO_SAMPLE_INPUTS",
    message: "the file has no example inputs, or none with values",
    fix: "give --random SEED for random inputs, or the inputs themselves with --input and --inputs",
  });

/** Returns the error for a file that is not one of NumPy's, or one of what is not numbers. */
export const malformedNpy = (why: string): SconceError =>
  new SconceError({
    code: "NPY",
    message: `the .npy file cannot be read: ${why}`,
    fix: "write it with numpy.save from an array of little-endian numbers",
  });
