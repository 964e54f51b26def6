import { Dim, type Exportable, exportProgram, slice, sym, torch } from "@sconce/capture";
import { SconceError } from "@sconce/errors";
import { expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { fixtureJson } from "../fixtures.js";

/** A call on a tensor with dynamic sizes, as `oracle/view_guards.py` records it. */
interface ViewGuards {
  readonly typescript: string;
  readonly shape: readonly number[];
  readonly dims?: readonly number[];
  readonly as?: "text" | "message";
  readonly wanted: readonly string[];
}

const CALLS = fixtureJson("dynamic-shapes/view-guards.json.gz") as readonly ViewGuards[];

function recordedOf({ typescript, shape, dims = [0], as }: ViewGuards): readonly string[] {
  const make = new Function("torch", "slice", "sym", `return (x) => ${typescript}`);
  const model = make(torch, slice, sym) as Exportable;
  const given = (dim: number) => [dim, as === "message" ? Dim(`n${dim}`) : Dim.AUTO];
  const program = exportProgram(model, [torch.randn(...shape)], {
    dynamicShapes: { x: Object.fromEntries(dims.map(given)) },
    checkSource: false,
    preferDeferredRuntimeAssertsOverGuards: as === "text",
  });
  if (as === undefined) return program.guardsCode;
  const [nodes] = String(program).split("Graph signature");
  return nodes!
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line.includes(" = torch.ops") || line.includes(': "Sym'));
}

/** The conditions and fixes of a refusal. */
function messageOf(call: ViewGuards): readonly string[] {
  try {
    return recordedOf(call);
  } catch (error) {
    if (!(error instanceof SconceError)) throw error;
    const lines = error.message.split("Sizes that break it")[0]!.split("\n");
    return lines
      .map((line) => line.trim())
      .filter((line) => line.startsWith("- ") || line.includes("Dim(") || line.startsWith("n"));
  }
}

test("views, reductions and gathers of dynamic sizes ask what PyTorch asks", () => {
  expect(CALLS.length).toBeGreaterThan(100);
  const differences = sampled(CALLS, 3).flatMap((call) => {
    const got = messageOf(call);
    return JSON.stringify(got) === JSON.stringify(call.wanted) ? [] : [[call.typescript, got, call.wanted]];
  });
  expect(differences).toEqual([]);
});
