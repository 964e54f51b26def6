import type { Graph, MetaValue } from "@sconce/ir";
import { parseGraph } from "@sconce/ir/text";
import { expect, test } from "vitest";
import { whyNotHeldBy } from "./support.js";

test("calls that pick from a list of results look at the list once", () => {
  let reads = 0;
  const names = Array.from({ length: 50 }, (_, i) => `%v${i}`);
  const graph = parseGraph(`graph(%x: f32[50]) {
    %s: (${names.map(() => "f32[1]").join(", ")}) = aten.split.Tensor(%x, 1)
    ${names.map((name, i) => `${name}: f32[1] = operator.getitem(%s, ${i})`).join("\n")}
    return (%v0)
  }`);
  const split = graph.node("s");
  const counted = new Proxy(split.meta.val as readonly MetaValue[], {
    get: (items, key, receiver) => {
      if (typeof key === "string" && /^\d+$/.test(key)) reads++;
      return Reflect.get(items, key, receiver) as unknown;
    },
  });
  const watched = {
    node: (name: string) =>
      name === "s" ? { ...split, meta: { ...split.meta, val: counted } } : graph.node(name),
    users: (name: string) => graph.users(name),
  } as unknown as Graph;
  for (const name of names) {
    const node = graph.node(name.slice(1));
    expect(whyNotHeldBy(node, watched, { whyNotHeld: () => undefined })).toBeUndefined();
  }
  expect(reads).toBeGreaterThan(0);
  expect(reads).toBeLessThanOrEqual(2 * names.length);
});

const device = { whyNotHeld: () => undefined };
test.each([
  ["the same windows", "[1, 2]", "[1, 2], [1, 2], [0, 0], [1, 1], False", true],
  ["one number for both dimensions", "2, 1", "[2, 2], [1, 1], 0, 1, False", true],
  ["other steps", "[1, 2], [1, 1]", "[1, 2], [1, 2], [0, 0], [1, 1], False", false],
  ["other padding", "[1, 2], [1, 2], [0, 1]", "[1, 2], [1, 2], [0, 0], [1, 1], False", false],
  ["padding by keyword", "[1, 2], padding = [0, 1]", "[1, 2], [1, 2], [0, 0], [1, 1], False", false],
  ["another way of rounding", "[1, 2], [1, 2], 0, 1, True", "[1, 2], [1, 2], [0, 0], [1, 1], False", false],
])(
  "gradients of max pools run on the device where the pool found the places: %s",
  (_, pool, own, isTaken) => {
    const graph = parseGraph(`graph(%x: f32[2, 2, 6], %g: f32[2, 2, 3]) {
    %m: (f32[2, 2, 3], i64[2, 2, 3]) = aten.max_pool2d_with_indices.default(%x, ${pool})
    %at: i64[2, 2, 3] = operator.getitem(%m, 1)
    %d: f32[2, 2, 6] = aten.max_pool2d_with_indices_backward.default(%g, %x, ${own}, %at)
    return (%d)
  }`);
    expect(whyNotHeldBy(graph.node("d"), graph, device) === undefined).toBe(isTaken);
  },
);
