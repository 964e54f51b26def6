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
