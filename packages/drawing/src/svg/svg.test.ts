import { parseIr } from "@sconce/ir/text";
import { expect, test } from "vitest";
import { hierarchyOf } from "../hierarchy/hierarchy.js";
import { sceneOf } from "../scene/lay-out.js";
import { svgText } from "./svg.js";

const program = parseIr(`program "ATEN" {
  parameter "block.linear.weight": f32[3, 2]
  input %p_w: PARAMETER "block.linear.weight"
  input %x: USER_INPUT
  output %c: USER_OUTPUT
}
graph(%p_w: f32[3, 2], %x: f32[4, 2]) {
  %a: f32[4, 3] = aten.linear.default(%x, %p_w) #0
  %b: f32[4, 3] = aten.relu.default(%a) #1
  %body = get_attr body
  %c: f32[4, 3] = higher_order.map_impl(%body, (%b,), ())
  return (%c)

  graph body(%y: f32[3]) {
    %z: f32[3] = aten.sin.default(%y)
    return (%z)
  }
}
metadata {
  #0 {"nnModuleStack":[["L","","Net"],["L_block","block","my.Block"],["L_linear","block.linear","nn.Linear"]]}
  #1 {"nnModuleStack":[["L","","Net"],["L_block","block","my.Block"]]}
}
`);

test("modules and nested graphs are groups; state is in the module that uses it [S-151]", () => {
  const { items, from, to } = hierarchyOf(program);
  const rows = items.map(({ key, kind, title, detail, parent }) => [
    kind,
    title,
    detail,
    items[parent]?.key,
    key,
  ]);
  expect(rows).toEqual([
    ["module", "program", "4 calls", undefined, ""],
    ["input", "x", "f32[4, 2]", "", ":x"],
    ["module", "block", "Block, 2 calls", "", "/L_block"],
    ["module", "linear", "Linear, 1 call", "/L_block", "/L_block/L_linear"],
    ["state", "weight", "f32[3, 2]", "/L_block/L_linear", ":p_w"],
    ["call", "linear", "f32[4, 3]", "/L_block/L_linear", ":a"],
    ["call", "relu", "f32[4, 3]", "/L_block", ":b"],
    ["call", "map_impl", "f32[4, 3]", "", ":c"],
    ["graph", "body", "1 call", ":c", ":c/body"],
    ["input", "y", "f32[3]", ":c/body", ":c/body:y"],
    ["call", "sin", "f32[3]", ":c/body", ":c/body:z"],
    ["output", "output", "1 result", ":c/body", ":c/body:output"],
    ["output", "output", "1 result", "", ":output"],
  ]);
  const links = [...from].map((item, i) => `${items[item]!.key} ${items[to[i]!]!.key}`);
  expect(links.sort()).toEqual([
    ":a :b",
    ":b :c",
    ":c :output",
    ":c/body:y :c/body:z",
    ":c/body:z :c/body:output",
    ":p_w :a",
    ":x :a",
  ]);
  expect(hierarchyOf(program, { modules: false }).items.filter(({ kind }) => kind === "module")).toHaveLength(
    1,
  );
});

test("closed groups hide what is in them, with their values", () => {
  const hierarchy = hierarchyOf(program);
  const shown = (open: ReadonlySet<string> | "all", state = false) => {
    const { boxes, arrows } = sceneOf(hierarchy, { open, state });
    const key = (item: number) => hierarchy.items[item]!.key;
    return {
      boxes: boxes.map(({ item, isOpen }) => `${key(item)}${isOpen ? " open" : ""}`),
      arrows: arrows.map(({ from, to }) => `${key(from)} ${key(to)}`),
    };
  };
  expect(shown(new Set())).toEqual({
    boxes: [":x", "/L_block", ":c", ":output"],
    arrows: [":x /L_block", "/L_block :c", ":c :output"],
  });
  expect(shown(new Set(["/L_block"]), true)).toEqual({
    boxes: [":x", "/L_block open", "/L_block/L_linear", ":b", ":c", ":output"],
    arrows: [":x /L_block/L_linear", "/L_block/L_linear :b", ":b :c", ":c :output"],
  });
  expect(shown("all", true).boxes).toHaveLength(hierarchy.items.length - 1);
});

test("a drawing has the text of each box, and colors of one theme or both", () => {
  const text = svgText(program, { theme: "light", title: "A <program>" });
  expect(text.startsWith('<svg xmlns="http://www.w3.org/2000/svg" class="sconce" role="img"')).toBe(true);
  expect(text).toContain('aria-label="A &#60;program&#62;"');
  expect(text).toContain('<text class="title" ');
  for (const shown of [">linear<", ">relu<", ">f32[4, 3]<", ">block <"]) expect(text).toContain(shown);
  expect(text).not.toContain("weight");
  expect(text).not.toContain("prefers-color-scheme");
  expect(svgText(program, { state: true })).toContain(">weight<");
  expect(svgText(program)).toContain("prefers-color-scheme");
  expect(svgText(program, { depth: 0 })).not.toContain(">relu<");
  expect(svgText(program, { depth: 1 })).toContain(">relu<");
  expect(svgText(program.graph)).toContain(">map_impl ");
});

test("titles of frames lie over arrows, in the order of the frames", () => {
  const text = svgText(program, { theme: "light" });
  const names = [...text.matchAll(/<text class="name"[^>]*>([^<]*)</g)].map(([, name]) => name);
  expect(names).toEqual(["block ", "linear ", "map_impl ", "body "]);
  expect([...text.matchAll(/<g class="frame \w+"><title>([^<]*)</g)].map(([, name]) => name)).toEqual([
    "block Block, 2 calls",
    "linear Linear, 1 call",
    "map_impl f32[4, 3]",
    "body 1 call",
  ]);
  expect(text.indexOf('<text class="name"')).toBeGreaterThan(text.lastIndexOf('<path class="arrow'));
  expect(text).toContain(".sconce .name{stroke:#ffffff}");
});

test("unknown options, and values that they cannot have, are refused", () => {
  for (const wrong of [{ depth: -1 }, { depth: 1.5 }, { theme: "blue" }])
    expect(() => svgText(program, wrong as never)).toThrow(expect.objectContaining({ code: "OPTION_VALUE" }));
  expect(() => svgText(program, { deep: 1 } as never)).toThrow(
    expect.objectContaining({ code: "UNKNOWN_OPTION" }),
  );
});

test("parts of long lists say which boxes of the list they have, and how many calls", () => {
  const lines = Array.from({ length: 2000 }, (_, i) => {
    const stack = `[["L","","Net"],["L${i}","layer${i}","my.Layer"]]`;
    return {
      call: `  %n${i}: f32[2] = aten.sin.default(%${i === 0 ? "x" : `n${i - 1}`}) #${i}`,
      data: `  #${i} {"nnModuleStack":${stack}}`,
    };
  });
  const long = parseIr(`program "ATEN" { input %x: USER_INPUT output %n1999: USER_OUTPUT }
graph(%x: f32[2]) {
${lines.map(({ call }) => call).join("\n")}
  return (%n1999)
}
metadata {
${lines.map(({ data }) => data).join("\n")}
}
`);
  const partsOf = (modules: boolean): string[] =>
    hierarchyOf(long, { modules })
      .items.filter(({ kind }) => kind === "part")
      .map(({ title, detail }) => `${title}: ${detail}`);
  expect(partsOf(false)[0]).toBe("boxes 1 to 200 of 2002: 199 calls in all");
  expect(partsOf(true)[0]).toBe("boxes 1 to 200 of 2002: 199 calls in all");
});
