import type { Worker } from "node:worker_threads";
import { type FunctionBuilder, type Local, ModuleBuilder } from "@sconce/wasm";
import { afterEach, describe, expect, test } from "vitest";
import { maySleep, spawnWorker } from "#threads";
import { threadLost } from "../errors.js";
import type { Job } from "./control.js";
import type { Entry } from "./modules.js";
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

const NOTHING = moduleOf(() => {});
/** As {@link HANGS}, until the next word is set. */
const WAITS = moduleOf((f, address, _unit, scratch) => {
  f.get(scratch).if(
    () => {
      f.get(address).i32(1).memory("i32.atomic.store");
      f.loop((again) => f.get(address).memory("i32.atomic.load", 4).op("i32.eqz").brIf(again));
    },
    () => {
      f.loop((again) => f.get(address).memory("i32.atomic.load").op("i32.eqz").brIf(again));
    },
  );
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
  const pool = new ThreadPool(count, { spawnWorker, maySleep, lost: threadLost });
  pools.push(pool);
  const add = (added: WebAssembly.Module) => {
    const id = pool.add(added, memory);
    const { exports } = new WebAssembly.Instance(added, { env: { memory } });
    return (units: number, address = 1024): void | Promise<void> => {
      const job: Job = { module: id, entry: 0, addresses: [address], scratch: 0, scratchBytes: 16, units };
      return pool.run(job, exports["k0"] as Entry);
    };
  };
  const run = add(module);
  // The first job starts the workers.
  await add(NOTHING)(2);
  await pool.ready();
  return { pool, memory, run, add };
}

describe("ThreadPool", () => {
  test.each([1, 2, 4])("%i threads compute each unit once", async (count) => {
    const { memory, run: compute } = await poolOf(count);
    const words = new Int32Array(memory.buffer, 1024, 1000);
    for (let run = 1; run <= 300; run++) {
      await compute(1 + ((run * 37) % 1000));
    }
    const expected = Array.from({ length: 1000 }, (_, unit) => {
      let count = 0;
      for (let run = 1; run <= 300; run++) if (unit < 1 + ((run * 37) % 1000)) count++;
      return count;
    });
    expect([...words]).toEqual(expected);
  });
  test("modules that come later are known to all threads", async () => {
    const { pool, memory, add } = await poolOf(2);
    const compute = add(COUNTS);
    await pool.ready();
    await compute(8);
    expect([...new Int32Array(memory.buffer, 1024, 9)]).toEqual([1, 1, 1, 1, 1, 1, 1, 1, 0]);
    pool.delete(0);
    await pool.ready();
  });
  test("a worker that ends is an error if it had a part, and the next run works", async () => {
    const workers: Worker[] = [];
    const keep = (worker: Worker): void => void workers.push(worker);
    process.on("worker", keep);
    const { pool, memory, run: hang, add } = await poolOf(2, HANGS);
    const run = (async () => hang(2))();
    await workers[0]!.terminate();
    await expect(run).rejects.toThrow(/THREAD_LOST|ended/);
    const compute = add(COUNTS);
    await pool.ready();
    await compute(4, 2048);
    expect([...new Int32Array(memory.buffer, 2048, 4)]).toEqual([1, 1, 1, 1]);
    expect(workers).toHaveLength(2);
    process.off("worker", keep);
  });
  test("a job waits while another takes long", async () => {
    const { pool, memory, run: wait, add } = await poolOf(2, WAITS);
    const count = add(COUNTS);
    await pool.ready();
    const long = wait(2);
    expect(long).toBeInstanceOf(Promise);
    const short = count(4, 2048);
    const counted = new Int32Array(memory.buffer, 2048, 4);
    expect([...counted]).toEqual([0, 0, 0, 0]);
    Atomics.store(new Int32Array(memory.buffer), 1024 / 4 + 1, 1);
    await Promise.all([long, short]);
    expect([...counted]).toEqual([1, 1, 1, 1]);
  });
  test("a part that fails is an error, and the next run works", async () => {
    const { memory, run, add } = await poolOf(3, FAILS);
    await expect(async () => run(16)).rejects.toThrow(/KERNEL_FAILED|unreachable/);
    await add(COUNTS)(4);
    expect([...new Int32Array(memory.buffer, 1024, 4)]).toEqual([1, 1, 1, 1]);
  });
});
