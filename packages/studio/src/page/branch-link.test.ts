import { expect, test } from "vitest";
import { branchLink, type PendingSteps, startOfPending, stepsOfLink } from "./branch-link.js";
import { branch, step } from "./branches.fixture.js";
import type { RunPart } from "./branches.js";

const OWN = { name: "clamp", source: "export {}" };
const STEPS = [step("decompose", 0, 1), step("mine", 1, 2), step("cse", 2, 3)];
const PARTS: readonly RunPart[] = [
  { pipeline: "decompose", steps: 1 },
  { pipeline: "mine", own: OWN, steps: 1 },
  { pipeline: "cse", steps: 1 },
];
const example = branch({ file: "digits", steps: STEPS, parts: PARTS });
const model = branch({ own: OWN, steps: [STEPS[0]!], parts: [PARTS[0]!] });
const view = { step: 3, item: ":a", code: "q" };

test("the steps of a link begin at the first text of the playground", () => {
  expect(stepsOfLink(example, undefined, new Map())).toEqual([{ own: OWN, steps: 1 }, { passes: "cse" }]);
  expect(branchLink(example, undefined, view)).toBe("#/digits/decompose/3/%3Aa/q");
  // Without texts in the address, it ends before the first one.
  expect(branchLink(example, undefined, { ...view, code: "" })).toBe("#/digits/decompose/1/%3Aa");
});

test("the link to an exported model has the passes that ran on it", () => {
  expect(stepsOfLink(model, undefined, new Map())).toEqual([{ own: OWN, steps: 0 }, { passes: "decompose" }]);
  expect(branchLink(model, undefined, { ...view, step: 1 })).toBe("#///1/%3Aa/q");
  expect(branchLink(model, undefined, { ...view, code: "" })).toBeUndefined();
});

test("files of the user have no steps in a link", () => {
  const own = branch({ steps: STEPS, parts: PARTS });
  expect(stepsOfLink(own, undefined, new Map())).toEqual([]);
  expect(branchLink(own, undefined, view)).toBe("#///0//q");
  expect(branchLink(own, undefined, { ...view, code: "" })).toBeUndefined();
});

test("steps that wait stay in the address until they run", () => {
  const pending: PendingSteps = {
    file: "digits",
    passes: "decompose",
    step: 3,
    item: ":b",
    steps: [{ text: "clamp", steps: 1 }, { passes: "cse" }],
  };
  const before = branch({ file: "digits", steps: STEPS.slice(0, 1), parts: PARTS.slice(0, 1) });
  const texts = new Map([["clamp", "edited"]]);
  const waiting = [{ own: { name: "clamp", source: "edited" }, steps: 1 }, { passes: "cse" }];
  expect(stepsOfLink(before, pending, texts)).toEqual(waiting);
  expect(stepsOfLink(undefined, pending, texts)).toEqual(waiting);
  const at = { step: 1, item: "", code: "q" };
  expect(branchLink(before, pending, at)).toBe("#/digits/decompose/3/%3Ab/q");
  expect(branchLink(undefined, pending, at)).toBe("#/digits/decompose/3/%3Ab/q");
  expect(branchLink(example, pending, { ...at, step: 2 })).toBe("#/digits/decompose/2//q");
  expect(stepsOfLink(branch({ file: "net_gpt" }), pending, texts)).toEqual([]);
  expect(startOfPending(pending, [branch({ file: "net_gpt" }), { ...before, id: 7 }])).toEqual({
    branch: 7,
    step: 1,
  });
  expect(startOfPending({ ...pending, passes: "" }, [example])).toEqual({ branch: 1, step: 0 });
  expect(startOfPending({ ...pending, passes: "dce" }, [example])).toBeUndefined();
});
