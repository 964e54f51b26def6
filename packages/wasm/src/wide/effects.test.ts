import { expect, test } from "vitest";
import { detectFeatures } from "../features.js";
import type { FunctionBuilder } from "../function.js";
import { ModuleBuilder } from "../module.js";
import { encodingOf, instructionNames } from "../opcodes.js";
import type { ValueType } from "../types.js";
import { type Effect, effectOf } from "./effects.js";

const OTHERS = ["i64", "f32", "f64", "v128"] as const;

/** All types that operands of an effect may have. */
function typesOf({ takes, gives }: Effect): { takes: ValueType[]; gives: ValueType[] }[] {
  let lists: ValueType[][] = [[]];
  for (const slot of takes)
    lists = lists.flatMap((list) =>
      (slot === "i32" ? (["i32"] as const) : OTHERS).map((type) => [...list, type]),
    );
  const given: ValueType[][] =
    gives === undefined ? [[]] : gives === "i32" ? [["i32"]] : OTHERS.map((type) => [type]);
  return lists.flatMap((list) => given.map((one) => ({ takes: list, gives: one })));
}

/** Whether the engine agrees with an effect, for some types that are not i32. */
function isValid(name: string, write: (f: FunctionBuilder) => void): boolean {
  return typesOf(effectOf(encodingOf(name)!)!).some(({ takes, gives }) => {
    const module = new ModuleBuilder();
    module.addMemory({ initial: 1, maximum: 1, shared: true });
    module.func({ params: takes, results: gives }, (f, ...locals) => {
      f.get(...locals);
      write(f);
    });
    return WebAssembly.validate(module.build());
  });
}

test("effects are those of the engine", () => {
  const { plain, memory, lane, memoryLane } = instructionNames();
  const { relaxed } = detectFeatures();
  const wrong = [
    ...plain
      .filter((name) => name.includes(".") && (relaxed || !name.includes("relaxed")))
      .filter((name) => !isValid(name, (f) => f.op(name))),
    ...memory.filter((name) => !isValid(name, (f) => f.memory(name))),
    ...lane.filter((name) => !isValid(name, (f) => f.lane(name, 0))),
    ...memoryLane.filter((name) => !isValid(name, (f) => f.memoryLane(name, 0))),
  ];
  expect(wrong).toEqual([]);
});
