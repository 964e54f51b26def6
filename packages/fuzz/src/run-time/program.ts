/** @file Random programs with sizes that only a run decides. */
import type { Random } from "../support/random.js";
import { CALLS, type Made, type Parts } from "./calls.js";

/** What a program is given: shapes by symbol, or a number. */
export interface Given {
  readonly name: string;
  readonly kind: "floats" | "places" | "number" | "count";
  /** Symbols of the sizes. */
  readonly shape: readonly string[];
}

/** A random program as text without types, and what it is given. */
export interface SizeProgram {
  readonly text: string;
  readonly given: readonly Given[];
}

const GIVEN: readonly Given[] = [
  { name: "x", kind: "floats", shape: ["s0"] },
  { name: "y", kind: "floats", shape: ["s0", "s1"] },
  { name: "w", kind: "floats", shape: ["s2", "s1"] },
  { name: "i", kind: "places", shape: ["s3"] },
  { name: "n", kind: "number", shape: [] },
  { name: "t", kind: "count", shape: [] },
];

/** Arithmetic of sizes, with what Python makes of it beyond 2^31, 2^53 and 2^63. */
const ARITHMETIC: readonly ((a: string, b: string) => string)[] = [
  (a, b) => `operator.add(${a}, ${b})`,
  (a, b) => `operator.sub(${a}, ${b})`,
  (a, b) => `operator.sub(${a}, ${b})`,
  (a, b) => `operator.mul(${a}, ${b})`,
  (a, b) => `operator.mul(${a}, ${b})`,
  (a, b) => `operator.floordiv(${a}, ${b})`,
  (a, b) => `operator.mod(${a}, ${b})`,
  (a, b) => `torch.sym_max(${a}, ${b})`,
  (a, b) => `torch.sym_min(${a}, ${b})`,
  (a) => `operator.neg(${a})`,
];

const LARGE = ["2147483648", "4294967296", "9007199254740993", "9223372036854775807"];

class Writer implements Parts {
  readonly random: Random;
  readonly lines: string[] = [];
  readonly tensors: Made[] = [
    { name: "x", rank: 1, isInt: false },
    { name: "y", rank: 2, isInt: false },
    { name: "w", rank: 2, isInt: false },
  ];
  readonly sizes: string[] = [];
  #next = 0;

  constructor(random: Random) {
    this.random = random;
  }

  put(call: string): string {
    const name = `v${this.#next++}`;
    this.lines.push(`  %${name} = ${call}`);
    return name;
  }

  tensor = (rank?: number): Made => {
    const fitting = this.tensors.filter((one) => rank === undefined || one.rank === rank);
    const [last] = fitting.slice(-1);
    if (last === undefined) return this.random.pick(this.tensors);
    return this.random.once(2) ? last : this.random.pick(fitting);
  };
  places = (): Made => ({ name: "i", rank: 1, isInt: true });
  size = (): string =>
    this.random.once(3) ? String(this.random.below(5)) : `%${this.random.pick(this.sizes)}`;

  /** Sizes of inputs, numbers, and what is computed from them. */
  writeSizes(): void {
    const { random } = this;
    const read = ["aten.sym_size.int(%x, 0)", "aten.sym_size.int(%y, 1)", "aten.sym_size.int(%w, 0)"];
    for (const call of read) if (!random.once(3)) this.sizes.push(this.put(call));
    if (random.once(2)) this.sizes.push("n");
    if (random.once(4)) this.sizes.push(this.put("aten.item.default(%t)"));
    if (this.sizes.length === 0) this.sizes.push("n");
    for (let i = random.below(5); i > 0; i--) {
      const a = `%${random.pick(this.sizes)}`;
      const b = random.once(12) ? random.pick(LARGE) : random.once(2) ? this.size() : String(random.below(4));
      this.sizes.push(this.put(random.pick(ARITHMETIC)(a, b)));
    }
  }

  writeCalls(): Made[] {
    const made: Made[] = [];
    for (let left = 1 + this.random.below(4), tries = 40; left > 0 && tries > 0; tries--) {
      const call = this.random.pick(CALLS)(this);
      if (call === undefined || call.rank < 0 || call.rank > 4) continue;
      const { rank, isInt = false, item } = call;
      const whole = this.put(call.text);
      const name = item === undefined ? whole : this.put(`operator.getitem(%${whole}, ${item})`);
      this.tensors.push({ name, rank, isInt });
      made.push(this.tensors.at(-1)!);
      left--;
    }
    return made;
  }
}

/** Returns a random program. Most of its calls fit for some sizes and not for others. */
export function sizeProgram(random: Random): SizeProgram {
  const writer = new Writer(random);
  writer.writeSizes();
  const made = writer.writeCalls();
  const results = made.slice(-2).map(({ name, rank, isInt }) => {
    if (random.once(4)) return name;
    const next = writer.put(`aten.add.Tensor(%${name}, 1)`);
    writer.tensors.push({ name: next, rank, isInt });
    return next;
  });
  const shown = random.once(3) ? [random.pick(writer.sizes)] : [];
  const specs = [
    ...GIVEN.map(({ name, kind }) => `input ${kind === "number" ? "symint " : ""}%${name}: USER_INPUT`),
    ...results.map((name) => `output %${name}: USER_OUTPUT`),
    ...shown.map((name) => `output symint %${name}: USER_OUTPUT`),
  ];
  const outputs = [...results, ...shown].map((name) => `%${name}`).join(", ");
  const text = `sconce-ir 1
symbol k integer
program "${random.once(3) ? "ATEN" : "TRAINING"}" {
  ${specs.join("\n  ")}
}
graph(${GIVEN.map(typed).join(", ")}) {
${writer.lines.join("\n")}
  return (${outputs})
}`;
  return { text, given: GIVEN };
}

function typed({ name, kind, shape }: Given): string {
  if (kind === "number") return `%${name}: int(k)`;
  return `%${name}: ${kind === "floats" ? "f32" : "i64"}[${shape.join(", ")}]`;
}
