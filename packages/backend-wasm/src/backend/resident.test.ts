/// <reference types="node" />
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const program = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT input %y: USER_INPUT output %sum: USER_OUTPUT output %turned: USER_OUTPUT }
graph(%x: f32[2, 3], %y: f32[2, 3]) {
  %sum: f32[2, 3] = aten.add.Tensor(%x, %y)
  %turned: f32[3, 2]{1, 3} = aten.permute.default(%sum, [1, 0])
  return (%sum, %turned)
}`);
const counter = parseIr(`sconce-ir 1
program "ATEN" { input %b: BUFFER "b" input %x: USER_INPUT output %sum: BUFFER_MUTATION "b" output %y: USER_OUTPUT }
graph(%b: f32[4], %x: f32[4]) {
  %sum: f32[4] = aten.add.Tensor(%b, %x)
  %y: f32[4] = aten.mul.Tensor(%sum, %sum)
  return (%sum, %y)
}`).with({ stateDict: new Map([["b", floats(0, 0, 0, 0)]]) });
const stateful = parseIr(`sconce-ir 1
program "ATEN" { input %b: BUFFER "b" input %x: USER_INPUT output %sum: BUFFER_MUTATION "b" output %sum: USER_OUTPUT }
graph(%b: f32[4], %x: f32[4]) {
  %sum: f32[4] = aten.add.Tensor(%b, %x)
  return (%sum, %sum)
}`).with({ stateDict: new Map([["b", floats(0, 0, 0, 0)]]) });
const written = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT input %y: USER_INPUT output %sum: USER_INPUT_MUTATION "x" output %sum: USER_OUTPUT }
graph(%x: f32[4], %y: f32[4]) {
  %sum: f32[4] = aten.add.Tensor(%x, %y)
  return (%sum, %sum)
}`);
const taken = parseIr(`sconce-ir 1
program "ATEN" { input %rows: USER_INPUT input %at: USER_INPUT output %next: USER_OUTPUT output %row: USER_OUTPUT }
graph(%rows: f32[3, 2], %at: i64[2]) {
  %row: f32[2, 2] = aten.index_select.default(%rows, 0, %at)
  %next: i64[2] = aten.add.Scalar(%at, 1)
  return (%next, %row)
}`);

function floats(...values: number[]): Tensor {
  return Tensor.fromData(Float32Array.from(values), "float32");
}
const table = (...values: number[]) => Tensor.fromData(Float32Array.from(values), "float32", [2, 3]);
const [x, y] = [table(1, 2, 3, 4, 5, 6), table(10, 20, 30, 40, 50, 60)];
const SUM = [11, 22, 33, 44, 55, 66];
const NO_COPIES = { toDevice: 0, toHost: 0, bytesToDevice: 0, bytesToHost: 0 };
const arraysOf = (values: readonly unknown[]) => values.map((value) => (value as Tensor).toArray());

const backend = wasmBackend({ threads: 1 });

describe("results that stay on the device", () => {
  test("are inputs of a later run without a copy, of another executable too", async () => {
    const [first, second] = [await backend.compile(program), await backend.compile(program)];
    const kept = (await first.run([x, y], { results: "device" })) as Tensor[];
    expect(first.placement!().copies).toEqual({ toDevice: 2, toHost: 0, bytesToDevice: 48, bytesToHost: 0 });
    const twice = (await second.run([kept[0]!, kept[0]!], { results: "device" })) as Tensor[];
    expect(second.placement!().copies).toEqual(NO_COPIES);
    expect(arraysOf(twice)).toEqual(arraysOf((await second.run([kept[0]!, table(...SUM)])) as Tensor[]));
    expect(twice[0]!.toArray()).toEqual(SUM.map((value) => 2 * value));
    for (const one of [...kept, ...twice]) one.dispose();
    expect([first, second].map((one) => one.memory!().deviceBytes)).toEqual([0, 0]);
  });
  test("have the layout of the program, and print", async () => {
    const executable = await backend.compile(program);
    const host = (await executable.run([x, y])) as Tensor[];
    const kept = (await executable.run([x, y], { results: "device" })) as Tensor[];
    expect(kept.map(({ strides }) => strides)).toEqual(host.map(({ strides }) => strides));
    expect(kept.map(String)).toEqual(host.map(String));
    expect(arraysOf(kept)).toEqual(arraysOf(host));
    expect(kept.map(({ data }) => [...(data as Float32Array)])).toEqual(
      host.map(({ data }) => [...(data as Float32Array)]),
    );
  });
  test("are those that are named", async () => {
    const executable = await backend.compile(program);
    const bytes = async (results: readonly (string | number)[]) => {
      await executable.run([x, y], { results });
      return executable.placement!().copies.bytesToHost;
    };
    expect(await bytes([])).toBe(48);
    expect(await bytes([1])).toBe(24);
    expect(await bytes(["sum"])).toBe(24);
    expect(await bytes(["sum", "turned"])).toBe(0);
    for (const results of [[2], ["x"], [-1], [0.5], "host", 1])
      await expect(executable.run([x, y], { results: results as never })).rejects.toMatchObject({
        code: "OPTION_VALUE",
        fix: 'give "device", or a list of outputs: 0 or "sum", 1 or "turned"',
      });
  });
  test("move to the host when they are read, so that writes count", async () => {
    const executable = await backend.compile(program);
    const [sum] = (await executable.run([x, y], { results: [0] })) as [Tensor];
    sum.data[0] = 100;
    const [again] = (await executable.run([sum, y])) as [Tensor];
    expect(again.toArray()[0]).toBe(110);
    expect(executable.memory!().deviceBytes).toBe(0);
  });
  test("are read without moving by pieces and ranges", async () => {
    const executable = await backend.compile(program);
    const [, turned] = (await executable.run([x, y], { results: "device" })) as Tensor[];
    const { storage } = turned!;
    const bytes = await storage.read(4, 8);
    expect([...new Float32Array(bytes.buffer)]).toEqual(SUM.slice(1, 3));
    const pieces: Uint8Array[] = [];
    for await (const piece of storage.pieces()) pieces.push(piece);
    expect([...new Float32Array(pieces[0]!.buffer)]).toEqual(SUM);
    await executable.run([x, y]);
    expect(executable.memory!().deviceBytes).toBe(48);
  });
  test("may be viewed: what is not the whole is copied", async () => {
    const executable = await backend.compile(program);
    const [, turned] = (await executable.run([x, y], { results: "device" })) as Tensor[];
    const back = turned!.asStrided([2, 3], [3, 1]);
    expect(await sumOf(executable, back)).toEqual(SUM.map((value) => 2 * value));
    const reversed = turned!.asStrided([2, 3], [0, 1], 3);
    expect(await sumOf(executable, reversed)).toEqual([55, 77, 99, 88, 110, 132]);
  });
  test("are given up by dispose", async () => {
    const executable = await backend.compile(program);
    const [sum] = (await executable.run([x, y], { results: "device" })) as [Tensor];
    sum.dispose();
    sum.dispose();
    expect(() => sum.data).toThrow(/tensor of 24 bytes on a device was disposed/);
    await expect(executable.run([sum, y])).rejects.toMatchObject({ code: "DISPOSED" });
  });
  test("outlive their executable and growing memory", async () => {
    const own = wasmBackend({ threads: 1 });
    const executable = await own.compile(program);
    const [sum, turned] = (await executable.run([x, y], { results: "device" })) as Tensor[];
    executable.dispose();
    const next = await own.compile(program);
    const large = await next.toDevice!(Tensor.empty([1 << 20], "float32"));
    expect(await sumOf(next, sum!)).toEqual(SUM.map((value) => 2 * value));
    expect(next.placement!().copies.toDevice).toBe(1);
    next.dispose();
    expect(turned!.toArray()).toEqual([11, 44, 22, 55, 33, 66]);
    expect(large.numel).toBe(1 << 20);
  });
  test("of another backend are copied", async () => {
    const [here, there] = [
      await backend.compile(program),
      await wasmBackend({ threads: 2 }).compile(program),
    ];
    const [sum] = (await there.run([x, y], { results: "device" })) as [Tensor];
    expect(await sumOf(here, sum)).toEqual(SUM.map((value) => 2 * value));
    expect(here.placement!().copies.toDevice).toBe(2);
  });
  test("that nothing holds any more are freed", async () => {
    setFlagsFromString("--expose-gc");
    const gc = runInNewContext("gc") as () => void;
    const executable = await backend.compile(program);
    await executable.run([x, y], { results: "device" });
    expect(executable.memory!().deviceBytes).toBe(48);
    for (let i = 0; i < 100 && executable.memory!().deviceBytes > 0; i++) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    expect(executable.memory!().deviceBytes).toBe(0);
  });
  test("do not add up over thousands of runs", async () => {
    const executable = await backend.compile(program);
    let sum = await executable.toDevice!(x);
    const zero = await executable.toDevice!(table(0, 0, 0, 0, 0, 1));
    for (let run = 0; run < 3000; run++) {
      const [next, turned] = (await executable.run([sum, zero], { results: "device" })) as [Tensor, Tensor];
      sum.dispose();
      turned.dispose();
      sum = next;
    }
    expect(executable.memory!()).toMatchObject({ deviceBytes: 48, deviceBuffers: 2 });
    expect(sum.toArray()).toEqual([1, 2, 3, 4, 5, 3006]);
  });
});

async function sumOf(
  executable: { run(inputs: readonly Tensor[]): Promise<readonly unknown[]> },
  one: Tensor,
): Promise<unknown> {
  const [sum] = await executable.run([one, table(...SUM)]);
  return (sum as Tensor).toArray();
}

describe("state that a program writes to", () => {
  test("stays on the device until it is read", async () => {
    const executable = await backend.compile(counter);
    const state = executable.state.get("b")!;
    const step = async () => {
      const [squares] = (await executable.run([floats(1, 2, 3, 4)])) as [Tensor];
      return { squares: squares.toArray(), copies: executable.placement!().copies };
    };
    const one = { toDevice: 1, toHost: 1, bytesToDevice: 16, bytesToHost: 16 };
    expect((await step()).copies.toDevice).toBe(2);
    expect(await step()).toEqual({ squares: [4, 16, 36, 64], copies: one });
    expect(await step()).toEqual({ squares: [9, 36, 81, 144], copies: one });
    expect(executable.memory!().hostBytes).toBe(0);
    const view = state.data;
    expect([...(view as Float32Array)]).toEqual([3, 6, 9, 12]);
    // JavaScript has a view of it: later runs write there.
    expect((await step()).copies.toDevice).toBe(2);
    expect([...(view as Float32Array)]).toEqual([4, 8, 12, 16]);
    view[0] = 100;
    expect((await step()).squares[0]).toBe(101 ** 2);
    expect(executable.memory!().hostBytes).toBe(16);
  });
  test("is not disposed of with the result that it is", async () => {
    const executable = await backend.compile(stateful);
    for (let run = 1; run < 4; run++) {
      const [result] = (await executable.run([floats(1, 2, 3, 4)], { results: "device" })) as [Tensor];
      if (run === 3) expect(result.toArray()).toEqual([3, 6, 9, 12]);
      result.dispose();
    }
    expect(executable.state.get("b")!.toArray()).toEqual([3, 6, 9, 12]);
  });
  test("can be read after the executable is disposed", async () => {
    const executable = await backend.compile(counter);
    const state = executable.state.get("b")!;
    await executable.run([floats(1, 2, 3, 4)]);
    executable.dispose();
    await new Promise((resolve) => setTimeout(resolve));
    expect(state.toArray()).toEqual([1, 2, 3, 4]);
  });
});

describe("inputs that a program writes to", () => {
  test("are written on the device where they are", async () => {
    const executable = await backend.compile(written);
    const place = await executable.toDevice!(floats(1, 2, 3, 4));
    const view = place.asStrided([2], [1], 2);
    for (let run = 0; run < 3; run++) {
      const [result] = await executable.run([place, floats(1, 1, 1, 1)]);
      expect(result).toBe(place);
    }
    expect(executable.placement!().copies).toMatchObject({ toDevice: 1, toHost: 0 });
    expect(view.toArray()).toEqual([6, 7]);
    expect(place.toArray()).toEqual([4, 5, 6, 7]);
  });
  test("given twice, and partly viewed", async () => {
    const executable = await backend.compile(written);
    const place = await executable.toDevice!(floats(1, 2, 3, 4));
    await executable.run([place, place]);
    expect(place.toArray()).toEqual([2, 4, 6, 8]);
    const wide = await executable.toDevice!(floats(1, 2, 3, 4, 5, 6));
    await executable.run([wide.asStrided([4], [1], 1), floats(10, 10, 10, 10)]);
    expect(wide.toArray()).toEqual([1, 12, 13, 14, 15, 6]);
  });
  test("are refused where their elements share a place", async () => {
    const executable = await backend.compile(written);
    const host = floats(1, 2);
    const place = await executable.toDevice!(host);
    for (const one of [host, place]) {
      await expect(executable.run([one.asStrided([4], [0], 1), floats(1, 2, 3, 4)])).rejects.toMatchObject({
        code: "INVALID_ARGUMENT",
        message: expect.stringContaining("more than one element of the written-to tensor"),
      });
      expect(one.toArray()).toEqual([1, 2]);
    }
  });
  test("on the host get what stays on the device", async () => {
    const executable = await backend.compile(written);
    const place = floats(1, 2, 3, 4);
    const [result] = await executable.run([place, place], { results: "device" });
    expect(result).toBe(place);
    expect(place.toArray()).toEqual([2, 4, 6, 8]);
  });
});

test("places in tensors on the device are checked", async () => {
  const executable = await backend.compile(taken);
  const rows = await executable.toDevice!(
    Tensor.fromData(Float32Array.of(1, 2, 3, 4, 5, 6), "float32", [3, 2]),
  );
  let at = await executable.toDevice!(Tensor.from([0, 1], [2], "int64"));
  const steps: unknown[] = [];
  for (let run = 0; run < 2; run++) {
    const [next, row] = (await executable.run([rows, at], { results: [0] })) as [Tensor, Tensor];
    steps.push(row.toArray(), executable.placement!().copies);
    at = next;
  }
  const copies = { toDevice: 0, toHost: 1, bytesToDevice: 0, bytesToHost: 16 };
  expect(steps).toEqual([[1, 2, 3, 4], copies, [3, 4, 5, 6], copies]);
  await expect(executable.run([rows, at])).rejects.toThrow(/index 3 is out of bounds/);
});
test("a dtype that the device does not hold stays on the host", async () => {
  const executable = await backend.compile(program);
  const tensor = Tensor.empty([2], "complex128");
  expect(await executable.toDevice!(tensor)).toBe(tensor);
  const held = await executable.toDevice!(x);
  expect(await executable.toDevice!(held)).toBe(held);
  executable.dispose();
  await expect(executable.toDevice!(x)).rejects.toMatchObject({ code: "DISPOSED" });
});
