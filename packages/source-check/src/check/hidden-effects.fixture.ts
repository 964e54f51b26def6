/** @file Code that hides an effect from a trace: what strict mode must refuse or list. */
import { HIDDEN_CALLS } from "./hidden-calls.fixture.js";
import { type Snippet, snippet } from "./snippet.fixture.js";

/* biome-ignore-start lint/suspicious/noTemplateCurlyInString: the texts are code */
const CONSTRUCTORS: readonly Snippet[] = [
  snippet(
    "a constructor",
    "random@2",
    "(y) => y.mul(new Noise().value)",
    "class Noise {\n constructor() { this.value = Math.random(); }\n}",
  ),
  snippet(
    "a constructor that counts",
    "outer-write@1",
    "(y) => { new Counter(); return y; }",
    "let made = 0; class Counter { constructor() { made += 1; } }",
  ),
  snippet(
    "a constructor function",
    "clock@1",
    "(y) => y.mul(new Clock().now)",
    "function Clock() { this.now = Date.now(); }",
  ),
  snippet(
    "a field initializer",
    "random@2",
    "(y) => y.mul(new Noise().value)",
    "class Noise {\n value = Math.random();\n}",
  ),
  snippet(
    "a private field initializer",
    "clock@1",
    "(y) => { new Noise(); return y; }",
    "class Noise { #at = Date.now(); }",
  ),
  snippet(
    "the constructor of a base class",
    "random@1",
    "(y) => y.mul(new Sub().value)",
    "class Base { constructor() { this.value = Math.random(); } } class Sub extends Base {}",
  ),
  snippet(
    "the constructor that super calls",
    "outer-write@1",
    "(y) => { new Sub(1); return y; }",
    "const all = []; class Base { constructor(a) { all.push(a); } } class Sub extends Base { constructor(a) { super(a); } }",
  ),
  snippet(
    "a default of a constructor",
    "random@1",
    "(y) => y.mul(new Noise().value)",
    "class Noise { constructor(value = Math.random()) { this.value = value; } }",
  ),
  snippet(
    "a static block of a local class",
    "outer-write@2",
    "(y) => {\n class Local { static { seen.push(1); } }\n return y;\n}",
    "const seen = [];",
  ),
  snippet(
    "a static field of a local class",
    "random@1",
    "(y) => { class Local { static scale = Math.random(); } return y.mul(Local.scale); }",
  ),
  snippet(
    "the constructor of a local class",
    "clock@3",
    "(y) => {\n class Local {\n constructor() { this.at = Date.now(); }\n }\n return y.mul(new Local().at);\n}",
  ),
  snippet("a class expression", "random@1", "(y) => y.mul(new (class { value = Math.random(); })().value)"),
  snippet(
    "a computed key of a class",
    "random@1",
    "(y) => { class Local { [Math.random()]() {} } return y; }",
  ),
  snippet(
    "the class that a local class extends",
    "random@1",
    "(y) => { class Local extends (Math.random(), Object) {} return y; }",
  ),
  snippet(
    "a method of an object that the code makes",
    "random@1",
    "(y) => new Noise().draw(y)",
    "class Noise { draw(z) { return z.mul(Math.random()); } }",
  ),
  snippet(
    "a getter of an object that the code makes",
    "clock@1",
    "(y) => y.mul(new Watch().now)",
    "class Watch { get now() { return Date.now(); } }",
  ),
  snippet(
    "a private method",
    "random@1",
    "(y) => new Noise().draw(y)",
    "class Noise { #scale() { return Math.random(); } draw(z) { return z.mul(this.#scale()); } }",
  ),
  snippet(
    "a private getter",
    "clock@1",
    "(y) => watch.read(y)",
    "class Watch { get #now() { return Date.now(); } read(z) { return z.mul(this.#now); } } const watch = new Watch();",
  ),
  snippet("an unknown class", "unchecked", "(y) => { new Unknown(); return y; }"),
  snippet("a weak reference", "unchecked", "(y) => { new WeakRef(y); return y; }"),
  snippet("Reflect.construct", "clock@1", "(y) => y.mul(+Reflect.construct(Date, []))"),
  snippet(
    "Reflect.construct of a class",
    "random@1",
    "(y) => y.mul(Reflect.construct(Noise, []).value)",
    "class Noise { value = Math.random(); }",
  ),
];

const ACCESSORS: readonly Snippet[] = [
  snippet(
    "a getter",
    "random@1",
    "(y) => y.mul(options.scale)",
    "const options = { get scale() { return Math.random(); } };",
  ),
  snippet(
    "a setter",
    "outer-write@1",
    "(y) => { options.scale = 2; return y; }",
    "let kept = 0; const options = { set scale(value) { kept = value; } };",
  ),
  snippet(
    "a setter of a module",
    "outer-write@1",
    "function (y) { const own = make(); own.scale = 2; return y; }",
    "let kept = 0; class Own { set scale(value) { kept = value; } } const make = () => new Own();",
  ),
  snippet(
    "a getter behind a computed name",
    "random@1",
    "(y) => { let z = y; for (const name of ['a', 'b', 'c', 'd', 'e', 'f']) z = z.mul(options[name]); return z; }",
    "const options = { a: 1, b: 1, c: 1, d: 1, e: 1, get f() { return Math.random(); } };",
  ),
  snippet(
    "a getter that is destructured",
    "clock@1",
    "(y) => { const { now } = watch; return y.mul(now); }",
    "const watch = { get now() { return Date.now(); } };",
  ),
  snippet(
    "a getter that is spread",
    "clock@1",
    "(y) => y.mul({ ...watch }.now)",
    "const watch = { get now() { return Date.now(); } };",
  ),
  snippet(
    "a getter that Object.values reads",
    "random@1",
    "(y) => y.mul(Object.values(noise)[0])",
    "const noise = { get value() { return Math.random(); } };",
  ),
  snippet(
    "a getter that Object.assign reads",
    "random@1",
    "(y) => y.mul(Object.assign({}, noise).value)",
    "const noise = { get value() { return Math.random(); } };",
  ),
  snippet(
    "a getter that JSON reads",
    "random@1",
    "(y) => y.mul(JSON.stringify(noise).length)",
    "const noise = { get value() { return Math.random(); } };",
  ),
  snippet(
    "toJSON",
    "clock@1",
    "(y) => y.mul(JSON.stringify({ watch }).length)",
    "const watch = { toJSON() { return Date.now(); } };",
  ),
  snippet(
    "a getter that is defined",
    "random@1",
    "(y) => { const o = {}; Object.defineProperty(o, 'v', { get: () => Math.random() }); return y.mul(o.v); }",
  ),
];

const CONVERSIONS: readonly Snippet[] = [
  snippet(
    "valueOf",
    "random@1",
    "(y) => y.mul(+noise)",
    "const noise = { valueOf() { return Math.random(); } };",
  ),
  snippet(
    "valueOf of an object that the code makes",
    "random@1",
    "(y) => y.mul({ valueOf() { return Math.random(); } } + 1)",
  ),
  snippet(
    "toString",
    "clock@1",
    "(y) => y.mul(`${watch}`.length)",
    "const watch = { toString() { return Date.now() + ''; } };",
  ),
  snippet(
    "Symbol.toPrimitive",
    "random@1",
    "(y) => y.mul(noise * 2)",
    "class Noise { [Symbol.toPrimitive]() { return Math.random(); } } const noise = new Noise();",
  ),
  snippet(
    "a conversion of Math",
    "random@1",
    "(y) => y.mul(Math.max(noise, 0))",
    "const noise = { valueOf() { return Math.random(); } };",
  ),
  snippet(
    "a conversion of a name",
    "outer-write@1",
    "(y) => y.mul(table[key])",
    "let reads = 0; const table = { a: 1 }; const key = { toString() { reads++; return 'a'; } };",
  ),
  snippet(
    "a conversion of a comparison",
    "clock@1",
    "(y) => (watch > 5 ? y : y.neg())",
    "const watch = { valueOf: () => Date.now() };",
  ),
  snippet(
    "a conversion of ==",
    "clock@1",
    "(y) => (watch == 5 ? y : y.neg())",
    "const watch = { valueOf: () => Date.now() };",
  ),
  snippet(
    "join",
    "random@1",
    "(y) => y.mul([noise].join().length)",
    "const noise = { toString() { return Math.random() + ''; } };",
  ),
  snippet(
    "a method of texts",
    "random@1",
    "(y) => y.mul('a'.concat(noise).length)",
    "const noise = { toString() { return Math.random() + ''; } };",
  ),
  snippet(
    "Symbol.hasInstance",
    "random@1",
    "(y) => (y instanceof Noise ? y : y.neg())",
    "class Noise { static [Symbol.hasInstance]() { return Math.random() > 0.5; } }",
  ),
];

const ITERATION: readonly Snippet[] = [
  snippet(
    "an iterator",
    "random@1",
    "(y) => { for (const a of noise) y = y.mul(a); return y; }",
    "const noise = { [Symbol.iterator]() { const v = Math.random(); return [v].values(); } };",
  ),
  snippet(
    "next of an iterator",
    "random@1",
    "(y) => { for (const a of noise) y = y.mul(a); return y; }",
    "const noise = { [Symbol.iterator]() { return { next: () => ({ done: Math.random() > 0.5, value: 1 }) }; } };",
  ),
  snippet(
    "an iterator that is spread",
    "generator@1",
    "(y) => y.mul(Math.max(...noise))",
    "const noise = { *[Symbol.iterator]() { yield 1; } };",
  ),
  snippet(
    "an iterator that is spread into a list",
    "generator@1",
    "(y) => y.mul([...noise].length)",
    "const noise = { *[Symbol.iterator]() { yield 1; } };",
  ),
  snippet(
    "an iterator that is destructured",
    "generator@1",
    "(y) => { const [a] = noise; return y.mul(a); }",
    "const noise = { *[Symbol.iterator]() { yield 1; } };",
  ),
  snippet(
    "an iterator that Array.from reads",
    "generator@1",
    "(y) => y.mul(Array.from(noise).length)",
    "const noise = { *[Symbol.iterator]() { yield 1; } };",
  ),
  snippet(
    "an iterator that a set reads",
    "generator@1",
    "(y) => y.mul(new Set(noise).size)",
    "const noise = { *[Symbol.iterator]() { yield 1; } };",
  ),
  snippet(
    "an iterator of an object that the code makes",
    "random@1",
    "(y) => { for (const a of { [Symbol.iterator]() { return [Math.random()].values(); } }) y = y.mul(a); return y; }",
  ),
  snippet(
    "a generator",
    "generator@1",
    "(y) => { for (const a of numbers()) y = y.mul(a); return y; }",
    "function* numbers() { yield 1; }",
  ),
  snippet(
    "a generator that was started",
    "unchecked",
    "(y) => { for (const a of running) y = y.mul(a); return y; }",
    "function* numbers() { yield 1; } const running = numbers();",
  ),
  snippet("yield*", "generator@1", "function* (y) { yield* [y]; }"),
  snippet(
    "next of an iterator that was started",
    "unchecked",
    "(y) => y.mul(running.next().value)",
    "const running = [1, 2].values();",
  ),
];

/** All snippets. */
export const HIDDEN_EFFECTS: readonly Snippet[] = [
  ...CONSTRUCTORS,
  ...ACCESSORS,
  ...CONVERSIONS,
  ...ITERATION,
  ...HIDDEN_CALLS,
];
/* biome-ignore-end lint/suspicious/noTemplateCurlyInString: the texts are code */
