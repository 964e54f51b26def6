import { signal } from "@preact/signals";
import { expect, test } from "vitest";
import { step } from "./branches.fixture.js";
import { LAST_STEP } from "./link.js";
import { linkProblem } from "./link-problem.js";

const page = { steps: signal([step("decompose", 0, 1), step("cse", 1, 2)]), selected: signal(":add") };
const link = { passes: "decompose,cse", step: 2, item: ":add" };

test("a link that the page shows has no problem", () => {
  expect(linkProblem(page, link)).toBeUndefined();
  expect(linkProblem(page, { ...link, step: LAST_STEP })).toBeUndefined();
  expect(linkProblem(page, { passes: "", step: 0, item: "" })).toBeUndefined();
});

test("a step or a node that is not there is named", () => {
  expect(linkProblem(page, { ...link, step: 3 })).toBe(
    "the link names step 3, and decompose,cse has 2: the last one is shown",
  );
  expect(linkProblem(page, { ...link, passes: "" })).toMatch(/^the link names step 2 and no passes/);
  expect(linkProblem(page, { ...link, item: ":mul" })).toBe(
    "the link names the node mul, which this version of the program does not have",
  );
});
