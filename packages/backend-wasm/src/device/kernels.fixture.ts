/** @file Kernels for the tests of the device: sums and products of float32, element by element. */
import { bytesOf, readsOf, type Scalar } from "@sconce/codegen";
import type { FunctionBuilder, Local } from "@sconce/wasm";
import type { Kernels } from "./device.js";

/** Puts the value of an element on the stack; `at` is its offset in bytes. */
function push(f: FunctionBuilder, value: Scalar, at: Local, memories: ReadonlyMap<number, Local>): void {
  if (value.kind === "load") f.get(memories.get(value.buffer)!).get(at).op("i32.add").memory("f32.load");
  else if (value.kind === "constant") f.f32(Number(value.value));
  else if (value.kind === "call") {
    for (const arg of value.args) push(f, arg, at, memories);
    f.op(value.fn === "mul" ? "f32.mul" : "f32.add");
  } else throw new Error(`no code for ${value.kind}`);
}

/** Kernels of nests whose buffers all have the same elements. */
export const PLAIN: Kernels = {
  whyNotHeld: (dtype) => (dtype === "float32" ? undefined : `kernels have no ${dtype}`),
  whyNot: () => undefined,
  make: ({ nests }, { loops, sizes }) => {
    const { value, output } = nests[0]!;
    const reads = [...readsOf(value)];
    return {
      memories: [
        ...reads.map((buffer) => ({ buffer, access: "read" as const })),
        { buffer: output, access: "write" },
      ],
      units: bytesOf(loops.buffers[output]!, sizes) / 4,
      scratchBytes: 0,
      imports: [],
      text: `kernel of ${output}`,
      emit: (module) =>
        module.func(
          { params: Array.from({ length: reads.length + 4 }, () => "i32" as const) },
          (f, ...all) => {
            const memories = new Map([...reads, output].map((id, i) => [id, all[i]!]));
            const [unit, end] = all.slice(-2) as [Local, Local];
            const at = f.local("i32");
            f.block((done) => {
              f.loop((again) => {
                f.get(unit).get(end).op("i32.ge_u").brIf(done);
                f.get(unit).i32(4).op("i32.mul").set(at);
                f.get(memories.get(output)!).get(at).op("i32.add");
                push(f, value, at, memories);
                f.memory("f32.store");
                f.get(unit).i32(1).op("i32.add").set(unit).br(again);
              });
            });
          },
        ),
    };
  },
};
