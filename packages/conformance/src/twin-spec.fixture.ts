/** @file The tests that models written twice have: texts, guards and numbers. */
import { exportProgram } from "@sconce/capture";
import { flattenValue } from "@sconce/ir";
import { runDecompositions } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { sampled } from "../../../.config/sampled.js";
import type { Twin, Twins } from "./twins/twin.fixture.js";

/** What PyTorch gives for a model, as `oracle/twins.py` records it. */
export interface Recorded {
  readonly text: string;
  readonly guards: readonly string[];
  readonly lowered: string;
  /** Numbers; those that are not finite as texts. */
  readonly outputs: readonly (readonly (number | string)[])[];
}

const comparable = (text: string): string =>
  text
    .split("\n")
    .filter((line) => line.trim() !== "" && !line.trim().startsWith("#"))
    .join("\n");

/**
 * Returns a text whose nodes have the numbers of their order: PyTorch's numbers count nodes that a
 * lowering made and removed.
 */
export function renumbered(text: string): string {
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

/** Returns the first 40 elements of each output; none of one without values. */
export function outputsOf({ model, args, options }: Twin): number[][] {
  const all = options?.kwargs === undefined ? args : [...args, options.kwargs];
  const { leaves } = flattenValue((model as (...given: unknown[]) => unknown)(...all));
  return leaves.map((leaf) => {
    if (!(leaf as Tensor).hasValues) return [];
    const { data } = (leaf as Tensor).contiguous().flatten().to("float64");
    return [...data].slice(0, 40).map(Number);
  });
}

/** Compares every model with what PyTorch recorded. */
export function twinsSpec(twins: Twins, recorded: Readonly<Record<string, Recorded>>): void {
  const named = Object.entries(twins).map(([name, make]) => [name, make, recorded[name]!] as const);

  test("every recorded model is written in TypeScript", () => {
    expect(Object.keys(twins).sort()).toEqual(Object.keys(recorded).sort());
  });

  test.each(sampled(named, 2))(
    "%s has PyTorch's text and guards, before and after lowering",
    (_, make, { text, guards, lowered }) => {
      const { model, args, options } = make();
      const program = exportProgram(model, [...args], options);
      expect(comparable(String(program))).toBe(text);
      expect(program.guardsCode).toEqual(guards);
      expect(renumbered(comparable(String(runDecompositions(program))))).toBe(renumbered(lowered));
    },
  );

  test.each(sampled(named, 3))("%s computes what PyTorch computes", (_, make, { outputs }) => {
    const got = outputsOf(make());
    expect(got.map(({ length }) => length)).toEqual(outputs.map(({ length }) => length));
    got.flat().forEach((value, i) => {
      const wanted = Number(outputs.flat()[i]);
      if (Number.isFinite(wanted)) expect(value).toBeCloseTo(wanted, 4);
      else expect(value).toBe(wanted);
    });
  });
}
