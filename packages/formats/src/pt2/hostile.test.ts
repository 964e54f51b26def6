import { isSconceError } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { concat, utf8 } from "../zip/zip.fixture.js";
import {
  argument,
  expectRefused,
  graph,
  graphOf,
  type HostileCase,
  json,
  node,
  records,
  text,
} from "./hostile.fixture.js";
import { loose, makePt2, makeRecords, withModel } from "./pt2.fixture.js";
import { readPt2 } from "./read.js";

const CASES: readonly HostileCase[] = [
  // Layout of the archive.
  ["no archive_format", "PT2_FORMAT", "m/archive_format", records((r) => r.delete("archive_format"))],
  ["another format", "PT2_FORMAT", "m/archive_format", records((r) => r.set("archive_format", utf8("pt3")))],
  [
    "another archive version",
    "PT2_VERSION",
    "m/archive_version",
    records((r) => r.set("archive_version", utf8("1"))),
  ],
  ["no zip version", "PT2_VERSION", "m/.data/version", records((r) => r.delete(".data/version"))],
  ["zip version 11", "PT2_VERSION", "m/.data/version", records((r) => r.set(".data/version", utf8("11")))],
  ["big endian", "PT2_BYTE_ORDER", "m/byteorder", records((r) => r.set("byteorder", utf8("big")))],
  ["no folder", "PT2_ROOT", "", makePt2(makeRecords(), "")],
  ["a folder too many", "PT2_FORMAT", "", makePt2(makeRecords(), "a/b/")],
  ["no model", "PT2_NO_MODEL", "m/models/", records((r) => r.delete("models/model.json"))],
  [
    "no weights configuration",
    "PT2_MISSING_RECORD",
    "weights_config",
    records((r) => r.delete("data/weights/model_weights_config.json")),
  ],
  [
    "no sample inputs",
    "PT2_MISSING_RECORD",
    "sample_inputs",
    records((r) => r.delete("data/sample_inputs/model.pt")),
  ],
  // The JSON document.
  ["cut JSON", "JSON_SYNTAX", "models/model.json", json(text.slice(0, -1))],
  ["two documents", "JSON_SYNTAX", "character", json(text + text)],
  [
    "JSON nested 100,000 deep",
    "JSON_DEPTH",
    "models/model.json",
    json(`${"[".repeat(100_000)}${"]".repeat(100_000)}`),
  ],
  [
    "a duplicate key",
    "JSON_DUPLICATE_KEY",
    "models/model.json",
    json(text.replace('"opset_version"', '"graph_module": 1, "opset_version"')),
  ],
  [
    "not UTF-8",
    "JSON_ENCODING",
    "models/model.json",
    records((r) => r.set("models/model.json", concat([utf8(text), Uint8Array.of(0xff)]))),
  ],
  ["an array as document", "PT2_TYPE", "models/model.json", json("[]")],
  [
    "schema major 7",
    "PT2_SCHEMA_VERSION",
    "schema_version",
    withModel((m) => {
      m["schema_version"]!["major"] = loose(7);
    }),
  ],
  [
    "schema major 9",
    "PT2_SCHEMA_VERSION",
    "schema_version",
    withModel((m) => {
      m["schema_version"]!["major"] = loose(9);
    }),
  ],
  [
    "no schema version",
    "PT2_FIELD",
    "models/model.json",
    withModel((m) => {
      delete (m as Record<string, unknown>)["schema_version"];
    }),
  ],
  // Unions, fields and types.
  [
    "a union with two tags",
    "PT2_UNION",
    "graph_module.graph.nodes[1].inputs[1].arg",
    argument({ as_int: 1, as_float: 1 }),
  ],
  ["a union without a tag", "PT2_UNION", "graph_module.graph.nodes[1].inputs[1].arg", argument({})],
  ["an unknown tag", "PT2_UNION", "graph_module.graph.nodes[1].inputs[1].arg", argument({ as_zzz: 1 })],
  ["a tag of the prototype", "PT2_UNION", "arg", argument({ toString: 1 })],
  ["a fraction as integer", "PT2_TYPE", "arg.as_int", argument({ as_int: 1.5 })],
  ["a string as integer", "PT2_TYPE", "arg.as_int", argument({ as_int: "1" })],
  ["code as float", "PT2_TYPE", "arg.as_float", argument({ as_float: "1+1" })],
  [
    "a missing field",
    "PT2_FIELD",
    "graph_module.graph.nodes[1]",
    node((n) => {
      delete (n as Record<string, unknown>)["outputs"];
    }),
  ],
  [
    "null for a field",
    "PT2_TYPE",
    "graph_module.graph.nodes",
    graph((g) => {
      g["nodes"] = loose(null);
    }),
  ],
  ["an unknown scalar type", "PT2_TYPE", "as_scalar_type", argument({ as_scalar_type: 99 })],
  ["an unknown layout", "PT2_TYPE", "as_layout", argument({ as_layout: 0 })],
  [
    "a strange device",
    "PT2_TYPE",
    "as_device",
    argument({ as_device: { type: "cpu\u001b[31m", index: null } }),
  ],
];

describe("broken and hostile programs", () => {
  test.each(CASES)("%s", expectRefused);

  test("truncation at every byte", async () => {
    const bytes = makePt2();
    for (let length = 0; length < bytes.length; length++) {
      await expect(readPt2(bytes.subarray(0, length))).rejects.toThrow(
        expect.toSatisfy((e: unknown) => isSconceError(e)),
      );
    }
  });

  test("every flipped bit of every entry's data is noticed", async () => {
    const all = makeRecords();
    const sound = makePt2(all);
    for (const [name, data] of all) {
      const key = utf8(`m/${name}`);
      const start = sound.findIndex((_, i) => key.every((byte, j) => sound[i + j] === byte)) + key.length;
      const step = Math.max(1, Math.floor(data.length / 20));
      for (let i = 0; i < data.length; i += step) {
        for (let bit = 0; bit < 8; bit++) {
          const bytes = sound.slice();
          bytes[start + i]! ^= 1 << bit;
          await expect(readPt2(bytes)).rejects.toMatchObject({ code: "ZIP_CRC" });
        }
      }
    }
  });

  test("other major versions are refused, with both versions [S-126]", async () => {
    for (const major of [7, 9]) {
      const other = withModel((m) => {
        m["schema_version"] = loose({ major, minor: 3 });
      });
      await expect(readPt2(other)).rejects.toMatchObject({
        code: "PT2_SCHEMA_VERSION",
        message: expect.stringMatching(new RegExp(`schema version ${major}\\.3; this reader knows 8\\.`)),
      });
    }
  });

  test("unknown fields and newer minor versions are accepted, with a warning [S-126]", async () => {
    const warnings: string[] = [];
    const program = await readPt2(
      withModel((m) => {
        m["schema_version"]!["minor"] = loose(999);
        m["news"] = loose({ a: 1 });
        graphOf(m)["nodes"]![0]!["news"] = loose(1);
      }),
      { onWarning: (message) => void warnings.push(message) },
    );
    expect(warnings).toEqual([expect.stringContaining("8.999")]);
    expect(program.graph.size).toBe(5);
  });
});
