import { edit, FakeTensor, type Graph, type NodeMeta, recordPass } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { PassManager } from "../manager/pass-manager.js";
import { context, programOf, run } from "../programs.fixture.js";
import { stripMetadata } from "./strip-metadata.js";

const TEXT = `graph(%x: f32[2]) {
  %body = get_attr body
  %a: f32[2] = higher_order.wrap_with_set_grad_enabled(false, %body, %x)
  return (%a)
  graph body(%y: f32[2]) { %r: f32[2] = aten.relu.default(%y) return (%r) }
}`;
const META: NodeMeta = {
  stackTrace: 'File "/home/ada/secret.py", line 3',
  sourceFnStack: [["f", "secret.f"]],
  nnModuleStack: [["k", "secret", "secret.Module"]],
  torchFn: ["f", "f"],
  custom: { note: 1 },
};
const withMeta = (graph: Graph, name: string): Graph =>
  edit(graph, (e) => e.setMeta(name, { ...e.node(name).meta, ...META }));

function tagged() {
  const plain = programOf(TEXT);
  const graph = edit(withMeta(plain.graph, "a"), (e) =>
    e.setSubgraph("body", withMeta(plain.graph.subgraphs.get("body")!, "r")),
  );
  return recordPass("tag", plain, plain.with({ graph }));
}

describe("strip-metadata", () => {
  test("drops stack traces in all graphs and in the history, keeps val", () => {
    const stripped = run(stripMetadata, tagged());
    for (const node of [stripped.graph.node("a"), stripped.graph.subgraphs.get("body")!.node("r")]) {
      expect(Object.keys(node.meta).sort()).toEqual(["custom", "nnModuleStack", "torchFn", "val"]);
      expect(node.meta.val).toBeInstanceOf(FakeTensor);
    }
    expect(stripped.history).toEqual([]);
  });

  test("drops more by option", () => {
    const stripped = run(stripMetadata, tagged(), { "module-stack": true, custom: true });
    expect(Object.keys(stripped.graph.node("a").meta)).toEqual(["val"]);
    expect(JSON.stringify([stripped.graph.nodes(), stripped.history])).not.toContain("secret");
  });

  test("gives the same program back when there is nothing to drop", () => {
    const program = programOf(TEXT);
    expect(run(stripMetadata, program)).toBe(program);
    const once = run(stripMetadata, tagged());
    expect(run(stripMetadata, once)).toBe(once);
  });

  test("a history that still has metadata goes, even when no node has any", () => {
    const shorter = tagged();
    const graph = edit(shorter.graph, (e) => e.setMeta("a", {}));
    const bare = run(stripMetadata, recordPass("bare", shorter, shorter.with({ graph })));
    expect(JSON.stringify(bare.history)).not.toContain("secret");
  });

  test("the verifier knows that it drops on purpose, and only that", () => {
    const manager = new PassManager(context, { verify: true, record: true });
    const stripped = manager.run(tagged(), [stripMetadata]);
    expect(stripped.graph.node("a").meta.stackTrace).toBeUndefined();
    expect(stripped.history).toEqual([]);
    const { drops: _, ...undeclared } = stripMetadata;
    expect(() => manager.run(tagged(), [undeclared])).toThrow(/lost its stackTrace/);
  });
});
