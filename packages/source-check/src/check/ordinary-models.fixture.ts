/** @file Ordinary code of models, in which strict mode finds nothing and follows everything. */

/** One function, with the code around it. */
export interface OrdinaryModel {
  readonly name: string;
  readonly around?: string;
  readonly fn: string;
}

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: the texts are code */
/** All models; they see `torch`, `nn`, `cond`, `map`, `noGrad`, `sym` and `guard`. */
export const ORDINARY_MODELS: readonly OrdinaryModel[] = [
  { name: "an operator", fn: "(y) => y.relu()" },
  { name: "operators in a row", fn: "(y) => y.mul(2).add(1).sin().sum(0)" },
  { name: "functions of torch", fn: "(y) => torch.add(torch.mul(y, 2), torch.sin(y))" },
  { name: "functional", fn: "(y) => nn.functional.softmax(nn.functional.gelu(y), -1)" },
  { name: "a list of tensors", fn: "(y) => torch.cat([y, y.neg()], 0)" },
  { name: "a destructured list", fn: "(y) => { const [a, b] = y.chunk(2); return a.add(b); }" },
  { name: "a destructured record", fn: "(y) => { const { a, b } = { a: y, b: y.neg() }; return a.add(b); }" },
  { name: "a loop", fn: "(y) => { let z = y; for (let i = 0; i < 3; i++) z = z.mul(i + 1); return z; }" },
  { name: "a loop over a list", fn: "(y) => { let z = y; for (const s of [1, 2]) z = z.mul(s); return z; }" },
  {
    name: "a loop over entries",
    fn: "(y) => { const l = [y, y]; for (const [i, t] of l.entries()) l[i] = t.mul(i); return torch.stack(l); }",
  },
  { name: "map and reduce", fn: "(y) => [1, 2].map((s) => y.mul(s)).reduce((a, b) => a.add(b))" },
  { name: "a filter", fn: "(y) => torch.stack([1, 2, 3].filter((s) => s > 1).map((s) => y.mul(s)))" },
  {
    name: "an own list",
    fn: "(y) => { const all = []; for (let i = 0; i < 2; i++) all.push(y.mul(i)); return torch.cat(all); }",
  },
  { name: "an own map", fn: "(y) => { const m = new Map(); m.set('a', y); return m.get('a').relu(); }" },
  { name: "an own set", fn: "(y) => { const s = new Set([1, 2]); return y.mul(s.size); }" },
  { name: "spread of a list", fn: "(y) => { const l = [y, y]; return torch.cat([...l, y]); }" },
  { name: "spread of a record", fn: "(y) => { const o = { a: 1, b: 2 }; return y.mul({ ...o, a: 3 }.a); }" },
  { name: "a conditional", fn: "(y, flag = true) => (flag ? y.sin() : y.cos())" },
  { name: "a mode", fn: "(y, mode = 'sin') => (mode === 'sin' ? y.sin() : y.cos())" },
  {
    name: "a switch",
    fn: "(y, mode = 'sin') => { switch (mode) { case 'sin': return y.sin(); default: return y.cos(); } }",
  },
  { name: "a default", fn: "(y, scale = 2) => y.mul(scale)" },
  { name: "an optional tensor", fn: "(y, mask) => (mask === undefined ? y : y.mul(mask))" },
  { name: "nullish coalescing", fn: "(y, mask) => y.mul(mask ?? 2)" },
  { name: "optional chaining", fn: "(y, options) => y.mul(options?.scale ?? 1)" },
  {
    name: "an error",
    fn: "(y) => { if (y.dim() !== 2) throw new Error(`expected 2 dimensions, got ${y.dim()}`); return y; }",
  },
  { name: "Math", fn: "(y) => y.mul(Math.sqrt(2) * Math.PI).div(Math.max(1, 2))" },
  { name: "numbers", fn: "(y) => y.mul(Number.parseFloat('1.5')).add(Number.EPSILON)" },
  { name: "texts", fn: "(y) => torch.einsum(['ij', 'kj'].join(',').concat('->ik').toLowerCase(), y, y)" },
  { name: "a template", fn: "(y) => torch.einsum(`${'ij'}->${'ji'}`, y)" },
  { name: "a pattern", fn: "(y) => (/^s/.test('sin') ? y.sin() : y)" },
  {
    name: "a constant outside",
    fn: "(y) => y.mul(SCALE).add(OPTIONS.gain)",
    around: "const SCALE = 2; const OPTIONS = Object.freeze({ gain: 1 });",
  },
  { name: "a tensor outside", fn: "(y) => y.mul(table)", around: "const table = torch.ones([3]);" },
  {
    name: "a table outside",
    fn: "(y) => y.mul(SIZES[1]).add(NAMES.get('a'))",
    around: "const SIZES = [1, 2]; const NAMES = new Map([['a', 1]]);",
  },
  {
    name: "a typed array outside",
    fn: "(y) => y.mul(numbers[0] + numbers.length)",
    around: "const numbers = new Float32Array([1, 2]);",
  },
  { name: "a helper", fn: "(y) => scale(y, 2)", around: "const scale = (z, s) => z.mul(s);" },
  {
    name: "a recursive helper",
    fn: "(y) => power(y, 3)",
    around: "function power(z, n) { return n === 0 ? z : power(z.mul(2), n - 1); }",
  },
  {
    name: "a helper of helpers",
    fn: "(y) => compose((z) => z.sin(), (z) => z.cos())(y)",
    around: "const compose = (f, g) => (z) => g(f(z));",
  },
  { name: "a curried helper", fn: "(y) => times(2)(y)", around: "const times = (s) => (z) => z.mul(s);" },
  {
    name: "Object functions",
    fn: "(y) => torch.cat(Object.values({ a: y, b: y }).concat(Object.entries({ c: y }).map(([, v]) => v)))",
  },
  {
    name: "Array functions",
    fn: "(y) => torch.stack(Array.from({ length: 3 }, (_, i) => y.mul(i)).slice(1).reverse())",
  },
  { name: "an array of a length", fn: "(y) => torch.stack(new Array(2).fill(y))" },
  {
    name: "a record that holds a function",
    fn: "(y) => ACT.relu(y)",
    around: "const ACT = { relu: (z) => z.relu() };",
  },
  {
    name: "a function by its name",
    fn: "(y) => ACT['relu'](y)",
    around: "const ACT = { relu: (z) => z.relu() };",
  },
  {
    name: "an object of a class",
    fn: "(y) => new Scale(2).apply(y)",
    around: "class Scale { constructor(s) { this.s = s; } apply(z) { return z.mul(this.s); } }",
  },
  {
    name: "an object of a derived class",
    fn: "(y) => new Twice(2).apply(y)",
    around:
      "class Scale { s = 1; constructor(s) { this.s = s; } apply(z) { return z.mul(this.s); } } class Twice extends Scale { apply(z) { return super.apply(super.apply(z)); } }",
  },
  {
    name: "a getter",
    fn: "(y) => y.mul(new Square(2).area)",
    around:
      "class Square { #side; constructor(side) { this.#side = side; } get area() { return this.#side ** 2; } }",
  },
  {
    name: "a local class",
    fn: "(y) => { class Add { constructor(n) { this.n = n; } run(z) { return z.add(this.n); } } return new Add(1).run(y); }",
  },
  {
    name: "a static method",
    fn: "(y) => Ops.twice(y)",
    around: "class Ops { static twice(z) { return z.mul(2); } }",
  },
  { name: "a bound function", fn: "(y) => { const f = torch.add.bind(null, y); return f(1); }" },
  {
    name: "call and apply",
    fn: "(y) => scale.call(null, scale.apply(null, [y, 2]), 3)",
    around: "const scale = (z, s) => z.mul(s);",
  },
  {
    name: "a closure that counts",
    fn: "(y) => { let n = 0; const next = () => ++n; return y.mul(next()).add(next()); }",
  },
  { name: "gradients", fn: "(y) => noGrad(() => y.mul(2))" },
  { name: "a branch of the program", fn: "(y) => cond(y.sum().gt(0), (z) => z.sin(), (z) => z.cos(), [y])" },
  { name: "a map of the program", fn: "(y) => map((row) => row.mul(2), y)" },
  { name: "a size", fn: "(y) => y.reshape([y.size(0) * y.size(1)])" },
  { name: "a guard", fn: "(y) => (guard(sym.gt(y.size(0), 1)) ? y.sin() : y.cos())" },
  { name: "random numbers of the program", fn: "(y) => y.mul(torch.rand([2, 3]))" },
  { name: "an in-place operator", fn: "(y) => { const z = y.clone(); z.add_(1); return z; }" },
  { name: "a dtype", fn: "(y) => (y.dtype === 'float32' ? y.to('float64') : y)" },
  { name: "a layer outside", fn: "(y) => layer(y)", around: "const layer = new nn.Linear(3, 2);" },
  {
    name: "layers outside",
    fn: "(y) => { let z = y; for (const l of layers) z = l(z); return z; }",
    around: "const layers = new nn.ModuleList([new nn.Linear(3, 3), new nn.ReLU()]);",
  },
  { name: "a record of results", fn: "(y) => ({ loss: y.sum(), logits: y.softmax(-1) })" },
  {
    name: "a comparison of kinds",
    fn: "(y) => (typeof y === 'object' && y !== null && Array.isArray([y]) ? y : y.neg())",
  },
  { name: "finally", fn: "(y) => { let z = y; try { z = z.sin(); } finally { z = z.cos(); } return z; }" },
  {
    name: "labels",
    fn: "(y) => { let z = y; outer: for (const a of [1, 2]) { for (const b of [1, 2]) { if (b > a) continue outer; z = z.mul(b); } } return z; }",
  },
  { name: "a fixed date", fn: "(y) => y.mul(new Date(86400000).getTime())" },
  {
    name: "a typed array of the model's own",
    fn: "(y) => { const w = new Float32Array(3); w[0] = 1; w.fill(2); return y.mul(w[0]); }",
  },
  { name: "a conversion", fn: "(y) => y.mul(Number('2') + Number(true) + parseInt('3', 10))" },
  { name: "JSON of constants", fn: "(y) => y.mul(JSON.parse(JSON.stringify({ a: 1 })).a)", around: "" },
  {
    name: "structuredClone",
    fn: "(y) => y.mul(structuredClone(OPTIONS).gain)",
    around: "const OPTIONS = { gain: 1 };",
  },
  {
    name: "a property of an object whose other property is written elsewhere",
    fn: "(y) => { const p = o; const { a } = o; return scaled(p, y.mul(a)); }",
    around: "const o = { a: 1, b: 2 }; const set = (s) => { o.b = s; }; const scaled = (q, z) => z.mul(q.a);",
  },
];
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: the texts are code */
