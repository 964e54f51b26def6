import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { fileSource, namespacesInPt2File, openPt2File } from "./node.js";
import { makePt2, makeRecords } from "./pt2/pt2.fixture.js";
import { readPt2 } from "./pt2/read.js";

const large = Uint8Array.from({ length: 30 * 2 ** 20 }, (_, i) => (i * 2654435761) >>> 24);
let folder = "";
let path = "";

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sconce-"));
  path = join(folder, "large.pt2");
  const records = makeRecords();
  writeFileSync(path, makePt2(new Map([["extra/large", large], ...records])));
});
afterAll(() => rmSync(folder, { recursive: true }));

describe("files by path", () => {
  test("a file with a large entry [S-122]", async () => {
    const program = await openPt2File(path);
    expect(program.tensor("w")!.toArray()).toEqual([1, 2, 3]);
  });

  test("piece by piece, as very large files are read", async () => {
    const file = openSync(path, "r");
    const program = await readPt2(fileSource(file, statSync(path).size));
    expect(program.tensor("w")!.toArray()).toEqual([1, 2, 3]);
    closeSync(file);
  });

  test("a file that has become shorter", async () => {
    const file = openSync(path, "r");
    const source = fileSource(file, statSync(path).size + 100);
    await expect(readPt2(source)).rejects.toMatchObject({ code: "SOURCE_CHANGED" });
    closeSync(file);
  });

  test("a file that does not exist or holds something else", async () => {
    await expect(openPt2File(join(folder, "nothing.pt2"))).rejects.toMatchObject({ code: "FILE" });
    const empty = join(folder, "empty.pt2");
    writeFileSync(empty, "");
    await expect(openPt2File(empty)).rejects.toMatchObject({ code: "OTHER_FORMAT" });
  });

  test("the namespaces of its operators, within every limit of reading", async () => {
    const limits = { nodes: 1e6, stallMilliseconds: 60_000, maxStreamBytes: 2 ** 31 };
    expect([...(await namespacesInPt2File(path, { limits }))]).toEqual(["aten"]);
    await expect(namespacesInPt2File(path, { limits: { node: 1 } as never })).rejects.toMatchObject({
      code: "UNKNOWN_OPTION",
    });
  });

  test("giving up stops the reading", async () => {
    await expect(openPt2File(path, { signal: AbortSignal.abort(new Error("enough")) })).rejects.toMatchObject(
      { code: "ABORTED", cause: { message: "enough" } },
    );
  });
});

test.each([
  ["absent/model.pt2", "there is no file or folder absent/model.pt2"],
  [".", ". is a folder, not a file"],
])("a file that cannot be read, %s, is a typed error", async (path, message) => {
  await expect(namespacesInPt2File(path)).rejects.toMatchObject({ code: "FILE" });
  await expect(openPt2File(path)).rejects.toMatchObject({ code: "FILE", message, fix: expect.any(String) });
});
