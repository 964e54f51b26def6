/**
 * @file Lowered scans whose functions run on batches, and loops that carry integers, beside
 * PyTorch's.
 */
import {
  associativeScan,
  type Exportable,
  exportProgram,
  nn,
  pytree,
  slice,
  sym,
  torch,
  whileLoop,
} from "@sconce/capture";
import { float } from "@sconce/ir";
import { createSconce } from "@sconce/session";
import { expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { fixtureJson } from "../fixtures.js";

/** A scan or a loop, as `oracle/scan_lanes.py` records it. */
interface ScanOfLanes {
  readonly typescript: string;
  readonly inputs: Readonly<Record<string, readonly number[]>>;
  readonly lowered: string;
}

const SCANS = fixtureJson("capture/scan-lanes.json.gz") as readonly ScanOfLanes[];
const SCOPE = { torch, F: nn.functional, associativeScan, whileLoop, slice, sym, pytree, float };

function loweredOf({ typescript, inputs }: ScanOfLanes): string {
  const make = new Function(
    ...Object.keys(SCOPE),
    `return (${Object.keys(inputs).join(", ")}) => ${typescript}`,
  );
  const model = make(...Object.values(SCOPE)) as Exportable;
  const args = Object.values(inputs).map((sizes) => torch.ones([...sizes]));
  const lines = String(
    createSconce().runDecompositions(exportProgram(model, args, { checkSource: false })),
  ).split("\n");
  return lines.filter((line) => line.trim() !== "" && !line.trim().startsWith("#")).join("\n");
}

test("scans are lowered to calls for whole batches, and carried integers have PyTorch's symbols", () => {
  expect(SCANS.length).toBeGreaterThan(100);
  const differences = sampled(SCANS, 3).filter((scan) => loweredOf(scan) !== scan.lowered);
  expect(differences.map(({ typescript }) => typescript)).toEqual([]);
});
