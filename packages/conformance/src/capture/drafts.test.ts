import { type DraftFailure, draftExport, type Exportable } from "@sconce/capture";
import { codeText, type Graph } from "@sconce/ir";
import { printRange } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import { DRAFTS, RECORDED, type RecordedDraft, type RecordedFailure } from "./drafts.fixture.js";

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

/**
 * The operators of nested graphs: their nodes have other names, since PyTorch traces them twice.
 */
const operators = ({ graphs = {}, ...draft }: RecordedDraft): RecordedDraft => {
  const called = (code: string): string => (code.match(/torch\.ops\.[\w.]+|[<>=]=? \d+/g) ?? []).join(" ");
  return {
    ...draft,
    graphs: Object.fromEntries(Object.entries(graphs).map(([at, code]) => [at, called(code)])),
  };
};

/** Drafts that differ, and the parts that do. */
const DIFFERENT: Readonly<Record<string, readonly (keyof RecordedDraft)[]>> = {
  // PyTorch makes symbols for the first trace of the branch, too.
  branch_missing_fake: ["ranges"],
  other_branch_missing_fake: ["ranges"],
  branch_pair: ["ranges"],
  branch_wrong_dtype: ["ranges"],
  // PyTorch begins with `u0` in the branch.
  items_around_branches: ["failures"],
  // PyTorch asserts the remainder twice.
  remainder: ["code"],
  // PyTorch compares the shape rule with the kernel here, and decides on offsets.
  list_of_items: ["code", "failures", "ranges"],
};

const recorded = (name: string): RecordedDraft => {
  const [model, args, dynamicShapes] = DRAFTS[name]!;
  const program = draftExport(model as Exportable, args, { dynamicShapes, onWarning: () => {} });
  const { failures, operatorProfiles } = program.draftReport!;
  const graphs = [...program.graph.subgraphs].map(([at, graph]): [string, Graph] => [at, graph]);
  const nested = Object.fromEntries(graphs.map(([at, graph]) => [at, codeText(graph).trim()]));
  return {
    code: codeText(program.graph).trim(),
    ...(graphs.length > 0 ? { graphs: nested } : {}),
    ranges: Object.fromEntries([...program.rangeConstraints].map(([key, range]) => [key, printRange(range)])),
    failures: failures.map(text),
    profiles: Object.fromEntries([...operatorProfiles].map(([target, { length }]) => [target, length])),
  };
};

describe("drafts of models", () => {
  test("there is a model for each recording", () => {
    expect(Object.keys(DRAFTS)).toEqual(Object.keys(RECORDED));
  });

  test.each(Object.keys(DRAFTS))("%s gives PyTorch's program and failures", (name) => {
    const wanted = RECORDED[name]!;
    const draft = recorded(name);
    // PyTorch fails to compare the offset of the row.
    if ("error" in wanted) return expect(name).toBe("selected_row");
    const different = DIFFERENT[name] ?? [];
    for (const key of different) expect(draft[key]).not.toEqual(wanted[key]);
    const same = Object.fromEntries(different.map((key) => [key, undefined]));
    expect({ ...operators(draft), ...same }).toEqual({ ...operators(wanted), ...same });
  });
});
