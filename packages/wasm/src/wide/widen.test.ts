import { setFlagsFromString } from "node:v8";
import { beforeAll, describe, expect, test } from "vitest";
import type { FunctionBuilder } from "../function.js";
import { ModuleBuilder } from "../module.js";
import type { Local } from "../types.js";
import { widenAddresses } from "./widen.js";

type I32 = Local<"i32">;
/** Writes an exported function of an address and a number. */
type Body = (f: FunctionBuilder, at: I32, n: I32, module: ModuleBuilder) => void;

/** 4 GiB and a little. */
const HIGH = 2 ** 32 + 64;
const BYTES = 256;

beforeAll(() => {
  // Node 20 and 22 have 64-bit addresses behind a flag; later ones do not know the flag.
  if (!WebAssembly.validate(memoryModule(1))) setFlagsFromString("--experimental-wasm-memory64");
});

function memoryModule(initial: number): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  module.addMemory({ initial, memory64: true }, "memory");
  return module.build();
}

function moduleOf(body: Body, results: readonly "i32"[] = []): Uint8Array<ArrayBuffer> {
  const module = new ModuleBuilder();
  module.importMemory("env", "memory", { initial: 1 });
  module.func({ params: ["i32", "i32"], results, export: "run", name: "run" }, (f, at, n) =>
    body(f, at, n, module),
  );
  return module.build();
}
const widen = (module: Uint8Array): Uint8Array<ArrayBuffer> =>
  widenAddresses(module, { isAddress: (_, at) => at === 0, maximum: 1 });

interface Ran {
  readonly result: unknown;
  readonly bytes: readonly number[];
}
/** Runs a function on some bytes at an address. */
function run(module: Uint8Array<ArrayBuffer>, memory: WebAssembly.Memory, at: number, n: number): Ran {
  const bytes = (): Uint8Array => new Uint8Array(memory.buffer, at - 64, BYTES);
  bytes().set(Uint8Array.from({ length: BYTES }, (_, i) => (i * 37) % 251));
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(module), { env: { memory } });
  const result: unknown = (exports["run"] as (at: number, n: number) => unknown)(at, n);
  return { result, bytes: [...bytes()] };
}

/** What both widths give; the narrow one at 64. */
function both(body: Body, n: number, results: readonly "i32"[] = []): { narrow: Ran; wide: Ran } {
  const module = moduleOf(body, results);
  const instance = new WebAssembly.Instance(new WebAssembly.Module(memoryModule(65_537)));
  const memory = instance.exports["memory"] as WebAssembly.Memory;
  return {
    narrow: run(module, new WebAssembly.Memory({ initial: 1 }), 64, n),
    wide: run(widen(module), memory, HIGH, n),
  };
}

const countDown = (f: FunctionBuilder, left: I32, body: () => void): void => {
  f.loop((again) => {
    body();
    f.get(left).i32(1).op("i32.sub").tee(left).brIf(again);
  });
};

const BODIES: readonly (readonly [name: string, body: Body, results: readonly "i32"[]])[] = [
  [
    "offsets below zero and above",
    (f, at, n) => {
      f.get(at).i32(-16).op("i32.add").get(n).i32(4).op("i32.mul", "i32.add");
      f.get(n).i32(-4).op("i32.mul").get(at).op("i32.add").memory("i32.load").memory("i32.store", 8);
    },
    [],
  ],
  [
    "pointers that move",
    (f, at, n) => {
      const [from, end] = f.locals("i32", 2);
      f.get(at).tee(from).i32(40).op("i32.add").set(end);
      f.loop((again) => {
        f.get(from).get(from).memory("i32.load8_u").get(n).op("i32.add").memory("i32.store8", 3);
        f.increase(from, 5).get(from, end).op("i32.lt_u").brIf(again);
      });
    },
    [],
  ],
  [
    "a variable that holds an offset and then an address",
    (f, at, n) => {
      const both = f.local("i32");
      f.get(n).i32(2).op("i32.shl").tee(both);
      f.if(() => {
        f.get(both, at).op("i32.add").set(both);
        f.get(both).i32(77).memory("i32.store");
      });
      f.get(at, n).op("i32.sub").get(both, at).op("i32.sub").memory("i32.store8");
    },
    [],
  ],
  [
    "differences, comparisons and choices of addresses",
    (f, at, n) => {
      const [a, b] = f.locals("i32", 2);
      f.get(at).i32(24).op("i32.add").set(a);
      f.get(at).get(n).op("i32.add").set(b);
      f.get(at, a, b).op("i32.sub").i32(3).op("i32.div_s").memory("i32.store");
      f.get(a, b, a, b).op("i32.gt_u", "select").i32(9).memory("i32.store8");
      f.get(a, b)
        .op("i32.eq")
        .if(
          () => f.get(at).i32(1).memory("i32.store8", 1),
          () => f.get(at).i32(2).memory("i32.store8", 1),
        );
      // An address is not zero, whatever its lower bits are.
      f.get(at)
        .i32(64)
        .op("i32.sub")
        .i32(64)
        .op("i32.add")
        .if(() => f.get(at).i32(5).memory("i32.store8", 2));
      f.get(at).get(at).op("i32.eqz").memory("i32.store8", 3);
    },
    [],
  ],
  [
    "functions of addresses, blocks with addresses, and what is never called",
    (f, at, n, module) => {
      const next = module.func({ params: ["i32", "i32"], results: ["i32"] }, (g, from, by) =>
        g.get(from, by).op("i32.add"),
      );
      module.func({ params: ["i32"] }, (g, from) => g.get(from, from).memory("i32.store"));
      f.get(n).i32(3).op("i32.gt_s");
      f.if(
        () => f.get(at, n).call(next),
        () => f.get(at),
        "i32",
      );
      f.i32(11).memory("i32.store8");
      f.block((out) => {
        f.get(at).i32(9).op("i32.add").br(out);
      }, "i32");
      f.get(n).i32(1).call(next).memory("i32.store8");
    },
    [],
  ],
  [
    "copies and fills",
    (f, at, n) => {
      f.get(at).i32(32).op("i32.add").get(at, n).memoryCopy();
      f.get(at).get(n).i32(7).memoryFill();
    },
    [],
  ],
  [
    "vectors, lanes and counters",
    (f, at, n) => {
      const four = f.local("v128");
      const left = f.local("i32");
      f.get(n).set(left);
      countDown(f, left, () => {
        f.get(at).memory("v128.load", 4).get(left).op("i32x4.splat", "i32x4.add").set(four);
        f.get(at, four).memory("v128.store");
        f.get(at).get(left).op("i32.add").get(four).memoryLane("v128.store8_lane", 3);
      });
    },
    [],
  ],
  ["a result that is a number", (f, at, n) => f.get(at, n).op("i32.add").memory("i32.load8_u"), ["i32"]],
];

describe.each(BODIES)("%s", (_, body, results) => {
  test.each([1, 5, 12])("as with addresses of 32 bits (%i)", (n) => {
    const { narrow, wide } = both(body, n, results);
    expect(wide).toEqual(narrow);
  });
});

test("sums and products for an address are computed in 64 bits", () => {
  // 3 * 2^30 bytes are a number below zero in 32 bits.
  const module = moduleOf((f, at, n) => {
    f.get(at, n)
      .i32(2 ** 30)
      .op("i32.mul", "i32.add")
      .i32(42)
      .memory("i32.store8");
  });
  const instance = new WebAssembly.Instance(new WebAssembly.Module(memoryModule(65_537)));
  const memory = instance.exports["memory"] as WebAssembly.Memory;
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(widen(module)), { env: { memory } });
  (exports["run"] as (at: number, n: number) => unknown)(100, 3);
  expect(new Uint8Array(memory.buffer, 3 * 2 ** 30 + 100, 1)[0]).toBe(42);
});

test("memory at a number that comes from no address is a mistake", () => {
  const module = moduleOf((f, _, n) => f.get(n).memory("i32.load").op("drop"));
  expect(() => widen(module)).toThrow(expect.objectContaining({ code: "WASM_CODE" }));
});

test("a memory of its own is a mistake", () => {
  const module = new ModuleBuilder();
  module.addMemory({ initial: 1 });
  expect(() => widen(module.build())).toThrow(expect.objectContaining({ code: "WASM_CODE" }));
});
