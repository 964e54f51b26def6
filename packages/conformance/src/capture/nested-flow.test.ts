import { isSconceError } from "@sconce/errors";
import { expect, test } from "vitest";
import { comparableFlow, exportFlow, flowCases } from "./nested-flow.fixture.js";

/** Codes by the messages of PyTorch. */
const CODES: readonly (readonly [message: RegExp, code: string])[] = [
  [/aliasing/, "CONTROL_FLOW_ALIASING"],
  [/input mutation|a leaf Variable that requires grad/, "CONTROL_FLOW_MUTATION"],
  [/same metadata|expected same/, "CONTROL_FLOW_RESULTS"],
  [/carried_inputs must be tensors/, "CONTROL_FLOW_ARGUMENTS"],
];

const codeOf = (message: string): string | undefined => CODES.find(([pattern]) => pattern.test(message))?.[1];

const cases = flowCases();

const isRefused = ({ result }: (typeof cases)[number]): boolean => result.error !== undefined;

test("50 random nestings and more export to PyTorch's programs [S-053, S-054, S-055]", () => {
  const exported = cases.filter((entry) => !isRefused(entry));
  expect(exported.length).toBeGreaterThan(50);
  for (const entry of exported)
    expect(comparableFlow(String(exportFlow(entry)))).toBe(comparableFlow(entry.result.text!));
});

test("random nestings that PyTorch refuses are refused for the same reason [S-055]", () => {
  const refused = cases.filter(isRefused);
  expect(refused.length).toBeGreaterThan(5);
  for (const entry of refused) {
    const wanted = codeOf(entry.result.message!);
    expect(wanted, entry.result.message).toBeDefined();
    let code: string | undefined;
    try {
      exportFlow(entry);
    } catch (error) {
      if (!isSconceError(error)) throw error;
      code = error.code;
    }
    expect([code, entry.result.message]).toEqual([wanted, entry.result.message]);
  }
});
