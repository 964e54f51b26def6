/** @file Functions that the kernels of a module share, added when they are first needed. */
import type { FunctionBuilder, Instruction, Local, ModuleBuilder, ValueType } from "@sconce/wasm";
import { notEmitted } from "./core/errors.js";
import type { SharedFunctions } from "./core/shared-functions.js";
import { decodeFloat16, encodeBfloat16, encodeFloat16 } from "./half-functions.js";
import { constantsInPlace } from "./vector/constants.js";
import { VectorWriter } from "./vector/lines.js";
import { BINARY_MATH, MATH } from "./vector/math.js";

/** A function that kernels call. */
interface Helper {
  readonly params: readonly ValueType[];
  readonly result: ValueType;
  readonly body: (f: FunctionBuilder, params: readonly Local[], functions: SharedFunctions) => void;
}

const ADDED = new WeakMap<ModuleBuilder, Map<string, number>>();

/** The functions of one module that are not kernels. */
export class Helpers implements SharedFunctions {
  readonly #module: ModuleBuilder;
  readonly #imports: ReadonlyMap<string, number>;

  constructor(module: ModuleBuilder, imports: ReadonlyMap<string, number>) {
    this.#module = module;
    this.#imports = imports;
  }

  get relaxed(): boolean {
    return this.#module.relaxed;
  }
  /** Returns the index of an imported function. */
  host(name: string): number {
    const index = this.#imports.get(name);
    if (index === undefined) throw notEmitted(`import ${name}`);
    return index;
  }
  /** Returns the index of a function of {@link HELPERS}. */
  helper(name: string): number {
    const known = ADDED.get(this.#module) ?? new Map<string, number>();
    ADDED.set(this.#module, known);
    let index = known.get(name);
    if (index === undefined) {
      const made = HELPERS.get(name);
      if (made === undefined) throw notEmitted(`function ${name}`);
      const { params, result, body } = made;
      index = this.#module.func({ params, results: [result], name }, (f, ...locals) =>
        body(f, locals as readonly Local[], this),
      );
      known.set(name, index);
    }
    return index;
  }
}

const INTEGERS = ["i32", "i64"] as const;
const HALVES: readonly [string, Helper][] = [
  ["decode_float16", { params: ["i32"], result: "f32", body: decodeFloat16 }],
  ["encode_float16", { params: ["f32"], result: "i32", body: encodeFloat16 }],
  ["encode_bfloat16", { params: ["f32"], result: "i32", body: encodeBfloat16 }],
];
/** Functions of float32: those of four lanes, of which one is read. */
const OF_FLOAT32 = [...MATH].map(([op, math]): [string, Helper] => {
  const isBinary = BINARY_MATH.has(op);
  const body: Helper["body"] = (f, params, functions) => {
    const writer = new VectorWriter(f, functions, constantsInPlace(f));
    const [x, y] = params.map((one) => writer.let(() => void f.get(one).op("f32x4.splat")));
    math(writer, x!, y ?? x!)();
    f.lane("f32x4.extract_lane", 0);
  };
  return [`float32_${op}`, { params: isBinary ? ["f32", "f32"] : ["f32"], result: "f32", body }];
});
const HELPERS: ReadonlyMap<string, Helper> = new Map([
  ...HALVES,
  ...OF_FLOAT32,
  ...INTEGERS.flatMap((type): [string, Helper][] => {
    const params = [type, type];
    return [
      [`trunc_div_${type}`, { params, result: type, body: (f, [a, b]) => quotient(f, type, a!, b!) }],
      [`floor_div_${type}`, { params, result: type, body: (f, [a, b]) => floorQuotient(f, type, a!, b!) }],
      [`remainder_${type}`, { params, result: type, body: (f, [a, b]) => floorRest(f, type, a!, b!) }],
      [`pow_${type}_s`, { params, result: type, body: (f, [a, b]) => power(f, type, a!, b!, true) }],
      [`pow_${type}_u`, { params, result: type, body: (f, [a, b]) => power(f, type, a!, b!, false) }],
    ];
  }),
]);

type IntegerType = (typeof INTEGERS)[number];
const whole = (f: FunctionBuilder, type: IntegerType, value: number): FunctionBuilder =>
  type === "i64" ? f.i64(BigInt(value)) : f.i32(value);
const run = (f: FunctionBuilder, type: IntegerType, name: string): FunctionBuilder =>
  f.op(`${type}.${name}` as Instruction);

/** A division by -1 is a change of sign: the quotient of the least integer would trap. */
function quotient(f: FunctionBuilder, type: IntegerType, a: Local, b: Local): void {
  whole(f.get(b), type, -1);
  run(f, type, "eq").if(
    () => {
      whole(f, type, 0).get(a);
      run(f, type, "sub");
    },
    () => run(f.get(a, b), type, "div_s"),
    type,
  );
}
/** Whether the rest of `a` by `b` has another sign than `b`, on the stack. */
function isOther(f: FunctionBuilder, type: IntegerType, a: Local, b: Local, rest: Local): void {
  run(f.get(a, b), type, "rem_s").tee(rest);
  whole(f, type, 0);
  run(f, type, "ne").get(rest, b);
  run(f, type, "xor");
  whole(f, type, 0);
  run(f, type, "lt_s").op("i32.and");
}
function floorQuotient(f: FunctionBuilder, type: IntegerType, a: Local, b: Local): void {
  const rest = f.local(type);
  quotient(f, type, a, b);
  isOther(f, type, a, b, rest);
  if (type === "i64") f.op("i64.extend_i32_u");
  run(f, type, "sub");
}
function floorRest(f: FunctionBuilder, type: IntegerType, a: Local, b: Local): void {
  const rest = f.local(type);
  isOther(f, type, a, b, rest);
  f.if(
    () => run(f.get(rest, b), type, "add"),
    () => f.get(rest),
    type,
  );
}
/** Squares and multiplies. Negative exponents give 0, but for bases of 1 and -1. */
function power(f: FunctionBuilder, type: IntegerType, a: Local, b: Local, signed: boolean): void {
  const result = f.local(type);
  whole(f, type, 1).set(result);
  if (signed) {
    whole(f.get(b), type, 0);
    run(f, type, "lt_s").if(() => {
      // 1 stays 1; -1 to an odd power is -1; all else is 0.
      whole(f.get(a), type, 1);
      run(f, type, "eq").if(() => f.get(result).op("return"));
      whole(f.get(a), type, -1);
      run(f, type, "ne").if(() => whole(f, type, 0).op("return"));
      whole(f.get(b), type, 1);
      run(f, type, "and").set(b);
    });
  }
  f.block((done) =>
    f.loop((next) => {
      run(f.get(b), type, "eqz").brIf(done);
      whole(f.get(b), type, 1);
      run(f, type, "and");
      if (type === "i64") f.op("i32.wrap_i64");
      f.if(() => run(f.get(result, a), type, "mul").set(result));
      run(f.get(a, a), type, "mul").set(a);
      whole(f.get(b), type, 1);
      run(f, type, "shr_u").set(b).br(next);
    }),
  );
  f.get(result);
}
