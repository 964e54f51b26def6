import type { Worker } from "node:worker_threads";
import { type FunctionBuilder, type Local, ModuleBuilder } from "@sconce/wasm";
import { afterEach, describe, expect, test } from "vitest";
import type { Job } from "./control.js";
import { ThreadPool } from "./pool.js";

/** A module of one entry (address, scratch, start, end) that visits each unit. */
function moduleOf(
  visit: (f: FunctionBuilder, address: Local<"i32">, unit: Local<"i32">, scratch: Local<"i32">) => void,
): WebAssembly.Module {
  const module = new ModuleBuilder();
  module.importMemory("env", "memory", { initial: 4, maximum: 4, shared: true });
  module.func({ params: ["i32", "i32", "i32", "i32"], export: "k0" }, (f, address, scratch, unit, end) => {
    f.block((done) => {
      f.loop((again) => {
        f.get(unit, end).op("i32.ge_s").brIf(done);
        visit(f, address, unit, scratch);
        f.increase(unit, 1).br(again);
      });
    });
  });
  return new WebAssembly.Module(module.build());
}
/** Adds one to the word of each unit. */
const COUNTS = moduleOf((f, address, unit) => {
  f.get(address, unit).i32(2).op("i32.shl", "i32.add");
  f.get(address, unit).i32(2).op("i32.shl", "i32.add").memory("i32.load");
  f.i32(1).op("i32.add").memory("i32.store");
});
/** Fails at unit 3. */
const FAILS = moduleOf((f, _address, unit) => {
  f.get(unit)
    .i32(3)
    .op("i32.eq")
    .if(() => f.op("unreachable"));
});

/** On the main thread it waits until another has a unit; there it never ends. */
const HANGS = moduleOf((f, address, _unit, scratch) => {
  f.get(scratch).if(
    () => {
      f.get(address).i32(1).memory("i32.atomic.store");
      f.loop((again) => f.br(again));
    },
    () => {
      f.loop((again) => f.get(address).memory("i32.atomic.load").op("i32.eqz").brIf(again));
    },
  );
});

const pools: ThreadPool[] = [];
afterEach(() => {
  for (const pool of pools.splice(0)) pool.dispose();
});
async function poolOf(count: number, module = COUNTS) {
  const memory = new WebAssembly.Memory({ initial: 4, maximum: 4, shared: true });
  const pool = new ThreadPool(count, {});
  pools.push(pool);
  const id = pool.add({ module, memory, scratch: 0, scratchBytes: 16 });
  await pool.ready();
  const job = (units: number): Job => ({ module: id, entry: 0, addresses: [1024], units });
  return { pool, memory, id, job };
}

describe("ThreadPool", () => {
  test.each([1, 2, 4])("%i threads compute each unit once", async (count) => {
    const { pool, memory, job } = await poolOf(count);
    const words = new Int32Array(memory.buffer, 1024, 1000);
    for (let run = 1; run <= 300; run++) {
      await pool.run(job(1 + ((run * 37) % 1000)), true);
    }
    const expected = Array.from({ length: 1000 }, (_, unit) => {
      let count = 0;
      for (let run = 1; run <= 300; run++) if (unit < 1 + ((run * 37) % 1000)) count++;
      return count;
    });
    expect([...words]).toEqual(expected);
  });
  test("modules that come later are known to all threads", async () => {
    const { pool, memory } = await poolOf(2);
    const id = pool.add({ module: COUNTS, memory, scratch: 0, scratchBytes: 0 });
    await pool.ready();
    await pool.run({ module: id, entry: 0, addresses: [1024], units: 8 }, true);
    expect([...new Int32Array(memory.buffer, 1024, 9)]).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0]);
    pool.delete(id);
    await pool.ready();
  });
  test("a worker that ends is an error if it had a part, and the next run works", async () => {
    const workers: Worker[] = [];
    const keep = (worker: Worker): void => void workers.push(worker);
    process.on("worker", keep);
    const { pool, memory, job } = await poolOf(2, HANGS);
    const run = (async () => pool.run(job(2), true))();
    await workers[0]!.terminate();
    await expect(run).rejects.toThrow(/THREAD_LOST|ended/);
    const id = pool.add({ module: COUNTS, memory, scratch: 0, scratchBytes: 0 });
    await pool.ready();
    await pool.run({ module: id, entry: 0, addresses: [2048], units: 4 }, true);
    expect([...new Int32Array(memory.buffer, 2048, 4)]).toEqual([1, 1, 1, 1]);
    expect(workers).toHaveLength(2);
    process.off("worker", keep);
  });
  test("a part that fails is an error, and the next run works", async () => {
    const { pool, memory, job } = await poolOf(3, FAILS);
    await expect(async () => pool.run(job(16), true)).rejects.toThrow(/KERNEL_FAILED|unreachable/);
    const id = pool.add({ module: COUNTS, memory, scratch: 0, scratchBytes: 0 });
    await pool.run({ module: id, entry: 0, addresses: [1024], units: 4 }, true);
    expect([...new Int32Array(memory.buffer, 1024, 4)]).toEqual([1, 1, 1, 1]);
  });
});
