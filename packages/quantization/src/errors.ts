import { misspelled, SconceError } from "@sconce/errors";

/** Returns the error for an option that names a weight or layer that is not in the program. */
export const notAWeight = (option: string, name: string, known: Iterable<string>): SconceError =>
  new SconceError({
    code: "PASS_OPTION",
    message: `${option} names ${name}, which is not a weight, module or layer that can be quantized`,
    ...misspelled(name, known, "print the program to see its names, or write a pattern with *"),
  });

/** Returns the error for a weight that the program writes to. */
export const weightMutated = (name: string, place: string, why: string): SconceError =>
  new SconceError({
    code: "WEIGHT_MUTATED",
    message: `cannot quantize the weight ${name}: ${why}`,
    where: place,
    fix: `leave the weight as it is: exclude=[${name}]`,
  });

/** Returns the error for a weight with NaN or an infinity. */
export const weightNotFinite = (name: string, value: number, index: number): SconceError =>
  new SconceError({
    code: "WEIGHT_NOT_FINITE",
    message: `cannot quantize the weight ${name}: element ${index} is ${value}`,
    where: name,
    fix: `load other weights, or leave this one as it is: exclude=[${name}]`,
  });

/** Returns the error for a report or a calibration without inputs. */
export const noSamples = (): SconceError =>
  new SconceError({
    code: "NO_SAMPLES",
    message: "there are no samples to run the program on",
    fix: "give at least one set of inputs",
  });

/** Returns the error for a bound that the program does not meet without quantized weights. */
export const boundNotReached = (bound: number): SconceError =>
  new SconceError({
    code: "QUANTIZATION_BOUND",
    message: `no choice of weights keeps the error of the outputs at ${bound} or less`,
    fix: "allow a larger error, or check that the program gives equal results on equal inputs",
  });
