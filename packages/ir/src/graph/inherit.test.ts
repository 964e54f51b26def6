import { describe, expect, test } from "vitest";
import { parseGraph } from "../ir-text/parse-program.js";
import { ref, tuple } from "../values/argument.js";
import type { NodeMeta } from "../values/meta.js";
import { edit, rebuild } from "./edit.js";
import type { NewNode } from "./editor.js";
import { editingAs } from "./inherit.js";
import { NO_KWARGS, NO_META, type Node } from "./node.js";

const SOURCE: NodeMeta = {
  stackTrace: 'File "model.py", line 3, in forward\n    return x + 1',
  nnModuleStack: [],
  sourceFnStack: [["add", "add"]],
  torchFn: ["add_1", "add"],
  custom: { tag: 1 },
  unbackedBindings: { u0: "()" },
  origin: { pass: "earlier", from: ["y"] },
};
const graph = edit(
  parseGraph(`graph(%x) {
  %a = aten.neg.default(%x)
  %b = aten.add.Tensor(%a, %a)
  return (%b)
}`),
  (e) => e.setMeta("a", SOURCE),
);
const { unbackedBindings: _, ...INHERITED } = SOURCE;
const call = (target: string, ...inputs: string[]): NewNode => ({
  op: "call_function",
  target,
  args: inputs.map(ref),
});
const inherited = (from: readonly string[], pass = "edit"): NodeMeta => ({
  ...INHERITED,
  origin: { pass, from },
});

describe("replaceAllUses", () => {
  test("gives an inserted node the metadata of the replaced one, but for what describes its own value", () => {
    const next = edit(graph, (e) => {
      e.replaceAllUses("a", e.insertBefore("a", call("aten.abs.default", "x")));
      e.remove("a");
    });
    expect(next.node("abs_default").meta).toEqual(inherited(["a"]));
  });

  test("completes a chain of inserted nodes, of which only the last replaces", () => {
    const next = editingAs("mine", () =>
      edit(graph, (e) => {
        const one = e.insertBefore("a", call("aten.abs.default", "x"));
        const two = e.insertBefore("a", call("aten.exp.default", one.name));
        const three = e.insertBefore("a", call("aten.add.Tensor", two.name, one.name));
        e.replaceAllUses("a", three);
        e.remove("a");
      }),
    );
    for (const name of ["abs_default", "exp_default", "add_tensor"])
      expect(next.node(name).meta).toEqual(inherited(["a"], "mine"));
  });

  test("leaves what a node says of itself, and its own origin", () => {
    const meta: NodeMeta = { stackTrace: "own", origin: { pass: "p", rule: "r", from: ["x"] } };
    const next = edit(graph, (e) => {
      e.replaceAllUses("a", e.insertBefore("a", { ...call("aten.abs.default", "x"), meta }));
      e.remove("a");
    });
    expect(next.node("abs_default").meta).toEqual({ ...INHERITED, ...meta });
  });

  test("a copy of the old node's metadata names the old node, not where that one came from", () => {
    const next = edit(graph, (e) => {
      e.replaceAllUses("a", e.insertBefore("a", { ...call("aten.abs.default", "x"), meta: SOURCE }));
      e.remove("a");
    });
    expect(next.node("abs_default").meta.origin).toEqual({ pass: "edit", from: ["a"] });
  });

  test("wrappers, replacements of replacements, one node for several, and items of lists", () => {
    const next = edit(graph, (e) => {
      const inner = e.insertAfter("a", call("aten.abs.default", "a"));
      const outer = e.insertAfter(inner.name, call("aten.exp.default", inner.name));
      e.replaceAllUses("a", outer, [inner.name]);
      const sum = e.insertAfter("b", call("aten.mul.Tensor", "a", "a"));
      e.replaceAllUses("b", sum);
      const other = e.insertAfter(sum.name, call("aten.sub.Tensor", "a", "a"));
      e.replaceAllUses(sum.name, other);
    });
    expect(next.node("abs_default").meta).toEqual(inherited(["a"]));
    expect(next.node("exp_default").meta).toEqual(inherited(["a"]));
    expect(next.node("sub_tensor").meta).toEqual({ origin: { pass: "edit", from: ["b"] } });
    const merged = edit(graph, (e) => {
      const both = e.insertBefore("a", call("aten.abs.default", "x"));
      e.replaceAllUses("a", tuple([both]));
      e.replaceAllUses("b", both);
    });
    expect(merged.node("abs_default").meta).toEqual(inherited(["a", "b"]));
  });

  test("what replaces nothing, and nodes of the version before, keep what they have", () => {
    const next = edit(graph, (e) => {
      e.insertBefore("a", call("aten.abs.default", "x"));
      e.replaceAllUses("b", ref("a"));
    });
    expect([next.node("abs_default").meta, next.node("a").meta]).toEqual([NO_META, SOURCE]);
  });
});

test("rebuild completes what takes the place of a node, and what comes beside one", () => {
  const node = (name: string): Node => ({ ...graph.node("a"), name, meta: NO_META });
  const renamed = (name: string, b: Node): Node => ({ ...b, args: [ref(name), ref(name)] });
  const replaced = rebuild(graph, (old) =>
    old.name === "a" ? [node("p"), node("q")] : old.name === "b" ? renamed("q", old) : true,
  );
  expect([replaced.node("p").meta, replaced.node("q").meta]).toEqual([inherited(["a"]), inherited(["a"])]);
  const beside = rebuild(graph, (old) => (old.name === "a" ? [old, node("p")] : true));
  expect(beside.node("a").meta).toBe(SOURCE);
  const { origin: _origin, ...rest } = INHERITED;
  expect(beside.node("p").meta).toEqual(rest);
});

test("inserted nodes without a name get the one that torch.fx gives, and kwargs and metadata may be left out", () => {
  const targets = [
    "aten.add.Tensor",
    "aten.add.Tensor",
    "aten.add_.Tensor",
    "aten.__and__.Tensor",
    "aten._softmax.default",
    "aten.max.dim",
    "operator.getitem",
    "higher_order.cond",
    "torch.sym_max",
  ];
  const names: string[] = [];
  const next = edit(graph, (e) => {
    for (const target of targets) names.push(e.insertAfter("a", call(target, "a")).name);
    names.push(e.insertBefore("a", { op: "get_attr", target: "true_graph_0", args: [] }).name);
  });
  expect(names).toEqual([
    "add_tensor",
    "add_tensor_1",
    "add__tensor",
    "__and___tensor",
    "_softmax_default",
    "max_dim",
    "getitem",
    "cond",
    "sym_max",
    "true_graph_0",
  ]);
  expect(next.node("cond")).toMatchObject({ kwargs: NO_KWARGS, meta: NO_META });
});
