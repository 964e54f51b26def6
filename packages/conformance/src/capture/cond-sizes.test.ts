/** @file Branches of `cond` that make tensors of dynamic integers, beside PyTorch's exports. */
import { Dim, exportProgram, torch } from "@sconce/capture";
import { createSconce } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { fixtureJson } from "../fixtures.js";
import { COND_SIZES } from "./cond-sizes.fixture.js";
import { comparable } from "./retraced.fixture.js";

/** As `oracle/cond_sizes.py` records it. */
interface Recorded {
  readonly text: string;
  readonly guards: readonly string[];
  readonly lowered: string;
}

const RECORDED = fixtureJson("capture/cond-sizes.json.gz") as Readonly<Record<string, Recorded>>;

const session = createSconce();

describe("branches with tensors of dynamic integers", () => {
  test("there is a model for each recorded one", () => {
    expect(Object.keys(COND_SIZES)).toEqual(Object.keys(RECORDED));
  });

  test.each(Object.entries(COND_SIZES))("%s", (name, model) => {
    const rows = name.endsWith("rows") ? { 0: Dim.DYNAMIC } : null;
    const program = exportProgram(model, [torch.ones(5), 2, 3], {
      checkSource: false,
      dynamicShapes: { x: rows, r: Dim.DYNAMIC, c: Dim.DYNAMIC },
    });
    const { text, guards, lowered } = RECORDED[name]!;
    expect(comparable(String(program))).toBe(comparable(text));
    expect(program.guardsCode).toEqual(guards);
    const got = String(session.runDecompositions(program));
    expect(comparable(got)).toBe(comparable(lowered));
  });
});
