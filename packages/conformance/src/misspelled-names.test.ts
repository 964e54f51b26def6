/** @file Misspelled names of what a session and a program have: errors hold the edit. */
import { exportProgram, torch } from "@sconce/capture";
import type { SconceError } from "@sconce/errors";
import { createSconce } from "@sconce/session";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";

const sconce = createSconce();
const program = exportProgram((x: Tensor) => x.relu(), [torch.ones(2)]);

test.each<[string, string, () => unknown]>([
  ["rleu", "relu", () => program.graph.node("rleu")],
  ["dcee", "dce", () => sconce.transform(program, "dcee")],
  ["cpuu", "cpu", () => sconce.compile(program, "cpuu")],
  ["tablee", "table", () => sconce.transform(program, "decompose{tablee=core}")],
])("%s is %s", async (find, replace, call) => {
  const error: unknown = await Promise.resolve()
    .then(call)
    .catch((thrown: unknown) => thrown);
  const { fix, edits } = error as SconceError;
  expect(fix).toContain(`did you mean "${replace}"`);
  expect(edits).toEqual([{ find, replace }]);
});
