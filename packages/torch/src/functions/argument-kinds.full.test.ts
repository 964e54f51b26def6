/**
 * @file All functions of `torch` and `nn.functional` with arguments of any kind: every error has a
 * code.
 */
import { isSconceError } from "@sconce/errors";
import { expect, test } from "vitest";
import { functional } from "../nn/functional.js";
import { torch } from "./torch.js";

class Thing {}
const KINDS: readonly unknown[] = [
  null,
  new Thing(),
  Number.NaN,
  "text",
  [],
  1.5,
  true,
  undefined,
  -1,
  () => 1,
];

const rows = () => torch.ones(2, 4);
const image = () => torch.ones(1, 2, 4, 4);
/** Arguments that one function or another takes. */
const CALLS: readonly (() => readonly unknown[])[] = [
  () => [rows()],
  () => [rows(), rows()],
  () => [rows(), 1],
  () => [rows(), 0, rows()],
  () => [image(), 2],
  () => [[rows(), rows()], 0],
  () => [2, 3],
];

/** Functions that change the session, print, or take what tests of their own give them. */
const isLeftOut = (name: string): boolean =>
  /^(manualSeed|compile|load|save|export|seed|setDefault|set|get|is|print)/.test(name);

test.each(["torch", "nn.functional"])("%s", (home) => {
  const space = (home === "torch" ? torch : functional) as unknown as Readonly<Record<string, unknown>>;
  const raw = new Map<string, string>();
  let refused = 0;
  for (const [name, member] of Object.entries(space)) {
    if (typeof member !== "function" || isLeftOut(name) || /^class/.test(String(member))) continue;
    for (const made of CALLS)
      for (let at = 0; at <= made().length; at++)
        for (const value of KINDS) {
          const args = [...made()];
          args[at] = value;
          try {
            (member as (...given: readonly unknown[]) => unknown)(...args);
          } catch (error) {
            if (isSconceError(error)) refused++;
            else raw.set(name, String(error));
          }
        }
  }
  expect([...raw]).toEqual([]);
  expect(refused).toBeGreaterThan(10_000);
});
