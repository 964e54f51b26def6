/** @file Graphs of control flow that make sizes of the data, beside PyTorch's exports. */
import { Dim, exportProgram, torch } from "@sconce/capture";
import { createSconce } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { fixtureJson } from "../fixtures.js";
import { BODY_BOUNDS, Model } from "./body-bounds.fixture.js";
import { comparable } from "./retraced.fixture.js";

/** As `oracle/body_bounds.py` records it. */
type Recorded =
  | { readonly text: string; readonly guards: readonly string[]; readonly lowered: string }
  | { readonly message: string };

const RECORDED = fixtureJson("capture/body-bounds.json.gz") as Readonly<Record<string, Recorded>>;

const session = createSconce();

describe("graphs of control flow that make sizes of the data", () => {
  test("there is a model for each recorded one", () => {
    expect(Object.keys(BODY_BOUNDS)).toEqual(Object.keys(RECORDED));
  });

  test.each(Object.entries(BODY_BOUNDS))("%s", (name, [sizes, body]) => {
    const isDynamic = name.endsWith("rows") && !name.includes("unknown");
    const input = torch.arange(sizes.reduce((a, b) => a * b)).to("float32");
    const run = () =>
      exportProgram(new Model(body), [input.reshape(...sizes)], {
        checkSource: false,
        dynamicShapes: { x: isDynamic ? { 0: Dim.DYNAMIC } : null },
      });
    const recorded = RECORDED[name]!;
    if ("message" in recorded) {
      expect(run).toThrow(
        expect.objectContaining({
          code: "DATA_DEPENDENT_GUARD",
          message: expect.stringContaining(recorded.message) as string,
        }),
      );
      return;
    }
    const program = run();
    expect(comparable(String(program))).toBe(comparable(recorded.text));
    expect(program.guardsCode).toEqual(recorded.guards);
    expect(comparable(String(session.runDecompositions(program)))).toBe(comparable(recorded.lowered));
  });
});
