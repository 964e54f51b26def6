import { checkSource } from "@sconce/capture";
import { FakeTensor } from "@sconce/ir";
import { symbolByName } from "@sconce/symbolic";
import { sym, TracedTensor } from "@sconce/torch";
import { expect, test } from "vitest";
import type { AnyFunction } from "../source/parse-function.js";

const fake = (shape: FakeTensor["shape"]): FakeTensor =>
  new FakeTensor({ dtype: "float32", shape, strides: shape.map(() => 1) });
const t = new TracedTensor(fake([2, 3]));
/** A tensor whose number of rows is dynamic. */
const d = new TracedTensor(fake([symbolByName("s0"), 3]));

/** The places of the errors that the check finds in a function of a text. */
function errorsOf(source: string, arg: unknown): string[] {
  const fn = new Function(`return (${source})`)() as AnyFunction;
  const { errors } = checkSource(fn, { args: [arg], reachable: { sym } });
  return errors.map((one) => `${one.construct} ${one.code}`);
}

const named = { mul_1: t, add_1: t };
test.each<string>([
  '(all) => { let out; for (const [name, v] of Object.entries(all)) if (name.startsWith("mul")) out = v; return out; }',
  '(all) => Object.entries(all).filter(([name]) => name.includes("mul") && name !== "x").map(([, v]) => v.relu())',
  '(all) => Object.entries(all).find(([name]) => name === "mul_1")[1].relu()',
  '(all) => Object.fromEntries(Object.entries(all).map(([name, v]) => [name.startsWith("mul") ? "m" : name, v]))',
  '(all) => { for (const name in all) if (name.endsWith("1")) return all[name]; }',
  '(all) => Object.keys(all).filter((name) => name.startsWith("mul")).map((name) => all[name])',
  '(all) => { const map = new Map(Object.entries(all)); for (const [name, v] of map) if (name === "mul_1") return v; }',
  "(all) => { const map = new Map(); for (const [name, v] of Object.entries(all)) map.set(name, v); for (const name of map.keys()) if (name) return map.get(name); }",
  '(all) => { const out = []; new Map(Object.entries(all)).forEach((v, name) => { if (name === "mul_1") out.push(v); }); return out; }',
  "(all) => Object.entries(all).sort(([a], [b]) => (a < b ? -1 : 1)).map(([, v]) => v)",
  "(all) => [...Object.entries(all).entries()].map(([i, [name, v]]) => (i > 0 && name.length > 3 ? v : v.relu()))",
  "({ ...all }) => { for (const [i, v] of Object.values(all).entries()) if (i > 0) return v; }",
])("names beside tensors: %s", (source) => {
  expect(errorsOf(source, named)).toEqual([]);
});

test.each<[string, string[]]>([
  ["(all) => { for (const [name, v] of Object.entries(all)) if (v) return v; }", ["if v"]],
  [
    "(all) => Object.entries(all).filter(([, v]) => v.sum())",
    ["filter Object.entries(all).filter(([, v]) => v.sum())"],
  ],
  [
    "(all) => { const map = new Map(Object.entries(all)); for (const [name, v] of map) if (v) return v; }",
    ["if v"],
  ],
  [
    '(all) => { const map = new Map(); map.set("a", all.mul_1); for (const v of map.values()) if (v) return v; }',
    ["if v"],
  ],
  [
    '(all) => { const map = new Map(); map.set("a", all.mul_1); if (map.get("a")) return map; }',
    ['if map.get("a")'],
  ],
  [
    "(all) => { if (Object.fromEntries(Object.entries(all)).mul_1) return all; }",
    ["if Object.fromEntries(Object.entries(all)).mul_1"],
  ],
])("tensors beside names: %s", (source, errors) => {
  expect(errorsOf(source, named)).toEqual(errors);
});

test.each<string>([
  "(x) => { const n = x.size(0); return sym.isStatic(n) ? x.mul(n + 1) : x.mul(sym.add(n, 1)); }",
  "(x) => { const n = x.size(0); if (!sym.isStatic(n)) return x; for (let i = 0; i < n; i++) x = x.relu(); return x; }",
  '(x) => { const n = x.size(0); if (typeof n === "number" && n > 2) return x.relu(); return x; }',
  '(x) => { const n = x.size(0); if (typeof n !== "number" || n === 2) return x.relu(); return x; }',
  "(x) => { const [n, m] = x.size(); return sym.isStatic(n) && sym.isStatic(m) ? x.mul(n * m) : x; }",
  "(x) => { const m = x.size(1); return m > 1 ? x.relu() : x; }",
  "(x) => { const m = x.shape[1]; return m > 1 && x.shape.length === 2 ? x.relu() : x; }",
  "(x) => x.size().filter((n) => sym.isStatic(n)).length > 1 ? x : x.relu()",
])("sizes that are known to be static: %s", (source) => {
  expect(errorsOf(source, d)).toEqual([]);
});

test.each<[string, string[]]>([
  ["(x) => { const n = x.size(0); return sym.isStatic(n) ? x : x.mul(n + 1); }", ["+ n"]],
  [
    "(x) => { const n = x.size(0); if (sym.isStatic(n)) x = x.relu(); return n > 1 ? x : x.relu(); }",
    ["> n"],
  ],
  ['(x) => { const n = x.size(0); if (typeof n === "number" || n > 2) return x; return x.relu(); }', ["> n"]],
])("sizes that may be dynamic: %s", (source, errors) => {
  expect(errorsOf(source, d)).toEqual(errors);
});
