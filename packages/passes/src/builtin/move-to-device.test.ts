import { device, type ExportedProgram, FakeTensor, type Graph, undo } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { PassManager } from "../manager/pass-manager.js";
import { parsePipeline } from "../manager/pipeline.js";
import { context, run } from "../programs.fixture.js";
import { moveToDevice, moveToDevicePass } from "./move-to-device.js";

const SOURCE = `sconce-ir 1

program "TRAINING" {
  parameter "w": f32[2]
  buffer "b": f32[2]
  constant "c": f32[2]
  input %p_w: PARAMETER "w"
  input %b_b: BUFFER "b" persistent
  input %c_c: CONSTANT_TENSOR "c"
  input %x: USER_INPUT
  output %out: USER_OUTPUT
}

graph(%p_w: f32[2] device(cuda:0), %b_b: f32[2] device(cuda:0), %c_c: f32[2], %x: f32[2] device(cuda:1)) {
  %body = get_attr body
  %a: f32[2] device(cuda:0) = higher_order.wrap_with_set_grad_enabled(false, %body, %p_w)
  %zeros: f32[2] device(cuda:1) = aten.zeros.default([2], device=device(cuda:1))
  %like: f32[2] device(cuda:0) = aten.zeros_like.default(%a, device=none)
  %to: f32[2] device(cuda:0) = aten.to.device(%zeros, device(cuda:0), float32)
  %put: f32[2] device(cuda:0) = prims.device_put.default(%x, device(cuda:0))
  %split: (f32[1] device(cuda:0), f32[1] device(cuda:0)) = aten.split.Tensor(%put, 1)
  %out: f32[2] device(cuda:0) = aten.add.Tensor(%to, %put)
  return (%out)
  graph body(%y: f32[2] device(cuda:0)) {
    %ones: f32[2] device(cuda:0) = aten.ones.default([2], device=device(cuda:0))
    %sum: f32[2] device(cuda:0) = aten.add.Tensor(%y, %ones)
    return (%sum)
  }
}
`;
const values = (first: number): Tensor => Tensor.from([first, 2], { dtype: "float32" });
const tensors: Readonly<Record<string, Tensor>> = { w: values(1), b: values(3), c: values(5) };

/** A program of two CUDA devices, with values. */
function program(source = SOURCE): ExportedProgram {
  const read = parseIr(source, { unknownTargets: "allow", tensors: new Map(Object.entries(tensors)) });
  return read.with({ exampleInputs: { leaves: [values(7)] } });
}

function devicesOf(graph: Graph): string[] {
  const found = new Set<string>();
  const visit = (value: unknown): void => {
    if (value instanceof FakeTensor) found.add(`${value.device.type}:${value.device.index}`);
    else if (Array.isArray(value)) value.forEach(visit);
  };
  for (const node of graph.nodes()) visit(node.meta.val);
  for (const nested of graph.subgraphs.values()) for (const name of devicesOf(nested)) found.add(name);
  return [...found].sort();
}

describe("moveToDevicePass", () => {
  test("moves values, nested ones and those of several results, and the devices of calls", () => {
    const before = program();
    const moved = moveToDevicePass(before, "cpu");
    expect(devicesOf(moved.graph)).toEqual(["cpu:null"]);
    const { graph } = moved;
    expect(graph.node("zeros").kwargs).toEqual({ device: "cpu" });
    expect(graph.node("like").kwargs).toEqual({ device: "cpu" });
    expect(graph.node("to").args[1]).toBe("cpu");
    expect(graph.node("put").args[1]).toEqual(device("cpu"));
    expect(graph.subgraphs.get("body")!.node("ones").kwargs).toEqual({ device: "cpu" });
    expect(moved.stateDict).toBe(before.stateDict);
    expect(moved.exampleInputs).toEqual(before.exampleInputs);
    expect(devicesOf(before.graph)).toEqual(["cpu:null", "cuda:0", "cuda:1"]);
  });

  test("by the names of devices: those that are not named stay", () => {
    const moved = moveToDevicePass(program(), { "cuda:1": "cpu", cpu: "cuda:3", cuda: "xpu" });
    expect(devicesOf(moved.graph)).toEqual(["cpu:null", "cuda:0", "cuda:3"]);
    expect(moved.graph.node("zeros").kwargs).toEqual({ device: "cpu" });
    expect(moved.graph.node("to").args[1]).toBe("cuda:0");
    expect(moved.graph.node("like").kwargs).toEqual({ device: null });
  });

  test("a factory without a device means the CPU, and names the new one", () => {
    const bare = program(
      SOURCE.replace(
        "(cuda:1) = aten.zeros.default([2], device=device(cuda:1))",
        "(cpu) = aten.zeros.default([2])",
      ),
    );
    expect(moveToDevicePass(bare, "cuda:2").graph.node("zeros").kwargs).toEqual({ device: "cuda:2" });
    expect(moveToDevicePass(bare, "cpu").graph.node("zeros").kwargs).toEqual({});
  });

  test("a program that was moved is moved again", () => {
    const there = moveToDevicePass(program(), "cuda:2");
    const back = moveToDevicePass(there, { "cuda:2": "cpu" });
    expect(`${back}`).toBe(`${moveToDevicePass(program(), "cpu")}`);
    expect(moveToDevicePass(back, "cpu")).toBe(back);
  });

  test("leaves a call with NaN as it is", () => {
    const source = SOURCE.replace("aten.add.Tensor(%y, %ones)", "aten.add.Tensor(%y, nan)");
    const moved = moveToDevicePass(program(source), "cpu");
    expect(moveToDevicePass(moved, "cpu")).toBe(moved);
  });

  test("one object of several nodes stays one", () => {
    const { graph } = moveToDevicePass(program(), "cpu");
    const split = graph.node("split").meta.val as readonly FakeTensor[];
    expect(split.map((item) => item.device)).toEqual([device("cpu"), device("cpu")]);
  });

  test("to the meta device values are lost, and needed to come back", () => {
    const gone = moveToDevicePass(program(), "meta");
    expect(
      [...gone.stateDict.values(), ...gone.constants.values()].map(({ hasValues }) => hasValues),
    ).toEqual([false, false, false]);
    expect((gone.exampleInputs!.leaves[0] as Tensor).hasValues).toBe(false);
    expect(() => moveToDevicePass(gone, "cpu")).toThrow(
      expect.objectContaining({ code: "NO_VALUES" }) as Error,
    );
    const given = moveToDevicePass(gone.withState(new Map(Object.entries(tensors))), "cpu");
    expect(given.stateDict.get("w")!.toArray()).toEqual([1, 2]);
  });

  test.each([
    ["gpu", '"gpu" is not a device'],
    ["cuda:", '"cuda:" is not a device'],
    [{ cuda: "gpu" }, '"gpu" is not a device'],
    [{ gpu: "cpu" }, '"gpu" is not a device'],
    [{ cuda: 0 }, "0 is not a device"],
    [3, "does not say where the program goes"],
    [null, "does not say where the program goes"],
    [["cpu"], "does not say where the program goes"],
  ])("%j is refused", (location, message) => {
    const call = () => moveToDevicePass(program(), location as string);
    expect(call).toThrow(expect.objectContaining({ code: "INVALID_ARGUMENT" }) as Error);
    expect(call).toThrow(message);
  });
});

describe("the pass move-to-device", () => {
  test("moves all, or what is on some devices", () => {
    expect(devicesOf(run(moveToDevice, program()).graph)).toEqual(["cpu:null"]);
    const some = run(moveToDevice, program(), { from: ["cuda:1"], to: "cuda:0" });
    expect(devicesOf(some.graph)).toEqual(["cpu:null", "cuda:0"]);
  });

  test("is a step of the history, and notes the devices that nothing is on", () => {
    const notes: string[] = [];
    const observers = [(event: { notes: readonly string[] }) => void notes.push(...event.notes)];
    const session = { ...context, warn: () => {} };
    const passes = new Map([[moveToDevice.name, moveToDevice]]);
    const calls = parsePipeline('move-to-device{from=["cuda:1","cuda:7"],to="cuda:0"}', passes);
    const before = program();
    const moved = new PassManager(session, { observers }).run(before, calls);
    expect(notes).toEqual(["from: nothing is on cuda:7"]);
    expect(moved.history.map(({ pass }) => pass)).toEqual(["move-to-device"]);
    expect(devicesOf(undo(moved).graph)).toEqual(devicesOf(before.graph));
    expect(() => parsePipeline("move-to-device{to=gpu}", passes)).toThrow("is not a device");
  });
});
