/** @file Branches of `cond` that read numbers of their operands, beside PyTorch's exports. */
import { Dim, exportProgram, torch } from "@sconce/capture";
import { createSconce } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { fixtureJson } from "../fixtures.js";
import { COND_COUNTS } from "./cond-counts.fixture.js";
import { comparable } from "./retraced.fixture.js";

/** As `oracle/cond_counts.py` records it. */
interface Recorded {
  readonly text: string;
  readonly guards: readonly string[];
  readonly lowered: string;
}

const RECORDED = fixtureJson("capture/cond-counts.json.gz") as Readonly<Record<string, Recorded>>;

const session = createSconce();

describe("branches that read numbers of their operands", () => {
  test("there is a model for each recorded one", () => {
    expect(Object.keys(COND_COUNTS)).toEqual(Object.keys(RECORDED));
  });

  test.each(Object.entries(COND_COUNTS))("%s", (name, model) => {
    const program = exportProgram(model, [torch.arange(5).to("float32")], {
      checkSource: false,
      dynamicShapes: { x: name.endsWith("rows") ? { 0: Dim.DYNAMIC } : null },
    });
    const { text, guards, lowered } = RECORDED[name]!;
    expect(comparable(String(program))).toBe(comparable(text));
    expect(program.guardsCode).toEqual(guards);
    expect(comparable(String(session.runDecompositions(program)))).toBe(comparable(lowered));
  });
});
