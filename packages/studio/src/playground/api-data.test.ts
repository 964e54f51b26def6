import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { apiData } from "../../api-data.js";
import * as sconce from "./sconce.js";

const data = apiData(fileURLToPath(new URL("../../dist/playground/sconce.d.ts", import.meta.url)));

test("the editor knows every value that the playground has, with its type", () => {
  const values = Object.entries(data.exports).filter(
    ([, { kind }]) => kind !== "interface" && kind !== "type",
  );
  expect(values.map(([name]) => name).sort()).toEqual(Object.keys(sconce).sort());
  expect(values.filter(([, { type }]) => type === undefined).map(([name]) => name)).toEqual([]);
  expect(gzipSync(JSON.stringify(data)).length).toBeLessThan(177_000);
});
