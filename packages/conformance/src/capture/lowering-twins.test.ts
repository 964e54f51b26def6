/** @file Texts of programs and lowered programs, beside those of twins in PyTorch. */
import { describe, expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { exportTwin, groupsOf, session, TWIN_MODELS, TWINS } from "./lowering-twins.fixture.js";
import { comparable } from "./retraced.fixture.js";

/** Sconce's codes for PyTorch's errors. */
const CODES: Readonly<Record<string, string>> = {
  "a leaf Variable that requires grad": "LEAF_WRITE",
};

describe("models beside twins in Python", () => {
  test("there is a model for each twin", () => {
    expect(Object.keys(TWIN_MODELS).sort()).toEqual(Object.keys(TWINS).sort());
  });

  test.each(sampled(Object.entries(TWINS), 3))("%s", async (name, twin) => {
    if (twin.program === undefined) {
      const code = Object.entries(CODES).find(([text]) => twin.error!.includes(text))?.[1];
      expect(() => exportTwin(TWIN_MODELS[name]!)).toThrow(
        expect.objectContaining({ code, message: expect.stringContaining(twin.error!.split(": ")[1]!) }),
      );
      return;
    }
    const program = exportTwin(TWIN_MODELS[name]!);
    expect(comparable(String(program))).toBe(comparable(twin.program));
    const lowered = session.runDecompositions(program);
    expect(comparable(String(lowered))).toBe(comparable(twin.lowered!));
    if (name.startsWith("lines of")) expect(groupsOf(lowered)).toEqual(twin.groups);
    // PyTorch cannot save all programs that it exports.
    if (twin.error !== undefined) return;
    const loaded = session.runDecompositions(await session.load(await session.save(program)));
    expect(comparable(String(loaded))).toBe(comparable(twin.loaded ?? twin.lowered!));
  });
});
