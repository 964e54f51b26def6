import { readFileSync } from "node:fs";
import { createEvaluator } from "@sconce/backend-cpu";
import { SconceError } from "@sconce/errors";
import type { Sconce } from "sconce";
import { OpCaseFile } from "./op-cases.js";
import { checkOpFile, type OpCaseResult, type OperatorCall } from "./ops.js";

/** Operators whose fresh outputs keep the layout of dense inputs, so that recorded strides have to match. */
const LAYOUT_MATTERS = /^aten\.(clone|_to_copy|empty_like|full_like|zeros_like|ones_like|contiguous)\./;

/** Runs the cases of one file on a backend. Only the interpreter runs single operators. */
export async function checkOpFolder(path: string, sconce: Sconce, backend: string): Promise<OpCaseResult[]> {
  if (backend !== "cpu") {
    throw new SconceError({
      code: "UNKNOWN_BACKEND",
      message: `operator cases run on the backend "cpu", not on "${backend}"`,
    });
  }
  const file = new OpCaseFile(readFileSync(path));
  const evaluate = createEvaluator({ operators: sconce.operators });
  return checkOpFile(file, evaluate as OperatorCall, {
    checkStrides: (target) =>
      LAYOUT_MATTERS.test(target) || sconce.operators.tagsOf(target).includes("pointwise"),
  });
}
