import { readFileSync } from "node:fs";
import { isSconceError } from "@sconce/errors";
import { ExportedProgram } from "@sconce/ir";
import { defaultOperators } from "@sconce/ops";
import { expect, test } from "vitest";
import { readPt2 } from "../index.js";

const file = new Uint8Array(
  readFileSync(new URL("../../../testing/fixtures/programs/api_custom_module/program.pt2", import.meta.url)),
);
const operators = defaultOperators();
const original = await readPt2(file, { operators });
const fingerprint = (program: ExportedProgram): string =>
  String(program) + [...program.stateDict].map(([name, tensor]) => `${name}=${tensor.data.join()}`).join(";");
const expected = fingerprint(original);

/** `refused` with a typed error, `same` program, or what went wrong. */
async function outcome(bytes: Uint8Array): Promise<string> {
  try {
    const program = await readPt2(bytes, { operators });
    return program instanceof ExportedProgram && fingerprint(program) === expected
      ? "same"
      : "another program";
  } catch (error) {
    return isSconceError(error) && error.code !== "INTERNAL" ? "refused" : `untyped: ${String(error)}`;
  }
}

test("a file cut at any byte is refused", async () => {
  const outcomes = new Set<string>();
  for (let length = 0; length < file.byteLength; length++)
    outcomes.add(await outcome(file.subarray(0, length)));
  expect([...outcomes]).toEqual(["refused"]);
});

test("no flipped bit gives another program or an untyped error", async () => {
  const outcomes = new Map<string, number>();
  for (let at = 0; at < file.byteLength; at++) {
    // All bits of a smaller archive are flipped in packages/fuzz.
    for (const bit of [at % 8, (at + 3) % 8]) {
      const bytes = file.slice();
      bytes[at]! ^= 1 << bit;
      const result = await outcome(bytes);
      outcomes.set(result, (outcomes.get(result) ?? 0) + 1);
    }
  }
  expect([...outcomes.keys()].sort()).toEqual(["refused", "same"]);
  expect(outcomes.get("refused")!).toBeGreaterThan(outcomes.get("same")!);
});
