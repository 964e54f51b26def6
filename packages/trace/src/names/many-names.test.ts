import { describe, expect, test } from "vitest";
import { ManyNames } from "./many-names.js";

describe("many names at once", () => {
  /** What a sequence of `create` gives, and one of `createMany` on the same names before. */
  const both = (before: readonly string[], candidate: string, count: number, after: readonly string[]) => {
    const [single, many] = [new ManyNames(), new ManyNames()];
    for (const namespace of [single, many]) for (const name of before) namespace.create(name);
    const wanted = Array.from({ length: count }, () => single.create(candidate));
    const nameAt = many.createMany(candidate, count);
    const got = wanted.map((_, at) => nameAt(at));
    const rest = (namespace: ManyNames): string[] => after.map((name) => namespace.create(name));
    return { wanted: [...wanted, ...rest(single)], got: [...got, ...rest(many)] };
  };

  test.each<[string[], string, number, string[]]>([
    [[], "getitem", 5, ["getitem", "getitem_2", "getitem_9"]],
    [["getitem", "getitem"], "getitem", 3, ["getitem", "getitem_4", "getitem_3", "getitem_03"]],
    [["slice"], "slice", 4, ["slice", "slice_2"]],
    [["getitem_7", "getitem"], "getitem", 4, ["getitem", "getitem_8"]],
    [["getitem", "getitem_2"], "getitem", 4, ["getitem_2", "getitem"]],
    [["getitem_2", "getitem", "getitem"], "getitem", 40, ["getitem_2", "getitem"]],
    [["conv2d"], "conv2d", 3, ["conv2d"]],
    [["x_1"], "x_1", 3, ["x", "x_1"]],
    [["a.b", "a.b"], "a.b", 3, ["a.b", "a_b"]],
    [["add"], "add", 0, ["add"]],
  ])("after %j, %s %i times, then %j", (...given) => {
    const { got, wanted } = both(...given);
    expect(got).toEqual(wanted);
  });

  test("reserved names are left out", () => {
    const namespace = new ManyNames();
    namespace.create("add");
    namespace.reserve("add_3");
    const nameAt = namespace.createMany("add", 3);
    expect([0, 1, 2].map(nameAt)).toEqual(["add_1", "add_2", "add_4"]);
  });

  test("they are taken, and one at a time may come between", () => {
    const namespace = new ManyNames();
    namespace.create("add");
    namespace.createMany("add", 3);
    expect(namespace.create("add")).toBe("add_4");
    namespace.createMany("add", 2);
    const taken = Array.from({ length: 8 }, (_, at) => namespace.has(`add_${at}`));
    expect(taken).toEqual([false, true, true, true, true, true, true, false]);
    expect(namespace.has("add_01")).toBe(false);
  });
});
