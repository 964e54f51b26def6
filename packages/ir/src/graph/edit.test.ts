import { isSconceError } from "@sconce/errors";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sampledCount } from "../../../../.config/sampled.js";
import { parseGraph } from "../ir-text/parse-program.js";
import { printIr } from "../ir-text/print-program.js";
import { ref, tuple } from "../values/argument.js";
import { GraphBuilder } from "./builder.js";
import { applyGraphPatches, diffGraphs, edit, editWithPatches, rebuild } from "./edit.js";
import type { GraphEditor } from "./editor.js";
import { Graph } from "./graph.js";
import { inputsOf, NO_KWARGS, NO_META, type Node } from "./node.js";

const call = (name: string, ...inputs: string[]): Node => ({
  name,
  op: "call_function",
  target: "aten.add.Tensor",
  args: inputs.map(ref),
  kwargs: NO_KWARGS,
  meta: NO_META,
});

const SMALL = `graph(%x) {
  %a = aten.neg.default(%x)
  %b = aten.add.Tensor(%a, %a)
  %c = aten.mul.Tensor(%b, other=%a)
  return (%c)
}
`;
const small = (): Graph => parseGraph(SMALL);

function chain(length: number): Graph {
  const b = new GraphBuilder();
  let last = b.placeholder("x");
  for (let i = 0; i < length; i++) last = b.call(`n_${i}`, "aten.neg.default", [last]);
  b.output(tuple([last]));
  return b.build();
}

const code = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (isSconceError(error)) return error.code;
    throw error;
  }
  return "";
};

describe("edit", () => {
  test("gives the same object when nothing changes", () => {
    const graph = small();
    expect(edit(graph, () => {})).toBe(graph);
    expect(edit(graph, (e) => e.replaceNode("a", { target: "aten.neg.default" }))).toBe(graph);
    expect(rebuild(graph, () => true)).toBe(graph);
    expect(rebuild(graph, (node) => node)).toBe(graph);
  });

  test("replaces, inserts, removes and redirects in one go, and the version before stays", () => {
    const graph = small();
    const next = edit(graph, (e) => {
      const one = e.insertBefore("b", { ...call("one", "x"), target: "aten.abs.default" });
      const two = e.insertAfter("one", call("two", one.name));
      e.insertBefore("one", call("zero", "x"));
      e.replaceAllUses("a", two);
      e.remove("a");
      e.replaceNode("c", { target: "aten.div.Tensor" });
      e.setOutput(tuple([ref("c"), ref("zero")]));
    });
    expect(printIr(next)).toBe(`graph(%x) {
  %zero = aten.add.Tensor(%x)
  %one = aten.abs.default(%x)
  %two = aten.add.Tensor(%one)
  %b = aten.add.Tensor(%two, %two)
  %c = aten.div.Tensor(%b, other=%two)
  return (%c, %zero)
}
`);
    expect(printIr(graph)).toBe(SMALL);
    expect(next.users("two").map((node) => node.name)).toEqual(["b", "c"]);
    expect(next.has("a")).toBe(false);
  });

  test("several insertions keep the order of the calls", () => {
    const next = edit(small(), (e) => {
      for (const name of ["p", "q"]) e.insertAfter("a", call(name, "a"));
      for (const name of ["r", "s"]) e.insertBefore("a", call(name, "x"));
    });
    expect([...next.nodes()].map((node) => node.name)).toEqual([
      "x",
      "r",
      "s",
      "a",
      "p",
      "q",
      "b",
      "c",
      "output",
    ]);
  });

  test("wrapping a value leaves the wrapper's own use alone", () => {
    const next = edit(small(), (e) => {
      const inner = e.insertAfter("a", call("inner", "a"));
      const outer = e.insertAfter("inner", call("outer", inner.name, "a"));
      e.replaceAllUses("a", outer, ["inner"]);
    });
    expect(inputsOf(next.node("outer"))).toEqual(["inner", "a"]);
    expect(inputsOf(next.node("inner"))).toEqual(["a"]);
    expect(inputsOf(next.node("b"))).toEqual(["outer"]);
  });

  test("chains of replacements are followed to their end, however long", () => {
    const length = 20_000;
    const next = edit(chain(length), (e) => {
      for (let i = length - 1; i >= 0; i--) {
        e.replaceAllUses(`n_${i}`, ref(i === 0 ? "x" : `n_${i - 1}`));
        e.remove(`n_${i}`);
      }
    });
    expect(printIr(next)).toBe("graph(%x) {\n  return (%x)\n}\n");
  });

  test("long chains of insertions", () => {
    const next = edit(small(), (e) => {
      let last = "a";
      for (let i = 0; i < 20_000; i++) last = e.insertAfter(last, call(e.freshName("k"), last)).name;
    });
    expect(next.size).toBe(20_005);
    expect(next.nodeAt(20_001).name).toBe("k_19999");
    expect(next.indexOf("b")).toBe(20_002);
  });

  test("refuses what would leave the graph broken", () => {
    const graph = small();
    expect(code(() => edit(graph, (e) => e.remove("a")))).toBe("NODE_STILL_USED");
    expect(code(() => edit(chain(1000), (e) => e.remove("n_10")))).toBe("NODE_STILL_USED");
    expect(code(() => rebuild(graph, (node) => node.name !== "b"))).toBe("NODE_STILL_USED");
    expect(code(() => edit(graph, (e) => e.remove("nope")))).toBe("NODE_NOT_FOUND");
    expect(code(() => edit(graph, (e) => e.insertAfter("nope", call("k", "x"))))).toBe("NODE_NOT_FOUND");
    expect(code(() => edit(graph, (e) => e.insertAfter("a", call("b", "x"))))).toBe("DUPLICATE_NAME");
    expect(
      code(() =>
        edit(graph, (e) => {
          e.replaceAllUses("a", ref("b"));
          e.replaceAllUses("b", ref("a"));
        }),
      ),
    ).toBe("CYCLIC_REPLACEMENT");
    let kept: Parameters<Parameters<typeof edit>[1]>[0] | undefined;
    edit(graph, (e) => (kept = e));
    expect(code(() => kept!.remove("a"))).toBe("EDIT_FINISHED");
  });

  test("nested graphs", () => {
    const graph = small();
    const nested = edit(graph, (e) => e.setSubgraph("body", small()));
    expect(nested.subgraphs.get("body")!.size).toBe(5);
    expect(edit(nested, (e) => e.setSubgraph("body", nested.subgraphs.get("body")))).toBe(nested);
    expect(edit(nested, (e) => e.setSubgraph("body", undefined)).subgraphs.size).toBe(0);
    expect(code(() => edit(graph, (e) => e.setSubgraph("body", undefined)))).toBe("NO_SUBGRAPH");
  });

  test("patches undo and redo an edit, and distinguish two versions", () => {
    const graph = chain(2000);
    const {
      graph: next,
      patches,
      inverse,
    } = editWithPatches(graph, (e) => {
      e.replaceAllUses("n_700", ref("x"));
      e.remove("n_700");
      e.insertAfter("n_100", call("extra", "x"));
    });
    expect(printIr(applyGraphPatches(next, inverse))).toBe(printIr(graph));
    expect(printIr(applyGraphPatches(graph, patches))).toBe(printIr(next));
    expect(printIr(applyGraphPatches(graph, diffGraphs(graph, next).patches))).toBe(printIr(next));
    expect(diffGraphs(graph, graph).patches).toEqual([]);
  });
});

test("an edit names the part that a caller without types has wrong", () => {
  const graph = small();
  const message = (change: (e: GraphEditor) => void): string => {
    try {
      edit(graph, change);
    } catch (error) {
      if (isSconceError(error)) return `${error.code}: ${error.message}`;
      throw error;
    }
    return "";
  };
  const wrong = (value: unknown): never => value as never;
  expect(message((e) => e.replaceNode("a", wrong({ traget: "aten.sin.default" })))).toBe(
    'INVALID_ARGUMENT: replaceNode: a node has no part "traget"',
  );
  expect(message((e) => e.replaceNode("a", wrong(undefined)))).toBe(
    "INVALID_ARGUMENT: replaceNode takes an object with parts of a node, got undefined",
  );
  expect(message((e) => void e.insertAfter("a", wrong(null)))).toBe(
    "INVALID_ARGUMENT: an insertion takes an object with parts of a node, got null",
  );
  expect(message((e) => e.remove(wrong(graph.node("c"))))).toBe(
    "NODE_NOT_FOUND: a node is found by its name, got a value of type object",
  );
});

test("frozen all the way", () => {
  const next = edit(small(), (e) => e.insertAfter("a", call("k", "a")));
  expect(Object.isFrozen(next.nodes())).toBe(true);
  for (const node of next.nodes()) expect(Object.isFrozen(node)).toBe(true);
});

test("any sequence of edits gives what a plain list gives, and indexes stay right", () => {
  const step = fc.record({
    kind: fc.constantFrom("insert", "remove", "retarget", "rebuild"),
    at: fc.nat(),
    many: fc.integer({ min: 1, max: 700 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 12 }), (steps) => {
      let graph = chain(600);
      let model = [...graph.nodes()];
      let fresh = 0;
      for (const { kind, at, many } of steps) {
        const inner = model.filter((node) => node.op === "call_function");
        const victim = inner[at % Math.max(inner.length, 1)];
        if (victim === undefined) break;
        const where = model.indexOf(victim);
        const input = victim.args[0]!;
        if (kind === "insert") {
          const added = Array.from({ length: many }, () => ({ ...call(`k_${fresh++}`), args: [input] }));
          graph = edit(graph, (e) => {
            for (const node of added) e.insertBefore(victim.name, node);
          });
          model.splice(where, 0, ...added);
        } else if (kind === "retarget") {
          graph = edit(graph, (e) => e.replaceNode(victim.name, { target: `aten.t${many}.default` }));
          model[where] = { ...victim, target: `aten.t${many}.default` };
        } else if (kind === "remove") {
          graph = edit(graph, (e) => {
            e.replaceAllUses(victim.name, input);
            e.remove(victim.name);
          });
          model = redirect(
            model.filter((node) => node !== victim),
            victim.name,
            input,
          );
        } else {
          const used = new Set(model.flatMap(inputsOf));
          const keep = (node: Node): boolean => node.op !== "call_function" || used.has(node.name);
          graph = rebuild(graph, keep);
          model = model.filter(keep);
        }
      }
      expect([...graph.nodes()]).toEqual(model);
      model.forEach((node, i) => {
        expect(graph.indexOf(node.name)).toBe(i);
        expect(graph.nodeAt(i)).toBe(graph.node(node.name));
      });
      for (let i = 0; i < model.length; i += 97) {
        const { name } = model[i]!;
        expect(graph.users(name).map((node) => node.name)).toEqual(
          model.filter((node) => inputsOf(node).includes(name)).map((node) => node.name),
        );
      }
    }),
    { numRuns: sampledCount(40, 4) },
  );
});

function redirect(nodes: Node[], from: string, to: Node["args"][number]): Node[] {
  return nodes.map((node) => {
    if (!inputsOf(node).includes(from)) return node;
    const swap = (arg: Node["args"][number]): Node["args"][number] => {
      if (typeof arg !== "object" || arg === null || !("kind" in arg)) return arg;
      if (arg.kind === "node") return arg.name === from ? to : arg;
      return arg.kind === "tuple" ? tuple(arg.items.map(swap)) : arg;
    };
    return { ...node, args: node.args.map(swap) };
  });
}

test("an edit that leaves a graph sparse packs it anew and keeps its nested graphs", () => {
  const nodes = Array.from({ length: 8000 }, (_, i) => ({
    name: `n${i}`,
    op: i === 7999 ? ("output" as const) : ("call_function" as const),
    target: "aten.f.default",
    args: [],
    kwargs: {},
    meta: {},
  }));
  const nested = new Graph([]);
  const graph = new Graph(nodes, new Map([["body", nested]]));
  const sparse = edit(graph, (e) => {
    for (let i = 0; i < 7999; i++) if (i % 256 !== 0) e.remove(`n${i}`);
  });
  expect(sparse.size).toBe(33);
  expect(sparse.subgraphs.get("body")).toBe(nested);
});
