import type { Backend, ExportedProgram } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { afterEach, expect, test, vi } from "vitest";
import { createSconce } from "../create-sconce.js";

const TEXT = `sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[2]) {
  %y: f32[2] = aten.relu.default(%x)
  return (%y)
}`;
const x = Tensor.from([-1, 1], [2], "float32");
afterEach(() => vi.unstubAllGlobals());

/** Where the program ran, and why. */
async function placed(session = createSconce(), program?: ExportedProgram, backend?: string) {
  using executable = await session.compile(program ?? session.parseIr(TEXT), backend);
  const [y] = await executable.run([x]);
  const { device, nodes } = executable.placement?.() ?? { device: undefined, nodes: [] };
  return { device, y: String(y), reasons: nodes.map(({ reason }) => reason) };
}

test("programs run in WebAssembly when no backend is named", async () => {
  const found = await placed();
  expect(found).toMatchObject({ y: "tensor([0., 1.])", reasons: [undefined] });
  expect(found.device).toMatch(/^WebAssembly with .*SIMD/);
  expect(createSconce().backend().name).toBe("auto");
});

test("cpu is the interpreter, which has no placement", async () => {
  expect(await placed(createSconce(), undefined, "cpu")).toMatchObject({ device: undefined });
});

test("wasm is a name in every session, and runs in WebAssembly or not at all", async () => {
  const found = await placed(createSconce(), undefined, "wasm");
  expect(found).toMatchObject({ y: "tensor([0., 1.])", reasons: [undefined] });
  expect(found.device).toMatch(/^WebAssembly with .*SIMD/);
  vi.stubGlobal("WebAssembly", undefined);
  await expect(placed(createSconce(), undefined, "wasm")).rejects.toThrow("this runtime has no WebAssembly");
});

test("a given backend of the name wasm takes the place of the session's own", () => {
  const mine = { name: "wasm", supports: () => true as const, compile: () => Promise.reject(new Error()) };
  const session = createSconce({ backends: [mine] });
  expect([...session.backends.keys()]).toEqual(["auto", "cpu", "wasm"]);
  expect(session.backend("wasm")).toBe(mine);
});

test("without WebAssembly the interpreter runs them, and the placement says why", async () => {
  vi.stubGlobal("WebAssembly", undefined);
  expect(await placed()).toEqual({
    device: "none",
    y: "tensor([0., 1.])",
    reasons: ["WebAssembly does not run here: this runtime has no WebAssembly"],
  });
});

test("the interpreter runs programs with calls for which a plugin has a kernel", async () => {
  const kernels = { "aten.relu.default": () => Tensor.from([7, 7], [2], "float32") };
  const session = createSconce({ plugins: [{ name: "mine", kernels: kernels as never }] });
  expect(await placed(session)).toEqual({
    device: "none",
    y: "tensor([7., 7.])",
    reasons: ['plugin "mine" has a kernel for aten.relu.default, which the interpreter runs'],
  });
});

test("programs that are not valid give the errors of the interpreter", async () => {
  const session = createSconce();
  const longer = session.parseIr(TEXT.replace("%y: f32[2]", "%y: f32[3]"));
  for (const backend of [undefined, "cpu"])
    await expect(placed(session, longer, backend)).rejects.toMatchObject({ code: "BACKEND_OUTPUT" });
});

test("state of another shape than the program records gives the errors of the interpreter", async () => {
  const session = createSconce();
  const added = `sconce-ir 1
program "ATEN" { parameter "w": f32[2] input %w: PARAMETER "w" input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%w: f32[2], %x: f32[2]) { %y: f32[2] = aten.add.Tensor(%x, %w) return (%y) }`;
  const stateDict = new Map([["w", Tensor.from([1, 2, 3], [3], "float32")]]);
  const program = session.parseIr(added).with({ stateDict });
  for (const backend of [undefined, "cpu"])
    await expect(placed(session, program, backend)).rejects.toMatchObject({ code: "SHAPE_MISMATCH" });
});

test.each([
  [5000, 65, "host"],
  [5000, 2, "device"],
  [500, 65, "device"],
] as const)("of %d elements the greatest %d are selected on the %s", async (size, count, place) => {
  const session = createSconce();
  const program = session.parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[${size}]) {
  %t: (f32[${count}], i64[${count}]) = aten.topk.default(%x, ${count})
  %y: f32[${count}] = operator.getitem(%t, 0)
  return (%y)
}`);
  using executable = await session.compile(program);
  const values = Tensor.from(
    Array.from({ length: size }, (_, i) => i),
    [size],
    "float32",
  );
  expect(((await executable.run([values]))[0] as Tensor).toArray().slice(0, 2)).toEqual([size - 1, size - 2]);
  expect(executable.placement!().nodes.map((node) => node.place)).toContain(place);
});

test("sizes below 2 give what PyTorch gives, though the program records other sizes", async () => {
  const session = createSconce();
  const program = session.parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT range "s0" [0, 100] }
graph(%x: f32[2, s0]) {
  %z: f32[2, 2]{s0, 1} = aten.slice.Tensor(%x, 1, 0, 2)
  %y: f32[2, 2] = aten.mul.Tensor(%z, 3)
  return (%y)
}`);
  for (const backend of ["auto", "cpu"]) {
    using executable = await session.compile(program, backend);
    const shapeOf = async (size: number) =>
      ((await executable.run([Tensor.empty([2, size], "float32")]))[0] as Tensor).shape;
    expect(await shapeOf(1)).toEqual([2, 1]);
    expect(await shapeOf(5)).toEqual([2, 2]);
  }
});

test("a backend of the name auto is the default", async () => {
  const fails: Backend = {
    name: "auto",
    supports: () => true,
    compile: () => Promise.reject(new Error("mine")),
  };
  const session = createSconce({ backends: [fails] });
  expect([...session.backends.keys()]).toEqual(["auto", "cpu", "wasm"]);
  await expect(placed(session)).rejects.toThrow("mine");
});
