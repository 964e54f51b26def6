import { describe, expect, test } from "vitest";
import { type Comparison, type Expression, i32 } from "./expression.js";
import type { FunctionBuilder } from "./function.js";
import { ModuleBuilder } from "./module.js";
import type { Local } from "./types.js";

type I32 = Local<"i32">;

/** Compiles a function of two numbers. */
function compile(body: (f: FunctionBuilder, a: I32, b: I32) => void) {
  const module = new ModuleBuilder();
  module.func({ params: ["i32", "i32"], results: ["i32"], export: "run" }, body);
  const bytes = module.build();
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  return { run: exports["run"] as (a: number, b: number) => number, length: bytes.length };
}
const computed = (make: (a: I32, b: I32) => Expression, x: number, y: number): number =>
  compile((f, a, b) => f.put(make(a, b))).run(x, y);

describe("expressions", () => {
  test.each<[string, (a: I32, b: I32) => Expression, number, number, number]>([
    ["sums", (a, b) => i32(a).plus(b), 3, 4, 7],
    ["differences", (a, b) => i32(a).minus(b), 3, 4, -1],
    ["a number less a variable", (a) => i32(10).minus(a), 3, 0, 7],
    ["products", (a, b) => i32(a).times(b), -3, 4, -12],
    ["products of sums", (a, b) => i32(a).plus(5).times(4).plus(i32(2).times(b)), 1, 3, 30],
    ["unsigned quotients", (a, b) => i32(a).over(b), -1, 2, 2 ** 31 - 1],
    ["unsigned remainders", (a, b) => i32(a).rest(b), -1, 10, 5],
    ["quotients that are rounded up", (a) => i32(a).parts(4), 9, 0, 3],
    ["a smaller one", (a, b) => i32(a).least(b), -3, 4, -3],
    ["a smaller sum", (a, b) => i32(a).plus(b).least(i32(b).times(2)), 9, 4, 8],
    ["a greater one", (a, b) => i32(a).minus(b).most(0), 3, 4, 0],
    ["bits", (a, b) => i32(a).and(6).or(b), 12, 1, 5],
    ["shifts", (a, b) => i32(a).shl(b).or(i32(a).shr(28)), -1, 4, -1],
    ["a choice", (a, b) => i32(a).is("lt_s", b).choose(a, 100), 3, 4, 3],
    ["the other choice", (a, b) => i32(a).is("lt_s", b).choose(a, 100), 5, 4, 100],
    ["zero", (a) => i32(a).not(), 0, 0, 1],
    ["not zero", (a) => i32(a).plus(1).not(), 0, 0, 0],
  ])("%s", (_, make, x, y, result) => expect(computed(make, x, y)).toBe(result));

  const comparisons = ["eq", "ne", "lt_s", "ge_s", "gt_s", "le_s", "lt_u", "ge_u", "gt_u", "le_u"] as const;
  test.each<Comparison>(comparisons)("%s and its opposite", (name) => {
    for (const [x, y] of [
      [1, 1],
      [-1, 1],
      [1, -1],
    ] as const) {
      const holds = computed((a, b) => i32(a).is(name, b), x, y);
      expect(computed((a, b) => i32(a).is(name, b).not(), x, y)).toBe(1 - holds);
    }
  });

  test("variables are read when the code runs", () => {
    const { run } = compile((f, a, b) => {
      const sum = i32(a).plus(b);
      f.assign(a, 10).put(sum);
    });
    expect(run(1, 2)).toBe(12);
  });
});

describe("folding", () => {
  const lengthOf = (make: (a: I32, b: I32) => Expression): number =>
    compile((f, a, b) => f.put(make(a, b))).length;
  test.each<[string, (a: I32) => Expression, (a: I32) => Expression]>([
    ["+ 0", (a) => i32(a).plus(0).minus(0), (a) => i32(a)],
    ["0 +", (a) => i32(0).plus(a), (a) => i32(a)],
    ["* 1", (a) => i32(a).times(1), (a) => i32(a)],
    ["* 0", (a) => i32(a).times(0), () => i32(0)],
    ["0 *", (a) => i32(0).times(a), () => i32(0)],
    ["/ 1", (a) => i32(a).over(1), (a) => i32(a)],
    ["% 1", (a) => i32(a).rest(1), () => i32(0)],
    ["sums of numbers", (a) => i32(a).plus(3).minus(5).plus(2), (a) => i32(a)],
    ["products of numbers", (a) => i32(a).times(2).times(3), (a) => i32(a).times(6)],
    ["a number that comes first", (a) => i32(3).plus(a).plus(4), (a) => i32(a).plus(7)],
  ])("%s", (_, long, short) => {
    expect(lengthOf(long)).toBe(lengthOf(short));
    for (const x of [0, 7, -5]) expect(computed(long, x, 0)).toBe(computed(short, x, 0));
  });

  test("numbers wrap as i32 do", () => {
    const most = i32(2 ** 31 - 1);
    expect(most.plus(1).known).toBe(-(2 ** 31));
    expect(most.times(2).known).toBe(-2);
    expect(i32(-1).over(2).known).toBe(2 ** 31 - 1);
    expect(i32(-1).rest(10).known).toBe(5);
    expect(i32(-3).least(2).known).toBe(-3);
    expect(i32(-3).most(2).known).toBe(2);
    expect(i32(3).over(0).known).toBeUndefined();
    expect(() => computed(() => i32(3).over(0), 0, 0)).toThrow("divide by zero");
  });
});

describe("locals of expressions", () => {
  test("let, assign and increase", () => {
    const { run } = compile((f, a, b) => {
      const sum = f.let(i32(a).plus(b));
      f.assign(a, i32(sum).times(sum)).increase(a, i32(b).times(2)).increase(a, 0).get(a);
    });
    expect(run(1, 2)).toBe(13);
  });

  test("a read behind an assignment is one instruction", () => {
    const { run, length } = compile((f, a, b) => f.assign(a, b).get(a));
    expect(run(1, 2)).toBe(2);
    expect(length).toBe(compile((f, a, b) => f.get(b).tee(a)).length);
    // Code between them may be reached by other ways.
    const loop = compile((f, a, b) => {
      f.assign(a, 0);
      f.countDown(b, () => f.assign(a, i32(a).plus(5)));
      f.get(a);
    });
    expect(loop.run(1, 3)).toBe(15);
  });
});

describe("loops", () => {
  const rounds = (body: (f: FunctionBuilder, a: I32, b: I32, count: () => void) => void, x: number, y = 0) =>
    compile((f, a, b) => {
      const total = f.local("i32");
      body(f, a, b, () => f.increase(total, 1));
      f.get(total);
    }).run(x, y);

  test("while", () => {
    const body = (f: FunctionBuilder, a: I32, _: I32, count: () => void): void =>
      void f.while(i32(a).is("ge_s", 4), () => {
        count();
        f.increase(a, -4);
      });
    expect([0, 3, 4, 11].map((x) => rounds(body, x))).toEqual([0, 0, 1, 2]);
  });

  test("countUp", () => {
    expect(rounds((f, a, b, count) => f.countUp(a, b, count), 0, 5)).toBe(5);
    expect(rounds((f, a, b, count) => f.countUp(a, i32(b).plus(1), count, 4), 0, 8)).toBe(3);
    expect(rounds((f, a, b, count) => f.countUp(a, b, count), 9, 5)).toBe(1);
  });

  test("countDown", () => {
    expect(rounds((f, a, _, count) => f.countDown(a, count), 5)).toBe(5);
    expect(rounds((f, a, _, count) => f.countDown(a, count, 4), 11)).toBe(2);
  });
});
