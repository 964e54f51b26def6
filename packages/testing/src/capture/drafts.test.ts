import { type DraftFailure, draftExport, type Exportable } from "@sconce/capture";
import { codeText } from "@sconce/ir";
import { printRange } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import { DRAFTS, RECORDED, type RecordedFailure } from "./drafts.fixture.js";

const text = (failure: DraftFailure): RecordedFailure => {
  switch (failure.type) {
    case "DATA_DEPENDENT_ERROR":
      return [failure.type, failure.expression, failure.result, failure.occurrences];
    case "GUARD_ADDED":
      return [failure.type, failure.expression, failure.prefix, null];
    default:
      return [failure.type, failure.operator, "reason" in failure ? failure.reason : null];
  }
};

describe("drafts of models", () => {
  test("there is a model for each recording", () => {
    expect(Object.keys(DRAFTS)).toEqual(Object.keys(RECORDED));
  });

  test.each(Object.entries(DRAFTS))(
    "%s gives PyTorch's program and failures",
    (name, [model, args, dynamicShapes]) => {
      const program = draftExport(model as Exportable, args, { dynamicShapes, onWarning: () => {} });
      const { code, ranges, failures, profiles } = RECORDED[name]!;
      expect(program.draftReport!.failures.map(text)).toEqual(failures);
      expect(codeText(program.graph).trim()).toBe(code);
      const printed = [...program.rangeConstraints].map(([key, range]) => [key, printRange(range)]);
      expect(Object.fromEntries(printed)).toEqual(ranges);
      const kinds = [...program.draftReport!.operatorProfiles].map(([target, { length }]) => [
        target,
        length,
      ]);
      expect(Object.fromEntries(kinds)).toEqual(profiles);
    },
  );
});
