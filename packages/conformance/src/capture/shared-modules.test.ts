import { describe, expect, test } from "vitest";
import { recordOf, SHARED, SHARED_MODELS, type SharedRecord } from "./shared-modules.fixture.js";

const title = ({ model, strict, preserve }: SharedRecord): string =>
  [
    model,
    ...(strict ? ["strict"] : []),
    ...(preserve === undefined ? [] : [`keeps ${preserve.join()}`]),
  ].join(", ");

/** Where the programs differ, and the parts that do. */
const DIFFERENT: Readonly<Record<string, readonly (keyof SharedRecord)[]>> = {
  // PyTorch's program loses the write to the buffer.
  SharedAssignment: ["graphs", "program", "stacks"],
  "SharedAssignment, strict": ["graphs", "program", "stacks"],
  // PyTorch's program calls the module twice, and the model once.
  Children: ["graphs", "names", "program", "runs", "stacks"],
  // A module that is called by its place in an array has that place as its path: `others[0]`.
  "Captured, strict": ["graphs", "names", "stacks"],
  // PyTorch's `unflatten` fails.
  "ThreeDeep, strict": ["error", "graphs", "names", "runs"],
};

describe("modules, parameters and buffers with several names [S-133]", () => {
  test("there is a model for each recording", () => {
    expect(new Set(SHARED.map(({ model }) => model))).toEqual(new Set(Object.keys(SHARED_MODELS)));
  });

  test.each(SHARED.map((record) => [title(record), record] as const))("%s", (name, record) => {
    const { model: _, strict: __, preserve: ___, ...wanted } = record;
    // Where PyTorch has a `KeyError`, the export is refused.
    if (wanted.error !== undefined && wanted.program === undefined) {
      expect(wanted.error).toMatch(/^KeyError/);
      expect(recordOf(record)).toEqual({ error: "MODULE_PATH" });
      return;
    }
    const found = recordOf(record);
    expect(found.runs).toBe(true);
    const different = DIFFERENT[name] ?? [];
    const same = <T extends object>(all: T): Partial<T> =>
      Object.fromEntries(
        Object.entries(all).filter(([key]) => !different.includes(key as keyof SharedRecord)),
      ) as Partial<T>;
    expect(same(found)).toEqual(same(wanted));
    for (const key of different) expect(found[key]).not.toEqual(wanted[key as keyof typeof wanted]);
  });
});
