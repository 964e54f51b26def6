import { readdirSync, readFileSync } from "node:fs";
import { exportProgram } from "@sconce/capture";
import { flattenValue } from "@sconce/ir";
import { runDecompositions } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { sampled } from "../../../../.config/sampled.js";
import { fixtureJson } from "../fixtures.js";
import { ATTENTION } from "./attention.fixture.js";
import { SEQUENCE } from "./sequence.fixture.js";
import { SIZES } from "./sizes.fixture.js";
import { STATE } from "./state.fixture.js";
import type { Twin } from "./twin.fixture.js";
import { VISION } from "./vision.fixture.js";

/** What PyTorch gives for a model, as `oracle/twins.py` records it. */
interface Recorded {
  readonly text: string;
  readonly guards: readonly string[];
  readonly lowered: string;
  readonly outputs: readonly (readonly number[])[];
}

const RECORDED = fixtureJson("capture/twins.json.gz") as Readonly<Record<string, Recorded>>;
const TWINS = { ...ATTENTION, ...VISION, ...SEQUENCE, ...STATE, ...SIZES };

const comparable = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.trim().startsWith("#"))
    .join("\n");

/**
 * A text whose nodes have the numbers of their order: PyTorch's numbers count nodes that a lowering
 * made and removed.
 */
function renumbered(text: string): string {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const [, name] of text.matchAll(/^\s+(\w+)(?:: "[^"]*")? = /gm)) {
    const base = name!.replace(/_\d+$/, "");
    const count = counts.get(base) ?? 0;
    counts.set(base, count + 1);
    if (!names.has(name!)) names.set(name!, `${base}#${count}`);
  }
  return text.replaceAll(/(?<![.\w])\w+/g, (word) => names.get(word) ?? word);
}

/** The first 40 elements of each output. */
function outputsOf({ model, args }: Twin): number[][] {
  const { leaves } = flattenValue((model as (...given: unknown[]) => unknown)(...args));
  return leaves.map((leaf) => {
    const { data } = (leaf as Tensor).contiguous().flatten().to("float64");
    return [...data].slice(0, 40).map(Number);
  });
}

const named = Object.entries(TWINS).map(([name, make]) => [name, make, RECORDED[name]!] as const);

test("every recorded model is written in TypeScript", () => {
  expect(Object.keys(TWINS).sort()).toEqual(Object.keys(RECORDED).sort());
});

test.each(sampled(named, 2))(
  "%s has PyTorch's text and guards, before and after lowering",
  (_, make, recorded) => {
    const { model, args, options } = make();
    const program = exportProgram(model, [...args], options);
    expect(comparable(String(program))).toBe(recorded.text);
    expect(program.guardsCode).toEqual(recorded.guards);
    expect(renumbered(comparable(String(runDecompositions(program))))).toBe(renumbered(recorded.lowered));
  },
);

test.each(sampled(named, 3))("%s computes what PyTorch computes", (_, make, { outputs }) => {
  const got = outputsOf(make());
  expect(got.map(({ length }) => length)).toEqual(outputs.map(({ length }) => length));
  got.flat().forEach((value, i) => {
    expect(value).toBeCloseTo(outputs.flat()[i]!, 4);
  });
});

test("the models are written without casts and assertions", () => {
  const folder = new URL(".", import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith(".fixture.ts"));
  expect(files).toHaveLength(6);
  for (const name of files) {
    const code = readFileSync(new URL(name, folder), "utf8");
    expect(
      [...code.matchAll(/\bas (?!const\b)\w+|[\w)\]]!(?=[.;,)[\]])|\bany\b|@ts-\w+/g)].map(String),
    ).toEqual([]);
  }
});
