import { isSconceError, type SconceError } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { concat, utf8 } from "../zip/zip.fixture.js";
import {
  type Loose,
  loose,
  makeModel,
  makePt2,
  makeRecords,
  type Records,
  withModel,
  withWeightConfig,
} from "./pt2.fixture.js";
import { readPt2 } from "./read.js";

const records = (change: (records: Records) => void): Uint8Array => {
  const all = makeRecords();
  change(all);
  return makePt2(all);
};
const graphOf = (model: Loose): Loose => model["graph_module"]!["graph"]!;
const graph = (change: (graph: Loose) => void): Uint8Array => withModel((model) => change(graphOf(model)));
const node = (change: (node: Loose) => void): Uint8Array => graph((g) => change(g["nodes"]![1]!));
const argument = (value: unknown): Uint8Array =>
  node((n) => {
    n["inputs"]![1]!["arg"] = loose(value);
  });
const size = (value: unknown): Uint8Array =>
  graph((g) => {
    g["tensor_values"]!["x"]!["sizes"]![0] = loose(value);
  });
const expr = (text: string): Uint8Array => size({ as_expr: { expr_str: text, hint: null } });
const signature = (change: (signature: Loose) => void): Uint8Array =>
  withModel((m) => change(m["graph_module"]!["signature"]!));
const json = (text: string): Uint8Array => records((all) => all.set("models/model.json", utf8(text)));
const text = JSON.stringify(makeModel());
const subgraph = (name: string, inner: Loose): unknown => ({ as_graph: { name, graph: inner } });
const nested = (depth: number): Uint8Array => {
  let inner = graphOf(makeModel());
  for (let i = 0; i < depth; i++) {
    const outer = graphOf(makeModel());
    outer["nodes"]![1]!["inputs"]![1]!["arg"] = loose(subgraph("body", inner));
    inner = outer;
  }
  return argument(subgraph("body", inner));
};

const CASES: readonly (readonly [string, string, string, Uint8Array])[] = [
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
  // Targets.
  [
    "a function of the host",
    "UNKNOWN_OPERATOR",
    "nodes[1].target",
    node((n) => {
      n["target"] = loose("torch.os.system");
    }),
  ],
  [
    "another host function",
    "UNKNOWN_OPERATOR",
    "nodes[1].target",
    node((n) => {
      n["target"] = loose("os.system");
    }),
  ],
  [
    "a Python operator that is not allowed",
    "UNKNOWN_OPERATOR",
    "nodes[1].target",
    node((n) => {
      n["target"] = loose("_operator.attrgetter");
    }),
  ],
  [
    "a prototype as target",
    "PT2_TARGET",
    "nodes[1].target",
    node((n) => {
      n["target"] = loose("__proto__");
    }),
  ],
  [
    "code as target",
    "PT2_TARGET",
    "nodes[1].target",
    node((n) => {
      n["target"] = loose("torch.ops.aten.add.Tensor(x); import os");
    }),
  ],
  // Names.
  [
    "use before definition",
    "PT2_NAME",
    "nodes[0]",
    graph((g) => {
      g["nodes"]!.reverse();
    }),
  ],
  [
    "a dangling name",
    "PT2_NAME",
    "nodes[1].inputs[1].arg.as_tensor.name",
    argument({ as_tensor: { name: "nowhere" } }),
  ],
  ["a self reference", "PT2_NAME", "nodes[1]", argument({ as_tensor: { name: "add" } })],
  [
    "a name defined twice",
    "PT2_NAME",
    "nodes[1]",
    node((n) => {
      n["outputs"]![0] = loose({ as_tensor: { name: "mul" } });
    }),
  ],
  [
    "an input given twice",
    "PT2_NAME",
    "graph.inputs[1]",
    graph((g) => {
      g["inputs"]![1] = g["inputs"]![0]!;
    }),
  ],
  [
    "an empty name",
    "PT2_NAME",
    "outputs[0]",
    node((n) => {
      n["outputs"]![0] = loose({ as_tensor: { name: "" } });
    }),
  ],
  [
    "markup as name",
    "PT2_NAME",
    "outputs[0]",
    node((n) => {
      n["outputs"]![0] = loose({ as_tensor: { name: "<script>" } });
    }),
  ],
  [
    "a value without metadata",
    "PT2_NAME",
    "nodes[1]",
    graph((g) => {
      delete (g["tensor_values"] as unknown as Record<string, unknown>)["add"];
    }),
  ],
  // Sizes and symbols.
  ["a negative size", "PT2_TYPE", "tensor_values.x.sizes[0]", size({ as_int: -1 })],
  [
    "a size past 2^53",
    "PT2_TYPE",
    "tensor_values.x.sizes[0]",
    json(
      text.replace(
        '"x":{"dtype":7,"sizes":[{"as_int":2}',
        '"x":{"dtype":7,"sizes":[{"as_int":9223372036854775807}',
      ),
    ),
  ],
  [
    "a product past 2^53",
    "PT2_TYPE",
    "tensor_values.x",
    graph((g) => {
      g["tensor_values"]!["x"]!["sizes"] = loose([{ as_int: 2 ** 40 }, { as_int: 2 ** 40 }]);
    }),
  ],
  ["a program as size", "SYM_", "sizes[0].as_expr.expr_str", expr("__import__('os').system('true')")],
  ["an attribute as size", "SYM_", "expr_str", expr("s0.__class__")],
  ["a deep size", "SYM_", "expr_str", expr(`${"(".repeat(50_000)}s0${")".repeat(50_000)}`)],
  ["an exponential size", "SYM_", "expr_str", expr("9**9**9**9**9")],
  ["a division by zero", "SYM_", "expr_str", expr("FloorDiv(Symbol('s0', integer=True), Integer(0))")],
  [
    "a reversed range",
    "PT2_RANGE",
    "range_constraints.s0",
    withModel((m) => {
      m["range_constraints"] = loose({ s0: { min_val: 3, max_val: 2 } });
    }),
  ],
  [
    "code as range key",
    "PT2_RANGE",
    "range_constraints",
    withModel((m) => {
      m["range_constraints"] = loose({ "__import__('os')": { min_val: 0, max_val: 1 } });
    }),
  ],
  // Signature.
  [
    "an input too many",
    "PT2_SIGNATURE",
    "input_specs",
    signature((s) => {
      s["input_specs"]!.pop();
    }),
  ],
  [
    "an output too many",
    "PT2_SIGNATURE",
    "output_specs",
    signature((s) => {
      s["output_specs"]!.push(s["output_specs"]![0]!);
    }),
  ],
  [
    "another input name",
    "PT2_SIGNATURE",
    "input_specs[1]",
    signature((s) => {
      s["input_specs"]![1] = loose({ user_input: { arg: { as_tensor: { name: "y" } } } });
    }),
  ],
  [
    "an unknown weight",
    "PT2_WEIGHT",
    "input_specs[0]",
    signature((s) => {
      s["input_specs"]![0]!["parameter"]!["parameter_name"] = loose("v");
    }),
  ],
  [
    "an unknown input kind",
    "PT2_UNION",
    "input_specs[0]",
    signature((s) => {
      s["input_specs"]![0] = loose({ other: {} });
    }),
  ],
  [
    "two different graphs of one name",
    "PT2_SUBGRAPH",
    "as_graph.graph",
    node((n) => {
      const other = graphOf(makeModel());
      other["outputs"]![0] = loose({ as_tensor: { name: "mul" } });
      n["inputs"]![0]!["arg"] = loose(subgraph("body", graphOf(makeModel())));
      n["inputs"]![1]!["arg"] = loose(subgraph("body", other));
    }),
  ],
  [
    "a bad tree",
    "BAD_TREE_SPEC",
    "in_spec",
    withModel((m) => {
      m["graph_module"]!["module_call_graph"]![0]!["signature"]!["in_spec"] = loose("[2, {}]");
    }),
  ],
  ["graphs nested 200 deep", "", "model.json", nested(200)],
  // Weights.
  [
    "a missing record",
    "PT2_MISSING_RECORD",
    "",
    withWeightConfig((w) => {
      w["path_name"] = loose("weight_9");
    }),
  ],
  [
    "a path that climbs",
    "PT2_MISSING_RECORD",
    "",
    withWeightConfig((w) => {
      w["path_name"] = loose("../../etc/passwd");
    }),
  ],
  [
    "a pickled weight",
    "PT2_USE_PICKLE",
    "config.w",
    withWeightConfig((w) => {
      w["use_pickle"] = loose(true);
    }),
  ],
  [
    "a weight without metadata",
    "PT2_USE_PICKLE",
    "config.w",
    withWeightConfig((w) => {
      w["tensor_meta"] = loose(null);
    }),
  ],
  [
    "more than the record has",
    "PT2_WEIGHT",
    "config.w",
    withWeightConfig((w) => {
      w["tensor_meta"]!["sizes"]![0] = loose({ as_int: 4 });
    }),
  ],
  [
    "strides that leave the record",
    "PT2_WEIGHT",
    "config.w",
    withWeightConfig((w) => {
      w["tensor_meta"]!["strides"]![0] = loose({ as_int: 2 });
    }),
  ],
  [
    "an offset past the end",
    "PT2_WEIGHT",
    "config.w",
    withWeightConfig((w) => {
      w["tensor_meta"]!["storage_offset"] = loose({ as_int: 1 });
    }),
  ],
  [
    "a negative stride",
    "PT2_TYPE",
    "strides",
    withWeightConfig((w) => {
      w["tensor_meta"]!["strides"]![0] = loose({ as_int: -1 });
    }),
  ],
  [
    "8 GiB in an empty record",
    "PT2_WEIGHT",
    "config.w",
    withWeightConfig((w) => {
      w["tensor_meta"]!["sizes"]![0] = loose({ as_int: 2 ** 31 });
    }, new Uint8Array(0)),
  ],
  [
    "2^40 elements by a stride of zero",
    "PT2_WEIGHT",
    "input_specs[0]",
    withWeightConfig((w) => {
      w["tensor_meta"]!["sizes"]![0] = loose({ as_int: 2 ** 40 });
      w["tensor_meta"]!["strides"]![0] = loose({ as_int: 0 });
    }),
  ],
  ["a record of odd length", "PT2_WEIGHT", "config.w", withWeightConfig(() => {}, new Uint8Array(13))],
  [
    "another dtype than the graph's",
    "PT2_WEIGHT",
    "input_specs[0]",
    withWeightConfig((w) => {
      w["tensor_meta"]!["dtype"] = loose(4);
    }),
  ],
  [
    "a symbolic weight",
    "PT2_WEIGHT",
    "config.w",
    withWeightConfig((w) => {
      w["tensor_meta"]!["sizes"]![0] = loose({
        as_expr: { expr_str: "Symbol('s0', integer=True)", hint: null },
      });
    }),
  ],
];

describe("broken and hostile programs", () => {
  test.each(CASES)("%s", async (_, code, where, bytes) => {
    const error = await readPt2(bytes).then(
      () => undefined,
      (e: unknown) => e as SconceError,
    );
    expect(isSconceError(error), String(error)).toBe(true);
    expect(error!.code).toContain(code);
    expect(error!.where ?? "").toContain(where);
  });

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

  test("unknown fields and newer minor versions are accepted", async () => {
    const program = await readPt2(
      withModel((m) => {
        m["schema_version"]!["minor"] = loose(999);
        m["news"] = loose({ a: 1 });
        graphOf(m)["nodes"]![0]!["news"] = loose(1);
      }),
    );
    expect(program.graph.size).toBe(5);
  });
});
