import type { Graph } from "@sconce/ir";
import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { describe, expect, test } from "vitest";
import type { KernelSet } from "./kernel-set.js";
import { kernelsOnDemand } from "./on-demand.js";

const operators = defaultOperators();
const graphOf = (call: string): Graph =>
  parseGraph(`graph(%x: f32[2, 2]) { %y: f32[2, 2] = ${call} return (%y) }`, { operators });

/** A set with `neg` at once, and `mm` and `exp` in separate parts. */
function setOf(loaded: string[]): KernelSet {
  const part = (name: string) => ({
    targets: [`aten.${name}.default`],
    load: async () => {
      loaded.push(name);
      return { [`aten.${name}.default`]: () => name };
    },
  });
  return kernelsOnDemand({ "aten.neg.default": () => "neg" }, [part("mm"), part("exp")]);
}

describe("a graph loads the parts", () => {
  test.each([
    ["of its kernels", "aten.mm.default(%x, %x)", ["mm"]],
    ["of the functional overloads of calls that write", "aten.exp_.default(%x)", ["exp"]],
    ["that a decomposition may call, which are all", "aten.linear.default(%x, %x)", ["mm", "exp"]],
    ["of no kernel that is there", "aten.neg.default(%x)", []],
    ["of no view", "aten.permute.default(%x, [1, 0])", []],
  ])("%s", async (_, call, parts) => {
    const loaded: string[] = [];
    const set = setOf(loaded);
    const graph = graphOf(call);
    expect(set.has(graph, operators)).toBe(parts.length === 0);
    await set.load(graph, operators);
    expect(loaded).toEqual(parts);
    expect(set.has(graph, operators)).toBe(true);
    await set.load(graph, operators);
    expect(loaded).toEqual(parts);
  });

  test("of nested graphs", async () => {
    const loaded: string[] = [];
    const nested = parseGraph(
      `graph(%p: b8[], %x: f32[2, 2]) {
  %t = get_attr t
  %cond: (f32[2, 2]) = higher_order.cond(%p, %t, %t, (%x,))
  return (%cond)

  graph t(%x: f32[2, 2]) {
    %exp: f32[2, 2] = aten.exp.default(%x)
    return (%exp)
  }
}`,
      { operators },
    );
    await setOf(loaded).load(nested, operators);
    expect(loaded).toEqual(["exp"]);
  });
});

test("a kernel that is not loaded says so, and computes when it is", async () => {
  const set = setOf([]);
  const call = (): unknown => set.table["aten.mm.default"]!({}, undefined!);
  expect(call).toThrow(expect.objectContaining({ code: "PART_NOT_LOADED", where: "aten.mm.default" }));
  await set.load(graphOf("aten.mm.default(%x, %x)"), operators);
  expect(call()).toBe("mm");
});

test("a part that cannot be loaded is reported, and loaded at the next try", async () => {
  const cause = new TypeError("Failed to fetch dynamically imported module");
  let tries = 0;
  const set = kernelsOnDemand({}, [
    {
      targets: ["aten.mm.default"],
      load: async () => {
        if (tries++ === 0) throw cause;
        return { "aten.mm.default": () => "mm" };
      },
    },
  ]);
  await expect(set.load("any", operators)).rejects.toMatchObject({ code: "PART_NOT_LOADED", cause });
  await set.load("any", operators);
  expect(set.has("any", operators)).toBe(true);
});
