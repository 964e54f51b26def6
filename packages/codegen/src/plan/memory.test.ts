import fc from "fast-check";
import { expect, test } from "vitest";
import { constant } from "../ir/index-expr.js";
import type { LoopBuffer, LoopProgram } from "../ir/loop-program.js";
import { type MemoryPlan, type MemoryStep, planMemory } from "./memory-plan.js";

interface Case {
  readonly program: LoopProgram;
  readonly steps: readonly MemoryStep[];
  /** Buffers that are results. */
  readonly results: readonly number[];
  readonly inputs: number;
}

/** Random steps over two inputs: each reads what is there and fills up to three buffers. */
const cases = fc
  .array(
    fc.record({
      sizes: fc.array(fc.nat(40), { minLength: 1, maxLength: 3 }),
      reads: fc.array(fc.nat(1000), { maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 24 },
  )
  .chain((drafts) => fc.tuple(fc.constant(drafts), fc.array(fc.nat(1000), { minLength: 1, maxLength: 4 })))
  .map(([drafts, wanted]): Case => {
    const inputs = 2;
    const buffers: LoopBuffer[] = [];
    const add = (size: number): number => {
      const id = buffers.length;
      const kind = id < inputs ? "input" : "value";
      buffers.push({ id, dtype: "float32", shape: [constant(size)], kind, node: `n${id}` });
      return id;
    };
    add(8);
    add(8);
    const steps = drafts.map(({ sizes, reads }) => {
      const there = buffers.length;
      return { reads: reads.map((at) => at % there), writes: sizes.map(add) };
    });
    const results = wanted.map((at) => at % buffers.length);
    const outputs = results.map(
      (buffer) => ({ kind: "buffer", buffer, shape: [], node: `n${buffer}` }) as const,
    );
    return { program: { buffers, nests: [], inputs: [0, 1], outputs }, steps, results, inputs };
  });

/** Runs the steps on bytes that hold the buffer whose value they are; returns a wrong read. */
function wrongRead({ program, steps, results, inputs }: Case, { places, pieces }: MemoryPlan) {
  const memory = pieces.map((bytes) => new Int32Array(bytes).fill(-1));
  const bytesAt = (id: number): Int32Array => {
    const { piece, offset } = places.get(id)!;
    const length = Number(program.buffers[id]!.shape[0]!.constant) * 4;
    expect(offset + length).toBeLessThanOrEqual(pieces[piece]!);
    return memory[piece]!.subarray(offset, offset + length);
  };
  const isWhole = (id: number): boolean => id < inputs || bytesAt(id).every((owner) => owner === id);
  for (const { reads, writes } of steps) {
    for (const id of writes) bytesAt(id).fill(id);
    // While a step runs, what it reads and all that it fills are there.
    for (const id of [...reads, ...writes]) if (!isWhole(id)) return id;
  }
  return results.find((id) => !isWhole(id));
}

/** Bytes that are needed while each step runs, by the definition. */
const needed = ({ program, steps, results }: Case): number[] =>
  steps.map((_, at) => {
    const later = new Set([...steps.slice(at).flatMap(({ reads }) => [...reads]), ...results]);
    const alive = steps
      .slice(0, at + 1)
      .flatMap(({ writes }, from) => writes.filter((id) => from === at || later.has(id)));
    return alive.reduce((total, id) => total + Number(program.buffers[id]!.shape[0]!.constant) * 4, 0);
  });

test.each(["arena", "slots"] as const)("no two values of a random program share a place: %s", (layout) => {
  fc.assert(
    fc.property(cases, (one) => {
      const plan = planMemory(one.program, { steps: one.steps, layout, alignment: 4 });
      expect(wrongRead(one, plan)).toBeUndefined();
      expect(plan.alive).toEqual(needed(one));
      expect(plan.liveBytes).toBe(Math.max(...plan.alive));
      expect(plan.peakBytes).toBeGreaterThanOrEqual(plan.liveBytes);
      if (layout === "slots")
        for (const { offset, bytes, piece } of plan.places.values())
          expect([offset, bytes <= plan.pieces[piece]!]).toEqual([0, true]);
    }),
  );
});

test("a program of 20,000 steps is planned without comparing each value with each", () => {
  const buffers = Array.from(
    { length: 20_001 },
    (_, id): LoopBuffer => ({
      id,
      dtype: "float32",
      shape: [constant(1 + ((id * 7919) % 1000))],
      kind: id === 0 ? "input" : "value",
      node: `n${id}`,
    }),
  );
  const steps = buffers.slice(1).map(({ id }) => ({ reads: [id - 1, Math.max(0, id - 5)], writes: [id] }));
  const program: LoopProgram = { buffers, nests: [], inputs: [0], outputs: [] };
  for (const layout of ["arena", "slots"] as const) {
    const { peakBytes, liveBytes } = planMemory(program, { steps, layout });
    expect(peakBytes).toBeLessThanOrEqual(1.5 * liveBytes);
  }
});

test.each(["arena", "slots"] as const)(
  "values that are needed for long do not share places: %s",
  (layout) => {
    const count = 900;
    const buffers = Array.from(
      { length: count },
      (_, id): LoopBuffer => ({
        id,
        dtype: "float32",
        shape: [constant(1 + ((id * 7919) % 13))],
        kind: id < 2 ? "input" : "value",
        node: `n${id}`,
      }),
    );
    const readBy = (id: number): number[] => [Math.max(0, id - 1), Math.max(0, id - 300 - (id % 100))];
    const steps = buffers.slice(2).map(({ id }) => ({ reads: readBy(id), writes: [id] }));
    const results = [count - 1, 700];
    const outputs = results.map((buffer) => ({ kind: "buffer", buffer, shape: [], node: "n" }) as const);
    const program: LoopProgram = { buffers, nests: [], inputs: [0, 1], outputs };
    const plan = planMemory(program, { steps, layout, alignment: 4 });
    expect(wrongRead({ program, steps, results, inputs: 2 }, plan)).toBeUndefined();
    expect(plan.peakBytes).toBeLessThan(2 * plan.liveBytes);
  },
);

test("a place is taken again only after the step that reads its value last", () => {
  const buffers = [8, 4, 4, 8].map(
    (size, id): LoopBuffer => ({
      id,
      dtype: "int64",
      shape: [constant(size)],
      kind: id === 0 ? "input" : "value",
      node: `n${id}`,
    }),
  );
  const outputs = [{ kind: "buffer", buffer: 3, shape: [], node: "n3" } as const];
  const program: LoopProgram = { buffers, nests: [], inputs: [0], outputs };
  const steps = [
    { reads: [0], writes: [1] },
    { reads: [0, 1], writes: [2] },
    { reads: [2], writes: [3] },
  ];
  const plan = planMemory(program, { steps, layout: "slots", elementBytes: 4, alignment: 16 });
  expect(plan.pieces).toEqual([32, 16]);
  expect([...plan.places].map(([id, { piece }]) => [id, piece])).toEqual([
    [1, 0],
    [2, 1],
    [3, 0],
  ]);
  expect(plan.dead).toEqual([[], [0, 1], [2]]);
  expect(plan.alive).toEqual([16, 32, 48]);
  const arena = planMemory(program, { steps });
  expect(arena.pieces).toEqual([arena.peakBytes]);
  expect(arena.places.get(1)!.bytes).toBe(64);
});
