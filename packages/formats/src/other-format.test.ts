import { zipSync } from "fflate";
import { describe, expect, test } from "vitest";
import { readPt2 } from "./index.js";
import { otherFormat, tensorFormat } from "./other-format.js";
import { makePt2, makeRecords } from "./pt2/pt2.fixture.js";

const latin1 = (text: string): Uint8Array => Uint8Array.from(text, (char) => char.charCodeAt(0));
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);
const zip = (...names: string[]): Uint8Array =>
  zipSync(Object.fromEntries(names.map((name) => [name, utf8("x")])));

/** How the files begin that the programs themselves write, PyTorch 2.14 among them. */
const FILES: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ["an empty file", new Uint8Array()],
  ["a safetensors file", latin1('@\0\0\0\0\0\0\0{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}   ')],
  [
    "a file of torch.save in its old format (a pickle)",
    latin1("\x80\x02\x8a\nl\xfc\x9cF\xf9 j\xa8P\x19.\x80\x02M\xe9\x03."),
  ],
  ["a Python pickle", latin1("\x80\x05\x95\x08\0\0\0\0\0\0\0}\x94K\x01K\x02s.")],
  ["an ONNX model (protobuf)", latin1("\x08\x08\x12\x07pytorch\x1a\x062.14.1:\x90\x02")],
  ["an ONNX model (protobuf)", latin1('\x08\x0d:<\n\x0e\n\x01x\x12\x01y"\x04Relu')],
  ["a NumPy .npy file", latin1("\x93NUMPY\x01\0v\0{'descr': '<f8'")],
  ["an HDF5 file (Keras, for example)", latin1("\x89HDF\r\n\x1a\n\0\0\0")],
  ["a GGUF file", latin1("GGUF\x03\0\0\0")],
  ["a TensorFlow Lite model", latin1("\x1c\0\0\0TFL3")],
  ["an ExecuTorch program (.pte)", latin1("\x30\0\0\0ET12")],
  ["a gzip file", latin1("\x1f\x8b\x08\0")],
  ["a tar archive", latin1(`${"model.pt2".padEnd(257, "\0")}ustar\x0000`)],
  ["a PNG image", latin1("\x89PNG\r\n\x1a\n\0\0\0\rIHDR")],
  ["a JPEG image", latin1("\xff\xd8\xff\xe0\0\x10JFIF")],
  ["a PDF document", latin1("%PDF-1.7\n%\xe2\xe3")],
  ["text in UTF-16", latin1("\xff\xfes\0c\0o\0n\0c\0e\0")],
  ["an HTML page (of a login or an error, for example)", utf8("\n<!DOCTYPE html><title>Sign in")],
  ["an HTML page (of a login or an error, for example)", utf8("<html><body>")],
  [
    "a Git LFS pointer, which represents the file",
    utf8("version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"),
  ],
  ["XML text", utf8('<?xml version="1.0"?><Error><Code>AccessDenied</Code></Error>')],
  ["a Jupyter notebook", utf8('{\n "nbformat": 4, "metadata": {}}')],
  ["JSON text", utf8('{"a": 1}')],
  ["JSON text", utf8("\ufeff[1, 2]")],
  ["Python source", utf8('"""A model."""\nimport torch\n\nclass M(torch.nn.Module):\n')],
  ["Python source", utf8("#!/usr/bin/env python3\nprint(1)\n")],
  ["Python source", utf8("# A model.\nimport torch\n\n@torch.no_grad()\ndef f(x):\n  ```\n")],
  ["Python source", utf8('# A model.\n"""\n```\nf(x)\n```\n"""\nimport torch\n')],
  ["a Markdown document", utf8("# A model\n\nRun it:\n\n```python\nimport torch\n\ndef f(x):\n```\n")],
  ["a Markdown document", utf8("A model\n=======\n\n~~~\nclass M(torch.nn.Module):\n~~~\n")],
  ["MLIR text", utf8("module @main attributes {a = 1} {\n")],
  [
    "the printed text of a program, which cannot be read back",
    utf8("ExportedProgram:\n    class GraphModule(torch.nn.Module):\n"),
  ],
  ["a text file", utf8("naïve notes, no program")],
];

const ZIPS: readonly (readonly [name: string, bytes: Uint8Array])[] = [
  ["a file of torch.save (a checkpoint)", zip("new/data.pkl", "new/byteorder", "new/data/0", "new/version")],
  [
    "a TorchScript archive (torch.jit.save)",
    zip("ts/data.pkl", "ts/code/__torch__.py", "ts/constants.pkl", "ts/version"),
  ],
  ["a NumPy .npz archive", zip("a.npy", "b.npy")],
  ["a Keras model (.keras)", zip("metadata.json", "config.json", "model.weights.h5")],
  ["an Office document", zip("[Content_Types].xml", "word/document.xml")],
  ["a package (.jar or .whl)", zip("META-INF/MANIFEST.MF", "A.class")],
  ['a zip archive with "model.pt2" in it', zip("model.pt2")],
];

describe("a file of another format is named as what it is", () => {
  test.each([...FILES, ...ZIPS])("%s", async (name, bytes) => {
    const error = await readPt2(bytes).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "OTHER_FORMAT", message: `not a .pt2 file: it is ${name}` });
    expect((error as { fix: string }).fix).not.toMatch(/^$|damaged/);
  });

  test("a truncated program is damaged, at every length", async () => {
    const bytes = makePt2(makeRecords());
    for (const length of [4, 5, 30, bytes.length >> 1, bytes.length - 1])
      await expect(readPt2(bytes.subarray(0, length))).rejects.toMatchObject({
        code: expect.stringMatching(/^ZIP_/),
      });
  });

  test("bytes that say nothing are not named", async () => {
    for (const bytes of [latin1("\x00\x01\x02\x03"), latin1("\x08\x01\x02"), latin1("a\x01b")]) {
      expect(otherFormat(bytes)).toBeUndefined();
      await expect(readPt2(bytes)).rejects.toMatchObject({ code: "ZIP_END_MISSING" });
    }
  });

  test("text that is cut off within a character is text", () => {
    expect(otherFormat(utf8("é").subarray(0, 1))?.name).toBe("a text file");
  });
});

describe("a file that should hold tensors", () => {
  test.each(FILES.filter(([name]) => name !== "a safetensors file"))("%s", (name, bytes) => {
    expect(tensorFormat(bytes)?.name).toBe(name);
  });

  test("a zip archive, and safetensors themselves", () => {
    expect(tensorFormat(zip("a.npy"))?.name).toBe("a zip archive (of torch.save or NumPy, for example)");
    expect(tensorFormat(FILES[1]![1])).toBeUndefined();
  });
});
