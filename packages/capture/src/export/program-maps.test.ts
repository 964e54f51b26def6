import type { ExportedProgram } from "@sconce/ir";
import { runDecompositions } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { Module, nn, Parameter, torch } from "@sconce/torch";
import { expect, test } from "vitest";
import { exportProgram } from "./export-program.js";

const { Buffer } = nn;

class Net extends Module {
  readonly w = new Parameter(torch.ones([2]));
  readonly b = new Buffer(torch.zeros([2]));
  readonly n = new Buffer(torch.ones([2]), { persistent: false });
  readonly k = torch.tensor([1, 2.5]);

  override forward(x: Tensor): Tensor {
    this.b.add_(x);
    x.mul_(2);
    return x.mul(this.w).add(this.n).add(this.k);
  }
}

const mapsOf = (program: ExportedProgram) => ({
  backwardSignature: program.backwardSignature,
  buffers: program.namedBuffers().map(([name]) => name),
  buffersToMutate: Object.fromEntries(program.buffersToMutate),
  constants: [...program.constants.keys()],
  inputTokens: program.inputTokens,
  inputsToBuffers: Object.fromEntries(program.inputsToBuffers),
  inputsToLiftedCustomObjects: Object.fromEntries(program.inputsToLiftedCustomObjects),
  inputsToLiftedTensorConstants: Object.fromEntries(program.inputsToLiftedTensorConstants),
  inputsToParameters: Object.fromEntries(program.inputsToParameters),
  liftedCustomObjects: program.liftedCustomObjects,
  liftedTensorConstants: program.liftedTensorConstants,
  nonPersistentBuffers: [...program.nonPersistentBuffers],
  outputTokens: program.outputTokens,
  parameters: program.namedParameters().map(([name]) => name),
  parametersToMutate: Object.fromEntries(program.parametersToMutate),
  userInputs: program.userInputs,
  userInputsToMutate: Object.fromEntries(program.userInputsToMutate),
  userOutputs: program.userOutputs,
  verifiers: program.verifiers,
});

// The values are PyTorch 2.14's.
test("what inputs and outputs are [S-057, S-080, S-085]", () => {
  const program = exportProgram(new Net(), [torch.ones([2])]);
  const exported = {
    backwardSignature: null,
    buffers: ["b", "n"],
    buffersToMutate: {},
    constants: ["k", "n"],
    inputTokens: [],
    inputsToBuffers: { b_b: "b", b_n: "n" },
    inputsToLiftedCustomObjects: {},
    inputsToLiftedTensorConstants: { c_k: "k" },
    inputsToParameters: { p_w: "w" },
    liftedCustomObjects: [],
    liftedTensorConstants: ["k"],
    nonPersistentBuffers: ["n"],
    outputTokens: [],
    parameters: ["w"],
    parametersToMutate: {},
    userInputs: [{ name: "x" }],
    userInputsToMutate: {},
    userOutputs: [{ name: "add_1" }],
    verifiers: [{ name: "TrainingIRVerifier", dialect: "TRAINING" }],
  };
  expect(mapsOf(program)).toEqual(exported);
  expect(mapsOf(runDecompositions(program))).toEqual({
    ...exported,
    buffersToMutate: { add: "b" },
    userInputsToMutate: { mul: "x" },
    userOutputs: [{ name: "add_2" }],
    verifiers: [{ name: "Verifier", dialect: "ATEN" }],
  });
});
