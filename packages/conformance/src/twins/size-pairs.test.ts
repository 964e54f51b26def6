import {
  cond,
  Dim,
  type Exportable,
  exportProgram,
  map,
  nn,
  scan,
  slice,
  torch,
  whileLoop,
} from "@sconce/capture";
import { expect, test } from "vitest";
import { fixtureJson } from "../fixtures.js";

/** A call with two tensors of one dynamic size, as `oracle/size_pairs.py` records it. */
interface SizePair {
  readonly typescript: string;
  readonly guards: readonly string[];
}

const PAIRS = fixtureJson("dynamic-shapes/size-pairs.json.gz") as readonly SizePair[];

function guardsOf(expression: string): readonly string[] {
  const names = { torch, F: nn.functional, slice, cond, map, scan, whileLoop };
  const make = new Function(...Object.keys(names), `return (x, y) => ${expression}`);
  const model = make(...Object.values(names)) as Exportable;
  const n = Dim("n");
  const dynamicShapes = { x: { 0: n }, y: { 0: n } };
  const args = [torch.randn(4, 3), torch.randn(4, 3)];
  return exportProgram(model, args, { dynamicShapes, checkSource: false }).guardsCode;
}

test("guards of two equal sizes have PyTorch's sides, for all calls", () => {
  expect(PAIRS.length).toBeGreaterThan(140);
  const differences = PAIRS.flatMap(({ typescript, guards }) => {
    const got = guardsOf(typescript);
    return JSON.stringify(got) === JSON.stringify(guards) ? [] : [[typescript, got, guards]];
  });
  expect(differences).toEqual([]);
});
