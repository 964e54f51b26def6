import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { loose, makePt2, makeRecords, withModel } from "./pt2.fixture.js";
import { readPt2 } from "./read.js";
import { pt2Pieces } from "./write/write.js";

const layouts = new URL("../../../testing/fixtures/pt2-layouts/", import.meta.url);
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

describe("files beside the program", () => {
  test("are read back, texts and bytes, in every layout [S-123]", async () => {
    const program = await readPt2(makePt2());
    const files = { "note.txt": "héllo", "folder/data.bin": Uint8Array.of(0, 255, 128), ["__proto__"]: "p" };
    const pieces: Uint8Array[] = [];
    for await (const piece of pt2Pieces(program, { extraFiles: files })) pieces.push(piece);
    for (const weights of ["eager", "lazy"] as const) {
      const extraFiles = new Map<string, Uint8Array>([["mine", utf8("stays")]]);
      await readPt2(new Blob(pieces as BlobPart[]), { extraFiles, weights });
      expect([...extraFiles.keys()]).toEqual(["mine", ...Object.keys(files)]);
      expect(new TextDecoder().decode(extraFiles.get("note.txt"))).toBe("héllo");
      expect([...extraFiles.get("folder/data.bin")!]).toEqual([0, 255, 128]);
    }
    const flat = new Map<string, Uint8Array>();
    await readPt2(readFileSync(new URL("flat.pt2", layouts)), { extraFiles: flat });
    expect([...flat].map(([name, bytes]) => [name, new TextDecoder().decode(bytes)])).toEqual([
      ["note.txt", "hello"],
    ]);
  });

  test("are not given out by a load that fails, and are checked", async () => {
    const records = new Map([["extra/note.txt", utf8("a note")], ...makeRecords()]);
    const bytes = makePt2(records);
    bytes[Buffer.from(bytes).indexOf("a note")]! ^= 1;
    const extraFiles = new Map<string, Uint8Array>();
    await expect(readPt2(bytes, { extraFiles, weights: "lazy" })).rejects.toMatchObject({ code: "ZIP_CRC" });
    records.set("models/model.json", utf8("{"));
    await expect(readPt2(makePt2(records), { extraFiles })).rejects.toMatchObject({ code: "JSON_SYNTAX" });
    expect(extraFiles.size).toBe(0);
    await expect(readPt2(bytes, { extraFiles: {} as never })).rejects.toMatchObject({ code: "OPTION_VALUE" });
  });
});

describe("versions", () => {
  const withVersions = (opset: object, minor = 20): Uint8Array =>
    withModel((m) => {
      m["opset_version"] = loose(opset);
      m["schema_version"]!["minor"] = loose(minor);
    });
  /** What loading warns of. */
  async function warnings(bytes: Uint8Array, expectedOpsetVersion?: Record<string, number>) {
    const found: string[] = [];
    await readPt2(bytes, { expectedOpsetVersion, onWarning: (message) => void found.push(message) });
    return found;
  }

  test("of operator sets are compared with the expected ones [S-124]", async () => {
    const bytes = withVersions({ aten: 10, mylib: 3 });
    expect(await warnings(bytes, { aten: 10, mylib: 3 })).toEqual([]);
    await expect(warnings(bytes, { mylib: 4 })).rejects.toMatchObject({
      code: "PT2_OPSET_VERSION",
      message: 'version 3 of the operator set "mylib", where 4 is expected',
    });
    await expect(warnings(bytes, { other: 1 })).rejects.toMatchObject({
      message: 'version unknown of the operator set "other", where 1 is expected',
    });
    await expect(warnings(bytes, { aten: 1.5 })).rejects.toMatchObject({ code: "OPTION_VALUE" });
  });

  test("that are newer than the known ones are warnings [S-124, S-126]", async () => {
    expect(await warnings(withVersions({ aten: 10 }))).toEqual([]);
    expect(await warnings(withVersions({ aten: 9 }, 5))).toEqual([]);
    expect(await warnings(withVersions({ aten: 11 }, 21))).toEqual([
      expect.stringContaining("the file has the schema 8.21, which is newer than 8.20") as string,
      expect.stringContaining('version 11 of the operator set "aten"') as string,
    ]);
    expect(await warnings(withVersions({ aten: 11 }), { aten: 11 })).toEqual([]);
  });

  test("other values of the options are refused", async () => {
    await expect(readPt2(makePt2(), { weights: "later" as never })).rejects.toMatchObject({
      code: "OPTION_VALUE",
    });
  });
});
