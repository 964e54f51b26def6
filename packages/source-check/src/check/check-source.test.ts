import { type CheckRequest, checkSource } from "@sconce/capture";
import { FakeTensor } from "@sconce/ir";
import { symbolByName } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { guard, Module, nn, SymInt, sym, TracedTensor, torch } from "@sconce/torch";
import { describe, expect, test } from "vitest";
import type { AnyFunction } from "../source/parse-function.js";

const s0 = symbolByName("s0");
const fake = (shape: readonly (number | typeof s0)[]): FakeTensor =>
  new FakeTensor({ dtype: "float32", shape, strides: shape.map(() => 1) });

/** A tensor of two rows and three columns, while it is traced. */
const t = new TracedTensor(fake([2, 3]));
/** A tensor whose number of rows is dynamic. */
const d = new TracedTensor(fake([s0, 3]));
/** A dynamic size. */
const n = new SymInt(s0);

/** A function of a text: types and formatters would change what the tests are about. */
const code = (source: string): AnyFunction => new Function(`return (${source})`)() as AnyFunction;

const found = (source: string | AnyFunction, request: CheckRequest): [string[], string[]] => {
  const { errors, unchecked } = checkSource(typeof source === "string" ? code(source) : source, request);
  const places = (all: typeof unchecked): string[] => all.map((one) => `${one.construct} ${one.code}`);
  return [places(errors), places(unchecked)];
};

describe("wrong uses of tensors", () => {
  test.each<[string, string]>([
    ["(x) => { if (x) return x; }", "if x"],
    ["(x) => !x", "! x"],
    ["(x) => x && x.relu()", "&& x"],
    ["(x) => x || null", "|| x"],
    ["(x) => (x ? 1 : 2)", "?: x"],
    ["(x) => { while (x) { break; } }", "while x"],
    ["(x) => { do { x = x.relu(); } while (x); }", "while x"],
    ["(x) => { for (; x; ) break; }", "for x"],
    ["(x) => x.gt(0) === true", "=== x.gt(0) === true"],
    ["(x) => { if (x.sum().gt(0)) return x; }", "if x.sum().gt(0)"],
    ["(x) => x == x.relu()", "== x == x.relu()"],
    ["(x) => x !== 3", "!== x !== 3"],
    ["(x) => { switch (x) { case 1: return 2; } }", "switch 1"],
    ["(x) => Boolean(x)", "Boolean Boolean(x)"],
    ["(x) => !!x", "! x"],
    ["(x) => [x].includes(x)", "includes [x].includes(x)"],
    ["(x) => [1, 2].indexOf(x)", "indexOf [1, 2].indexOf(x)"],
    ["(x) => [x, x].filter((y) => y.gt(0))", "filter [x, x].filter((y) => y.gt(0))"],
    ["(x) => [x].some((y) => y)", "some [x].some((y) => y)"],
    ["(x) => Object.is(x, 1)", "Object.is Object.is(x, 1)"],
    ["(x) => x + 1", "+ x"],
    ["(x) => -x", "- x"],
    ["(x) => x < 1", "< x"],
    ["(x) => { x += 1; }", "+= x"],
    ["(x) => { x &&= 1; }", "&&= x"],
    ["(x) => Math.sqrt(x)", "sqrt Math.sqrt(x)"],
  ])("%s", (source, place) => {
    expect(found(source, { args: [t] })).toEqual([[place], []]);
  });
});

describe("wrong uses of dynamic sizes", () => {
  test.each<[string, string]>([
    ["(x) => x.size(0) === 2", "=== x.size(0) === 2"],
    ["(x) => x.size()[0] == 2", "== x.size()[0] == 2"],
    ["(x) => { const [b] = x.size(); if (b) return b; }", "if b"],
    ["(x) => { const b = x.size(-2); return b > 1; }", "> b"],
    [`(x) => { const b = x.size(0); return \`\${b}\`; }`, "template literal b"],
    ["(x) => [1, 2].includes(x.size(0))", "includes [1, 2].includes(x.size(0))"],
    ["(x) => { if (sym.eq(x.size(0), 2)) return 1; }", "if sym.eq(x.size(0), 2)"],
    ["(x) => sym.eq(x.size(0), 2) && 1", "&& sym.eq(x.size(0), 2)"],
    ["(x) => sym.add(x.size(0), 1) !== 3", "!== sym.add(x.size(0), 1) !== 3"],
    ["(x) => { switch (x.size(0)) { case 2: return 1; } }", "switch 2"],
    ["(x) => new Map([[2, 1]]).get(x.size(0))", "Map.get new Map([[2, 1]]).get(x.size(0))"],
    ["(x) => Number.isInteger(x.size(0))", "Number.isInteger Number.isInteger(x.size(0))"],
    ["(x) => x.item() === 1", "=== x.item() === 1"],
    ["(x) => new Array(x.size(0)).fill(0)", "Array x.size(0)"],
    ["(x) => Array(x.size(0)).length", "Array x.size(0)"],
  ])("%s", (source, place) => {
    const [errors, unchecked] = found(source, { args: [d] });
    expect(errors).toEqual([place]);
    expect(unchecked.filter((one) => !one.startsWith("call"))).toEqual([]);
  });

  test("a dynamic size as an argument", () => {
    expect(found("(n) => n === 4", { args: [n] })).toEqual([["=== n === 4"], []]);
    expect(found("({ n }) => +n", { args: [{ n }] })).toEqual([["+ n"], []]);
  });
});

describe("what is right is not reported", () => {
  test.each<string>([
    "(x) => x.size(0) === 2",
    "(x) => x.shape[1] === 3 ? x.relu() : x",
    "(x) => { const [b, c] = x.shape; if (b < c && b !== 0) return x; }",
    "(x) => { if (x === undefined || x === null) return 1; }",
    "(x, y) => (y === undefined ? x : x.add(y))",
    "(x, y) => y?.relu() ?? x",
    "(x, y) => { if (y) return y.relu(); return x; }",
    "(x) => { if (typeof x === 'object' && x instanceof Object) return x; }",
    "(x) => { for (let i = 0; i < 3; i++) x = x.relu(); return x; }",
    "(x) => { let i = 0; while (i < 3) { x = x.relu(); i += 1; } return x; }",
    "(x) => { const parts = x.split(1); return parts.length > 1 ? parts[0] : x; }",
    "(x) => { const outs = []; for (const part of x.unbind()) outs.push(part.relu()); return outs.length ? outs : null; }",
    "(x) => { if (x.dtype === 'float32' && x.ndim === 2 && x.dim() > 1 && !x.requiresGrad) return x; }",
    "(x) => { if (guard(sym.eq(x.size(0), 2))) return x; }",
    "(x) => [1, 2, 3].filter((k) => k > 1).map((k) => x.mul(k))",
    "(x) => x.mul([3, 1].sort((a, b) => a - b)[0])",
    "(x) => x.mul([3, 1].toSorted((a, b) => a - b)[0])",
    "(x) => { const f = (y) => y.relu(); return f(x) }",
    `(x) => { /* if (x) */ const text = 'if (x)'; return \`\${text} \${x}\`; }`,
    "(x) => { const config = { flag: true, depth: 2 }; if (config.flag && config.depth > 1) return x; }",
    "(x) => { label: for (const a of [1, 2]) { if (a === 2) continue label; else break label; } return x; }",
    "(x) => { try { return x.relu(); } catch (error) { return x; } finally { x = null; } }",
    "(x) => { const { relu = 1 } = { relu: undefined }; return relu ? x : x.relu(); }",
    "(x) => { switch (x.dtype) { case 'float32': return x; default: return x.relu(); } }",
    "(...all) => ((x, flag) => (flag ? x.relu() : x))(...all, true)",
    "(x) => { const [a, b, flag] = [...[x, x], true]; return flag ? a : b; }",
  ])("%s", (source) => {
    expect(found(source, { args: [t] })).toEqual([[], []]);
  });

  test("branches that are not taken are not checked", () => {
    expect(
      found("(x, y) => { if (y !== undefined) { if (y.sum()) return y; } return x; }", { args: [t] }),
    ).toEqual([[], []]);
    expect(found("(x) => { return x; if (x) return 1; }", { args: [t] })).toEqual([[], []]);
  });
});

describe("aliases and flow", () => {
  test.each<[string, string[]]>([
    ["(x) => { const y = x; const z = y; if (z) return 1; }", ["if z"]],
    ["(x) => { let y; if (x.ndim === 2) y = x.relu(); if (y) return 1; }", ["if y"]],
    ["(x) => { let y = 1; for (const i of [1, 2]) { if (y === 1) x = x.relu(); y = x; } }", ["=== y === 1"]],
    ["([x]) => { if (x) return 1; }", ["if x"]],
    ["({ a: { b: x } }) => { if (x) return 1; }", ["if x"]],
    ["({ a: { b: x }, ...rest }) => { if (rest.c) return 1; }", ["if rest.c"]],
    ["(...all) => { if (all[1]) return 1; }", []],
    ["(...all) => { if (all[0]) return 1; }", ["if all[0]"]],
    ["(x, y = x) => { if (y) return 1; }", ["if y"]],
    ["(x) => { function inner(a) { if (a) return 1; return 2; } return inner(x); }", ["if a"]],
    ["(x) => { const inner = (a) => (b) => (a ? b : 1); return inner(x)(2); }", ["?: a"]],
    ["(x) => { const record = { x }; record.y = x; if (record.y) return 1; }", ["if record.y"]],
    ["(x) => { const list = []; list.push(x); if (list[0]) return 1; }", ["if list[0]"]],
    ["(x) => { const list = [...[x]]; for (const item of list) if (item) return 1; }", ["if item"]],
    ["(x) => { const { length, ...rest } = [x]; if (rest[0]) return 1; }", ["if rest[0]"]],
    ["(x) => { const [value, index] = x.max(1); if (index) return value; }", ["if index"]],
    ["(x) => { const [a] = [x].map((y) => y.relu()); if (a) return 1; }", ["if a"]],
    ["(x) => [x, x].reduce((a, b) => (a ? b : b), null)", ["?: a"]],
    ["(x) => { for (const row of x) if (row) return 1; }", ["if row"]],
    ["function* f(x) { const y = yield x; if (x) return 1; }", ["if x"]],
    ["async (x) => { const y = await x; if (y) return 1; }", ["if y"]],
    ["(x)=>{let t=x,r;return r=t.relu(),r?1:2}", ["?: r"]],
    ["(x) => { const f = x.relu.bind; if (x.T) return 1; }", ["if x.T"]],
    ["(x) => { const { 'a b': y } = { 'a b': x }; if (y) return 1; }", ["if y"]],
    ["(x) => (0, x) ? 1 : 2", ["?: 0, x"]],
    ["(x) => { ({ a: x.b } = { a: 1 }); if (x?.relu()) return 1; }", ["if x?.relu()"]],
    ["(x) => { const y = x ?? 1; if (y) return 1; }", ["if y"]],
    ["(x) => { if ((x.ndim, x.neg())) return 1; }", ["if x.ndim, x.neg()"]],
    ["(x) => { if (torch.cat([x, x])) return 1; }", ["if torch.cat([x, x])"]],
    ["(x) => { if (nn.functional.relu(x)) return 1; }", ["if nn.functional.relu(x)"]],
    ["(x) => { if (__vi_import_0__.torch.add(x, 1)) return 1; }", ["if __vi_import_0__.torch.add(x, 1)"]],
    ["(x) => { cond(x.sum(), () => (x ? x : 1), () => x) }", ["?: x"]],
  ])("%s", (source, errors) => {
    const a = { b: t };
    const arg = source.startsWith("([") ? [t] : source.startsWith("({ a:") ? { a, c: t } : t;
    expect(found(source, { args: [arg] })[0]).toEqual(errors);
  });
});

describe("ways around", () => {
  test.each<[string, "wrong" | "unchecked" | "right"]>([
    ["(x) => { const {size} = x; if (size.call(x, 0) === 2) return 1; }", "wrong"],
    ["(x) => { const f = x.size.bind(x); if (f(0) === 2) return 1; }", "wrong"],
    ["(x) => { const args = [0]; if (x.size(...args) === 2) return 1; }", "wrong"],
    ["(x) => { const m = 'size'; if (x[m](0) === 2) return 1; }", "wrong"],
    ["(x) => { if ([x.size(0)].at(0) === 2) return 1; }", "wrong"],
    ["(x) => { const o = Object.freeze({ n: x.size(0) }); if (o.n === 2) return 1; }", "wrong"],
    ["(x) => { const o = { get n() { return x.size(0); } }; if (o.n === 2) return 1; }", "unchecked"],
    ["(x) => { class A { f() { return x.size(0) === 2; } } return new A().f(); }", "wrong"],
    ["(x) => { const w = new WeakMap(); w.set(x, x); if (w.get(x)) return 1; }", "wrong"],
    ["(x) => { for (const [k, v] of Object.entries({ x })) if (v) return 1; }", "wrong"],
    ["(x) => { for (const k in { x }) { const o = { x }; if (o[k]) return 1; } }", "wrong"],
    ["(x) => { const p = Promise.resolve(x); p.then((y) => (y ? 1 : 2)); }", "unchecked"],
    ["(x) => { let y = null; try { y = x.relu(); throw 1; } catch { if (y) return 1; } }", "wrong"],
    ["(x) => { let y = null; try { y = x.relu(); y = y.at(1); } catch { if (y) return 1; } }", "wrong"],
    ["(x) => { switch (true) { case x.gt(0): return 1; } }", "wrong"],
    ["(x) => { const eq = (a, b) => a === b; if (eq(x.size(0), 2)) return 1; }", "wrong"],
    ["(x) => { if (x.size(0)?.valueOf() === 2) return 1; }", "wrong"],
    ["(x) => { const g = (function* () { yield x; })(); for (const y of g) if (y) return 1; }", "wrong"],
    ["(x) => { if (Array.from(x.size()).every((n) => n === 2)) return 1; }", "wrong"],
    ["(x) => { if ([[x.size(0)]].flat().includes(2)) return 1; }", "wrong"],
    ["(x) => { if (Reflect.apply(x.size, x, [0]) === 2) return 1; }", "unchecked"],
    ["(x) => { const a = [3, 1]; a[0] = x.size(0); if (a.indexOf(2) >= 0) return 1; }", "wrong"],
    ["function f(x) { if (arguments[0]) return 1; }", "unchecked"],
    ["(x) => { block: { if (x) break block; } }", "wrong"],
    ["(x) => { var y; { var y = x; } if (y) return 1; }", "wrong"],
    ["(x) => { const o = { a: 1 }; for (const k in o) o[k] = x; if (o.a) return 1; }", "wrong"],
    ["(x) => { const o = [1, 2]; for (const k of o.keys()) o[k] = x; if (o[0]) return 1; }", "wrong"],
    ["(x) => { const o = { a: 0 }; Object.assign(o, { a: x }); if (o.a) return 1; }", "wrong"],
    ["(x) => { const o = { a: 0 }; Object.assign(o, { b: x }); if (o.a) return 1; }", "right"],
    ["(x) => { const o = { a: 0 }; Reflect.set(o, 'a', x); if (o.a) return 1; }", "wrong"],
    [
      "(x) => { const o = { a: 0 }; Object.defineProperty(o, 'a', { value: x }); if (o.a) return 1; }",
      "unchecked",
    ],
    [
      "(x) => { const f = Object.defineProperty((y) => y, 'name', { value: 'f' }); if (f(x)) return 1; }",
      "wrong",
    ],
    [
      "(x) => { const k = {}; const m = new WeakMap([[k, 1]]); m.set(k, x); if (m.get(k)) return 1; }",
      "wrong",
    ],
    ["(x) => { const o = [0]; o.fill(x); if (o[0]) return 1; }", "wrong"],
    ["(x) => { const o = [0]; o.splice(0, 1, x); if (o[0]) return 1; }", "wrong"],
    ["(x) => { const o = [0, x]; o.reverse(); if (o[0]) return 1; }", "wrong"],
    ["(x) => { const o = [0, x]; o.sort(() => -1); if (o[0]) return 1; }", "wrong"],
    ["(x) => { const o = [0, x]; o.shift(); if (o[0]) return 1; }", "wrong"],
    ["(x) => { const o = [0]; o.unshift(x); if (o[0]) return 1; }", "wrong"],
    ["(x) => { const o = [0]; o.length = 0; o.push(x); if (o[0]) return 1; }", "wrong"],
    ["(x) => { const o = [0]; o.push(x); if (o[0]) return 1; }", "right"],
    ["(x) => { const o = { a: 0, set b(v) { this.a = v; } }; o.b = x; if (o.a) return 1; }", "unchecked"],
    ["(x) => { const o = { a: 0, m(v) { this.a = v; } }; o.m(x); if (o.a) return 1; }", "wrong"],
    ["(x) => { let a = 0; const o = { get n() { a = x; return 1; } }; o.n; if (a) return 1; }", "wrong"],
    ["(x) => { const s = new Set([x.size(0), x.size(0)]); if (s.size === 1) return 1; }", "wrong"],
    ["(x) => { let a = 0; 'b'.replace('b', () => { a = x; return 'c'; }); if (a) return 1; }", "wrong"],
    ["(x) => { let a = x; [].forEach(() => { a = 0; }); if (a) return 1; }", "wrong"],
    ["(x) => { let a = 0; [1, 2].forEach(() => { if (a) x = x.relu(); a = x; }); }", "wrong"],
    ["(x) => { if (x.size(0).toString() === '2') return 1; }", "wrong"],
    ["(x) => { const fs = []; for (const t of [x]) fs.push(() => (t ? 1 : 2)); return fs[0](); }", "wrong"],
  ])("%s is %s", (source, verdict) => {
    const { errors, unchecked } = checkSource(code(source), { args: [d] });
    expect(errors.length > 0 ? "wrong" : unchecked.length > 0 ? "unchecked" : "right").toBe(verdict);
  });
});

describe("modules", () => {
  class Block extends Module {
    readonly useNorm = true;
    override forward(x: Tensor, scale?: Tensor): unknown {
      if (this.useNorm && scale !== undefined) return scale;
      return (x as unknown) ? x : scale;
    }
  }
  class Net extends Module {
    readonly block = new Block();
    readonly blocks = [new Block(), new Block()];
    weight = Tensor.from([1, 2]);
    cache: Tensor | null = null;
    get doubled(): unknown {
      return (this.weight as unknown) ? this.weight : null;
    }
    override forward(x: Tensor): unknown {
      return this.block(x);
    }
    list(x: Tensor): unknown {
      let y: unknown = x;
      for (const block of this.blocks) y = block(y as Tensor);
      return y;
    }
    attribute(): unknown {
      return (this.weight as unknown) ? 1 : this.doubled;
    }
    getter(): unknown {
      return this.doubled;
    }
    state(x: Tensor): unknown {
      if (this.cache) return 1;
      this.cache = x;
      return 2;
    }
    readonly seen: Tensor[] = [];
    readonly table = new Map<string, unknown>([["depth", 2]]);
    listState(x: Tensor): unknown {
      if (this.seen[0] as unknown) return 1;
      this.seen.push(x);
      return this.seen.map((one) => ((one as unknown) ? 1 : 2));
    }
    mapState(x: Tensor): unknown {
      if (this.table.get("depth")) this.table.set("cache", x);
      return 2;
    }
    plainState(): unknown {
      return this.table.get("depth") === 2 && this.table.has("x");
    }
    dynamicKey(x: Tensor, key: string): unknown {
      (this as unknown as Record<string, unknown>)[key] = x;
      return (this as unknown as Record<string, unknown>)["fresh"] ? 1 : 2;
    }
    train_(x: Tensor): unknown {
      return this.training ? x : x && 1;
    }
  }
  class Sub extends Net {
    override forward(x: Tensor): unknown {
      return super.forward(x);
    }
  }
  const check = (method: string, thisValue: Module = new Net()): string[] =>
    checkSource((thisValue as unknown as Record<string, AnyFunction>)[method]!, {
      thisValue,
      args: [t],
    }).errors.map((one) => `${one.function}:${one.line} ${one.construct} ${one.code}`);

  test("forward of submodules is followed", () => {
    expect(check("forward")).toEqual(["forward:3 ?: x"]);
    expect(check("forward", new Sub())).toEqual(["forward:3 ?: x"]);
    expect(check("list")).toEqual(["forward:3 ?: x"]);
  });

  test("attributes, getters and state are known", () => {
    expect(check("attribute")).toEqual(["attribute:2 ?: this.weight", "get doubled:2 ?: this.weight"]);
    expect(check("getter")).toEqual(["get doubled:2 ?: this.weight"]);
    expect(check("state")).toEqual(["state:2 if this.cache"]);
    expect(check("train_")).toEqual([]);
    expect(check("listState")).toEqual(["listState:2 if this.seen[0]", "listState:4 ?: one"]);
    expect(check("mapState")).toEqual(['mapState:2 if this.table.get("depth")']);
    expect(check("plainState")).toEqual([]);
    expect(check("dynamicKey")).toEqual(['dynamicKey:3 ?: this["fresh"]']);
  });
});

describe("layers of Sconce", () => {
  class Branch extends nn.Module {
    override forward(x: Tensor): unknown {
      return (x as unknown) ? 1 : 2;
    }
  }
  class Net extends nn.Module {
    readonly fc = new nn.Linear(3, 3);
    readonly table = new nn.ModuleDict({ branch: new Branch(), fc: new nn.Linear(3, 3) });
    readonly list = new nn.ModuleList([new nn.Linear(3, 3), new nn.Linear(3, 3)]);
    readonly chain = new nn.Sequential(new nn.Linear(3, 3), new Branch());
    readonly lstm = new nn.LSTM(3, 3);
    override forward(x: Tensor): unknown {
      let y = this.fc(x);
      for (const layer of this.list as unknown as Iterable<nn.Linear>) y = layer(y);
      for (const [name, value] of this.namedBuffers()) if (name === "b" && value.dtype === "int64") return y;
      return (y.size(0) as unknown) === 2 ? y : this.table.get("fc");
    }
    keyed(x: Tensor): unknown {
      return (this.table.get("branch") as unknown as Branch)(x);
    }
    chained(x: Tensor): unknown {
      return this.chain(x);
    }
    state(x: Tensor): unknown {
      const [output, [hidden]] = this.lstm(x) as unknown as [Tensor, [Tensor]];
      return (hidden as unknown) ? output : null;
    }
  }
  const check = (method: keyof Net): [string[], string[]] => {
    const thisValue = new Net();
    return found(thisValue[method] as AnyFunction, { thisValue, args: [t] });
  };

  test("are not checked, what they hold is", () => {
    expect(check("forward")).toEqual([[], []]);
    expect(check("keyed")).toEqual([["?: x"], []]);
    expect(check("chained")).toEqual([["?: x"], []]);
    expect(check("state")).toEqual([["?: hidden"], []]);
  });
});

describe("what cannot be followed is unchecked", () => {
  test.each<[string, string[]]>([
    ["(x) => { if (flag) return x; }", ["if flag"]],
    ["(x) => helper(x)", ["call helper(x)"]],
    ["(x) => { if (helper(x)) return x; }", ["call helper(x)", "if helper(x)"]],
    ["(x) => limit === 3", ["=== limit === 3"]],
    ["(x) => limit === undefined", []],
    ["(x) => (limit === 'a' ? x : x.relu())", []],
    ["(x) => { if (cond(x.sum(), f, g)) return x; }", ["if cond(x.sum(), f, g)"]],
    ["(x) => (x.numel > 4 ? x : x.relu())", []],
    ["(x) => [1].map(helper)", ["call [1].map(helper)"]],
  ])("%s", (source, places) => {
    const [errors, unchecked] = found(source, { args: [t] });
    expect(errors).toEqual([]);
    expect(unchecked).toEqual(places);
  });

  test("a size of a result is unchecked where sizes are dynamic, and right where none is", () => {
    const source = "(x) => x.relu().size(0) === 2";
    expect(found(source, { args: [t] })).toEqual([[], []]);
    expect(found(source, { args: [d] })).toEqual([[], ["=== x.relu().size(0) === 2"]]);
    expect(found("(x) => x.nonzero().size(0) === 2", { args: [t] })[1]).toEqual([
      "=== x.nonzero().size(0) === 2",
    ]);
  });

  test("functions that the caller names are followed", () => {
    const helper = code("(y) => (y ? 1 : 2)");
    expect(found("(x) => helper(x)", { args: [t], reachable: { helper } })).toEqual([["?: y"], []]);
  });

  test("a function without a source", () => {
    const bound = code("(x) => (x ? 1 : 2)").bind(null);
    expect(checkSource(bound, { args: [t] })).toEqual({
      errors: [],
      refused: [],
      unchecked: [
        {
          construct: "function",
          function: "bound ",
          line: 1,
          column: 1,
          code: "bound ",
          message: "the function has no source that can be read",
        },
      ],
    });
  });

  test("a function that calls itself ends", () => {
    const { errors } = checkSource(
      code("function f(x) { function g(y) { return y ? g(y) : 1; } return g(x); }"),
      {
        args: [t],
      },
    );
    expect(errors.map((one) => one.code)).toEqual(["y"]);
  });
});

test("lists that double at each line are too large to be checked", () => {
  const doubled = Array.from({ length: 24 }, (_, i) => `const a${i + 1} = [...a${i}, ...a${i}];`);
  const source = `(x) => { const a0 = [x]; ${doubled.join(" ")} return a24; }`;
  const { unchecked } = checkSource(code(source), { args: [t] });
  expect(unchecked.map(({ message }) => message)).toEqual(["the code is too large to be checked"]);
});

describe("variables that a function closes over", () => {
  const make = (scope: string, body: string): AnyFunction =>
    new Function(`${scope}; return (${body});`)() as AnyFunction;

  test.each<[string, string, string[], string[]]>([
    ["const helper = (y) => (y ? 1 : 2)", "(x) => helper(x)", ["?: y"], []],
    ["const helper = (y) => y.relu()", "(x) => { if (helper(x)) return 1; }", ["if helper(x)"], []],
    ["const depth = 3", "(x) => (depth === 3 && depth > 2 ? x : x.relu())", [], []],
    ["const config = { flag: true }", "(x) => (config.flag ? x : x ? 1 : 2)", [], []],
    ["let kept", "(x) => { if (kept) return 1; kept = x; }", ["if kept"], []],
    ["let kept; const keep = (y) => { kept = y; }", "(x) => { keep(x); return !kept; }", ["! kept"], []],
    ["class A { run(y) { return y ? 1 : 2; } } const a = new A()", "(x) => a.run(x)", ["?: y"], []],
    ["const t = (y) => y, F = { relu: (y) => (y ? 1 : 2) }", "(x) => F.relu(t(x))", ["?: y"], []],
    ["const check = (y) => { if (y) return 1; }", "(x) => check(x)", ["if y"], []],
    ["const fs = { [Symbol()]: 1 }", "(x) => (fs.missing ? x : x.relu())", [], []],
    ["const native = Math.hypot.bind(null)", "(x) => (native(1) ? x : 1)", [], ["?: native(1)"]],
  ])("%s: %s", (scope, body, errors, unchecked) => {
    expect(found(make(scope, body), { args: [t] })).toEqual([errors, unchecked]);
  });

  test("functions of Sconce are known by their values", () => {
    const source =
      "(x) => { if (r(x)) return 1; if (s.eq(x.size(0), 2)) return 2; return g(s.eq(x.size(0), 2)) ? 1 : 2; }";
    const wrapped = new Function("r", "s", "g", `return (${source});`)(torch.relu, sym, guard) as AnyFunction;
    expect(found(wrapped, { args: [d] })).toEqual([["if r(x)", "if s.eq(x.size(0), 2)"], []]);
  });
});
