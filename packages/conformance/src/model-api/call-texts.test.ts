import { exportProgram } from "@sconce/capture";
import { SconceError } from "@sconce/errors";
import type { ExportedProgram } from "@sconce/ir";
import { runDecompositions } from "@sconce/passes";
import { expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { areNear, CALLS, inputsOf, linesOf, modelOf, type RecordedCall } from "./call-texts.fixture.js";

/** Reasons that are worded in another way, with PyTorch's. */
const OTHER_WORDS: readonly (readonly [got: string, wanted: string])[] = [
  [
    "ihfftn expects a real-valued input tensor, but got ComplexFloat",
    "Expected cond to be True, but got False",
  ],
  [
    "the function can not return a BatchedTensor when out_dim is None",
    "vmap(<lambda>, ...): `<lambda>` can not return a BatchedTensor when out_dim is None",
  ],
  [
    "takes the number of classes from the largest index, which is not known",
    "When vmap-ing torch.nn.functional.one_hot, please provide an explicit positive num_classes argument.",
  ],
];

const isSameReason = (got: string, wanted: string): boolean =>
  got.includes(wanted) ||
  OTHER_WORDS.some(([ours, theirs]) => got.includes(ours) && wanted.startsWith(theirs));

/** Returns what differs from PyTorch: texts, numbers of both programs, or the refusal. */
function differences(call: RecordedCall): readonly unknown[] {
  const { wanted, typescript } = call;
  const inputs = inputsOf(call);
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
  for (const each of [program, lowered])
    if (!areNear(each.module()(...inputs), wanted.outputs)) wrong.push([typescript, wanted.outputs]);
  return wrong;
}

test("calls have PyTorch's texts before and after lowering, numbers and refusals", () => {
  expect(CALLS.length).toBeGreaterThan(500);
  expect(sampled(CALLS, 3).flatMap(differences)).toEqual([]);
});
