import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { defaultOperators, parseIr, programFromIR, Tensor, writeSafetensors } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { Engine } from "../engine/engine.js";
import { openAddress } from "./address.js";
import { readProgram, type TextReaders } from "./read.js";
import { withoutTensors, withTensors } from "./sir-text.js";

const TEXT = `sconce-ir 1

program "ATEN" {
  parameter "w": f32[2]
  parameter "v": f32[2]
  input %p_w: PARAMETER "w"
  input %p_v: PARAMETER "v"
  input %x: USER_INPUT
  output %b: USER_OUTPUT
}
graph(%p_w: f32[2], %p_v: f32[2], %x: f32[2]) {
  %a: f32[2] = aten.mul.Tensor(%x, %p_w)
  %b: f32[2] = aten.mul.Tensor(%a, %p_v)
  return (%b)
}
`;
const tensors = writeSafetensors([["w", Tensor.from([1, 2], [2], "float32")]], {
  v: "w",
}) as Uint8Array<ArrayBuffer>;

const readers = (): Promise<TextReaders> =>
  Promise.resolve({
    parseIr,
    programFromIR: (ir) => programFromIR(ir, { operators: defaultOperators() }),
  });

const stateOf = async (parts: BlobPart[], beside?: Blob) => {
  const { stateDict } = await readProgram(new Blob(parts), readers, {}, { tensors: beside });
  return [...stateDict].map(([name, tensor]) => [name, tensor.hasValues && tensor.toArray()]);
};
const VALUES = [
  ["w", [1, 2]],
  ["v", [1, 2]],
];

describe("IR text", () => {
  test("has its tensors at its end, or beside it, or none", async () => {
    expect(await stateOf(await withTensors(TEXT, tensors))).toEqual(VALUES);
    expect(await stateOf([TEXT], new Blob([tensors]))).toEqual(VALUES);
    expect(await stateOf(["// a comment\n", TEXT])).toEqual([
      ["w", false],
      ["v", false],
    ]);
  });

  test("without its first lines is named, with what it begins with", async () => {
    const open = (text: string, name: string) => readProgram(new Blob([text]), readers, {}, { name });
    await expect(open("graph(%x: f32[2]) {\n  return (%x)\n}\n", "model.sir")).rejects.toMatchObject({
      code: "OTHER_FORMAT",
      message: 'not IR text: it is a text file that begins with "graph(%x: f32[2]) {"',
      where: "model.sir",
      fix: expect.stringContaining("sconce-ir 1"),
    });
    await expect(open("", "model.ir")).rejects.toMatchObject({
      message: "not IR text: it is an empty file",
      where: "model.ir",
    });
    await expect(open("[1]", "model.json")).rejects.toMatchObject({
      message: "not JSON IR: it is JSON text",
      where: "model.json",
    });
    await expect(open(TEXT, "model.sir")).resolves.toBeDefined();
    await expect(open("some text", "notes.txt")).rejects.toMatchObject({
      message: expect.stringContaining("not a .pt2 file"),
    });
  });

  test("with tensors that are cut off or changed is refused", async () => {
    const whole = (await withTensors(TEXT, tensors)).join("");
    expect((await withoutTensors(whole))?.tensors).toEqual(tensors);
    const code = { code: "TENSORS_MISMATCH" };
    await expect(withoutTensors(whole.slice(0, -30))).rejects.toMatchObject(code);
    await expect(withoutTensors(whole.replace("// QA", "// QQ").replace("AAA", "AAB"))).rejects.toMatchObject(
      code,
    );
    await expect(withoutTensors(whole.replace("AAA", "?!?"))).rejects.toMatchObject(code);
  });
});

test("what the engine saves, it opens", async () => {
  const engine = new Engine();
  const { id } = await engine.openPair(new Blob([TEXT]), new Blob([tensors]), "a.sir", {});
  const text = await engine.text(id, "graph");
  for (const format of ["pt2", "sir", "json"] as const) {
    const saved = await engine.save(id, format, "a", {});
    const again = await engine.open(saved, `a.${format}`, {});
    expect(await engine.text(again.id, "graph")).toBe(text);
  }
});

test("a file on a server is read by its ranges, and refusals have their reason", async () => {
  const body = new TextEncoder().encode(TEXT);
  const server = createServer((request, response) => {
    if (request.url !== "/a.sir") response.writeHead(404).end();
    else response.end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const engine = new Engine();
    expect((await engine.openAddress(`${address}/a.sir`, "a.sir", {})).nodes).toBe(6);
    await expect(openAddress(`${address}/b`, {})).rejects.toMatchObject({ code: "HTTP_STATUS" });
  } finally {
    server.close();
  }
});
