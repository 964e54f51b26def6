import { exportProgram, noGrad } from "@sconce/capture";
import type { ExportedProgram } from "@sconce/ir";
import { flattenValue } from "@sconce/ir";
import { runDecompositions } from "@sconce/passes";
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { comparable } from "../capture/retraced.fixture.js";
import { fixtureJson } from "../fixtures.js";
import { renumbered } from "../twin-spec.fixture.js";
import { SWITCHES, type SwitchCase } from "./switch.fixture.js";

interface Recorded {
  readonly text: string;
  readonly guards: readonly string[];
  /** Null where PyTorch does not lower the program. */
  readonly lowered: string | null;
  readonly results: readonly (readonly number[] | number)[];
}
/** As `oracle/graph_calls.py` records them; PyTorch refuses the others. */
const RECORDED = fixtureJson("higher-order/captured.json.gz") as Readonly<
  Record<string, Recorded | { readonly error: string }>
>;
const CASES = Object.entries(RECORDED);
const exported = CASES.flatMap(([name, one]) => ("error" in one ? [] : [[name, one] as const]));
/** PyTorch loses a symbol between the second and the third branch. */
const ACCEPTED = "three_sizes";
const refused = CASES.flatMap(([name, one]) =>
  "error" in one && name !== ACCEPTED ? [[name, one.error] as const] : [],
);

/** Exports a model as the script does. */
function exportedOf({ model, args, options, noGrad: without }: SwitchCase): ExportedProgram {
  const run = (): ExportedProgram => exportProgram(model, [...args], options);
  return without === true ? noGrad(run) : run();
}
/** Exports of these modules count comparisons that they remove. */
const COUNTS_REMOVED = new Set(["integers", "sizes"]);
/** PyTorch refuses results that are inputs where it lowers. */
const LOWERED_HERE = "cond_returns_input";

test("every model of the script is written in TypeScript", () => {
  expect(Object.keys(SWITCHES)).toEqual(Object.keys(RECORDED));
});

/** Operands of `cond` are a list or a tuple, as the call was written. */
const withLists = (text: string): string =>
  text.replace(/^.*higher_order\.cond.*$/gm, (line) => line.replace(/, \(([^()]*?),?\)(?=[,)])/g, ", [$1]"));

describe("models with switch", () => {
  test.each(exported)("%s exports to PyTorch's program", (name, { text, guards, lowered }) => {
    const one = SWITCHES[name]!();
    const { args, options } = one;
    const program = exportedOf(one);
    expect(withLists(comparable(String(program)))).toBe(withLists(text));
    expect(program.guardsCode).toEqual(guards);
    if (lowered !== null)
      expect(withLists(comparable(String(runDecompositions(program))))).toBe(withLists(lowered));
    else if (name !== LOWERED_HERE)
      expect(() => runDecompositions(program)).toThrow(
        expect.objectContaining({ code: "CONTROL_FLOW_MUTATION" }),
      );
    if (one.noGrad === true) return;
    const again = exportProgram(program.module(), [...args], options);
    const inOrder = COUNTS_REMOVED.has(name) ? renumbered : String;
    expect(inOrder(withLists(comparable(String(again))))).toBe(inOrder(withLists(text)));
  });

  test.each(exported)("%s gives PyTorch's numbers", async (name, { results }) => {
    const session = createSconce({ backends: [await loadBackend("wasm", { threads: 1 })] });
    const one = SWITCHES[name]!();
    const program = exportedOf(one);
    const isLowered = (RECORDED[name] as Recorded).lowered !== null;
    const args = (): Tensor[] => SWITCHES[name]!().args.filter((arg) => arg instanceof Tensor);
    const run = (): unknown => one.model.forward(...(args() as never[]));
    const eager = flattenValue(one.noGrad === true ? noGrad(run) : run()).leaves;
    const runs = [eager];
    for (const backend of ["cpu", "wasm"])
      for (const subject of [program, ...(isLowered ? [runDecompositions(program)] : [])]) {
        using executable = await session.compile(subject, backend);
        runs.push([...(await executable.run(args()))]);
      }
    for (const run of runs) {
      expect(run).toHaveLength(results.length);
      for (const [i, value] of run.entries()) {
        const wanted = results[i]!;
        if (!(value instanceof Tensor)) {
          expect(value).toBe(wanted);
          continue;
        }
        const numbers = wanted as readonly number[];
        expect(value.numel).toBe(numbers.length);
        for (const [at, element] of value.toArray().entries()) expect(element).toBeCloseTo(numbers[at]!, 5);
      }
    }
  });

  test("sizes that differ in three branches are merged, where PyTorch fails", () => {
    const { model, args } = SWITCHES[ACCEPTED]!();
    const program = exportProgram(model, [...args]);
    expect(String(program)).toContain("Range constraints: {u1: VR[1, 4]}");
    const [result] = flattenValue(program.call(...args)).leaves as Tensor[];
    expect(result!.shape).toEqual([3, 4]);
  });

  test.each(refused)("%s is refused, as by PyTorch", (name, error) => {
    const { model, args, options } = SWITCHES[name]!();
    const run = (): unknown => exportProgram(model, [...args], options);
    expect(run).toThrow(expect.objectContaining({ code: expect.stringMatching(/^CONTROL_FLOW_/) }));
    if (error.startsWith("Expected ")) expect(run).toThrow(error.slice(0, 45));
  });
});
