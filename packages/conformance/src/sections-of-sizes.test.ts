/**
 * @file `tensor_split` of a size without an example: its sections have PyTorch's sizes for all
 * sizes.
 */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({ backends: [await loadBackend("wasm", { threads: 1 })] });

/** Sizes of the sections of PyTorch 2.14, by number of sections and size. */
const SECTIONS: Readonly<Record<number, Readonly<Record<number, readonly number[]>>>> = {
  2: { 1: [1, 0], 2: [1, 1], 5: [3, 2], 6: [3, 3], 7: [4, 3] },
  3: { 1: [1, 0, 0], 2: [1, 1, 0], 4: [2, 1, 1], 5: [2, 2, 1], 6: [2, 2, 2], 8: [3, 3, 2] },
  4: { 3: [1, 1, 1, 0], 5: [2, 1, 1, 1], 7: [2, 2, 2, 1], 10: [3, 3, 2, 2] },
};

const programOf = (sections: number): string => {
  const names = Array.from({ length: sections }, (_, i) => `%p${i}`);
  return `sconce-ir 1
program "TRAINING" {
  input %x: USER_INPUT
  ${names.map((name) => `output ${name}: USER_OUTPUT`).join("\n  ")}
}
graph(%x: f32[s0]) {
  %v = aten.tensor_split.sections(%x, ${sections})
  ${names.map((name, i) => `${name} = operator.getitem(%v, ${i})`).join("\n  ")}
  return (${names.join(", ")})
}`;
};

describe.each(["cpu", "wasm"])("on %s", (backend) => {
  test.each(Object.entries(SECTIONS))("%s sections", async (sections, sizes) => {
    const typed = session.transform(session.parseIr(programOf(Number(sections))), "propagate-shapes");
    using executable = await session.compile(typed, backend);
    for (const [size, wanted] of Object.entries(sizes)) {
      const x = Tensor.from(
        Array.from({ length: Number(size) }, (_, i) => i),
        [Number(size)],
        "float32",
      );
      const parts = (await executable.run([x])) as readonly Tensor[];
      expect(parts.map((part) => part.shape[0])).toEqual(wanted);
      expect(parts.flatMap((part) => part.toArray())).toEqual(x.toArray());
    }
  });
});
