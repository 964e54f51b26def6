/** @file Strict exports of the corpus beside those of PyTorch. */
import { verify } from "@sconce/ir/verify";
import { expect } from "vitest";
import { guardsDifference } from "../conformance/program-texts.js";
import { type CorpusModel, exportStrict } from "./harness.fixture.js";
import { STRICT, type StrictRecord, strictText } from "./strict-record.fixture.js";

/** The mode of a model that PyTorch's strict mode accepts, and Sconce's does not. */
export const REFUSED = new Set(["api_context_manager"]);

/** Differences of PyTorch's modes that Sconce does not make, and why. */
const SAME_IN_BOTH: Readonly<Record<string, string>> = {
  pm_buffer_updates: "PyTorch's strict program loses a buffer that is assigned; this one keeps it",
  pm_state_reads: "PyTorch names state by `__dict__` where a module has assigned attributes",
  api_refine_dynamic_shapes: "PyTorch narrows the ranges of derived dims once more",
  net_recommender: "the model of Python iterates over a tensor, and that of TypeScript calls `unbind`",
};

/** Programs in which Python reads inputs before the first operator uses them, in another order. */
const OTHER_ORDER = new Set(["ops_norms", "lifted_dtypes"]);

/** Programs in which the numbers of names depend on sizes that are traced and removed. */
const OTHER_NUMBERS = new Set(["net_bert", "pm_nonzero_check"]);

/** Programs whose guards PyTorch's modes simplify in different ways. */
const OTHER_GUARDS = new Set(["shape_slices", "api_refine_dynamic_shapes"]);

/** PyTorch's strict verdict depends on what the process exported before. */
const UNSTABLE = new Set(["flow_asserts"]);

function renumbered(text: string): string {
  const names = new Map<string, string>();
  return text.replace(/\b(sym_size_int|le|gt)(?:_\d+)?\b(?!\.)/g, (name, base: string) => {
    if (!names.has(name)) names.set(name, `${base}<${names.size}>`);
    return names.get(name)!;
  });
}

/** Returns the text with its inputs in alphabetical order. */
const unordered = (text: string): string =>
  text
    .replace(/def forward\(self, (.*)\):/, (_, inputs: string) =>
      inputs
        .split(/, (?=\w+:)/)
        .sort()
        .join(", "),
    )
    .replace(/(?<=# inputs\n)[^#]*(?=\n\s*# outputs)/, (specs) => specs.split("\n").sort().join("\n"));

function shownOf(name: string): (text: string) => string {
  if (OTHER_ORDER.has(name)) return unordered;
  return OTHER_NUMBERS.has(name) ? renumbered : String;
}

/**
 * Compares a strict export with PyTorch's: its text, its guards, and that all of it was checked.
 */
export async function compareStrict(name: string, make: () => CorpusModel): Promise<void> {
  const { program, text, plain, unchecked } = await exportStrict(name, make);
  const record = STRICT.programs[name]!;
  const shown = shownOf(name);
  expect(unchecked).toEqual([]);
  expect(verify(program)).toEqual([]);
  if (!UNSTABLE.has(name)) expect(shown(text)).toBe(shown(strictText(plain, comparedWith(name, record))));
  const [got, wanted] = [program.guardsCode, record.guards ?? []].map((guards) => [...guards].sort());
  if (!OTHER_GUARDS.has(name)) expect(guardsDifference(got!, wanted!)).toBeUndefined();
}

function comparedWith(name: string, record: StrictRecord): StrictRecord {
  if (SAME_IN_BOTH[name] === undefined) return record;
  const { edits: _, ...rest } = record;
  return rest;
}
