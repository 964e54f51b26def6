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

/** Returns the error for a program without observers. */
export const notPrepared = (pass: string): SconceError =>
  new SconceError({
    code: "NOT_PREPARED",
    message: `the pass "${pass}" needs observers, and the program has none`,
    fix: "run prepare-quantization first; where it marks nothing, the program has no layer that it knows",
  });

/** Returns the error for an edge that calibration did not reach. */
export const unobservedEdge = (name: string, target: string): SconceError =>
  new SconceError({
    code: "UNOBSERVED_EDGE",
    message: `no sample gave a value of %${name}: its scale is not known`,
    where: `%${name} = ${target}`,
    fix: "run calibrate on samples before convert-quantization; samples must give finite values there",
  });

/** Returns the error for a weight with zero points where kernels take none. */
export const asymmetricWeight = (quantizer: string, weight: string, place: string): SconceError =>
  new SconceError({
    code: "ASYMMETRIC_WEIGHT",
    message: `the quantizer "${quantizer}" annotates the weight %${weight} with a zero point, and its kernels take symmetric weights only`,
    where: place,
    fix: "annotate the weight with isSymmetric: true, or set symmetricWeights: false if kernels take zero points",
  });

const badQuantizer = (message: string, fix: string): SconceError =>
  new SconceError({ code: "QUANTIZER", message, fix });

/** Returns the error for an annotation of a node that is not in the graph. */
export const unknownAnnotation = (quantizer: string, node: string): SconceError =>
  badQuantizer(
    `the quantizer "${quantizer}" annotates %${node}, which is not a node of the program`,
    "annotate nodes by their names in the graph",
  );

/** Returns the error for an annotation that shares parameters that nothing has. */
export const unknownShare = (edge: string, other: string): SconceError =>
  badQuantizer(
    `the annotation of ${edge} shares the parameters of ${other}, which are not specified`,
    "annotate the shared edge with a specification",
  );

/** Returns the error for a call of `quantization.observe` with other arguments. */
export const badObserver = (node: string): SconceError =>
  badQuantizer(
    `%${node} is not an observer that prepare-quantization wrote`,
    "run prepare-quantization anew",
  );

/** Returns the error for a pass that cannot run programs. */
export const noRunner = (pass: string): SconceError =>
  new SconceError({
    code: "NO_RUNNER",
    message: `the pass "${pass}" runs the program, and has no interpreter to run it with`,
    fix: "use createSconce(), or put run: createRunner() of @sconce/backend-cpu into the context",
  });

/** Returns the error for the scheme `gptq` without the inputs of layers. */
export const noHessians = (): SconceError =>
  new SconceError({
    code: "NO_SAMPLES",
    message: "the scheme gptq needs the inputs of layers",
    fix: "give hessians: layerHessians(program, samples, run)",
  });
