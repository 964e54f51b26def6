import { readFileSync } from "node:fs";
import { missingValues } from "@sconce/ir";
import { readSafetensors, type Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { readPt2 } from "./read.js";

const file = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../testing/fixtures/meta-state/${name}`, import.meta.url));
const missing = async (name: string): Promise<Map<string, Tensor>> =>
  new Map(missingValues(await readPt2(file(name))).map(({ name: key, tensor }) => [key, tensor]));

/** Everything that the model holds. */
const ALL = [
  "branch.bias",
  "branch.weight",
  "first.bias",
  "first.weight",
  "norm.bias",
  "norm.num_batches_tracked",
  "norm.running_mean",
  "norm.running_var",
  "norm.weight",
  "offset",
  "scale",
  "second.bias",
  "second.weight",
  "steps",
  "unread",
];

describe.each(["meta.pt2", "meta_flat.pt2", "meta_pickled.pt2", "fake.pt2", "fake_flat.pt2"])(
  "%s",
  (name) => {
    test("has no values: parameters, buffers, those that are not saved, and lifted constants", async () => {
      const found = await missing(name);
      expect([...found.keys()].sort()).toEqual(ALL);
      expect(found.get("steps")).toMatchObject({ dtype: "int64", shape: [] });
      expect(found.get("first.weight")).toMatchObject({ shape: [4, 4], strides: [4, 1], requiresGrad: true });
    });

    test("sample inputs have no values either", async () => {
      const { exampleInputs } = await readPt2(file(name));
      expect(exampleInputs!.leaves).toMatchObject([{ dtype: "float32", shape: [5, 4] }]);
      expect((exampleInputs!.leaves[0] as Tensor).hasValues).toBe(false);
    });
  },
);

test("a part may be missing", async () => {
  expect([...(await missing("part.pt2")).keys()].sort()).toEqual([
    "branch.weight",
    "norm.running_var",
    "offset",
  ]);
  const program = await readPt2(file("part.pt2"));
  const { tensors } = readSafetensors(file("values.safetensors"));
  expect([...program.tensor("first.bias")!]).toEqual([...tensors.get("first.bias")!]);
});

test("strides are those of the module", async () => {
  const weight = (await missing("channels.pt2")).get("conv.weight")!;
  expect([weight.shape, weight.strides]).toEqual([
    [4, 3, 3, 3],
    [27, 1, 9, 3],
  ]);
});

test("tensors of the meta device are not taken for views of one storage", async () => {
  const found = await missing("meta.pt2");
  expect(new Set([...found.values()].map(({ storage }) => storage)).size).toBe(found.size);
});
