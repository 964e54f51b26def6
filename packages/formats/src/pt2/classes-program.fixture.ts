/** @file The classes B-17 to B-40 of hostile input: programs, their state and their texts. */
import { concat, makeZip, utf8 } from "../zip/zip.fixture.js";
import { type ClassCase, schemaVersion } from "./classes-archive.fixture.js";
import {
  argument,
  expr,
  graph,
  graphOf,
  json,
  nested,
  node,
  records,
  signature,
  size,
  subgraph,
  text,
} from "./hostile.fixture.js";
import { loose, makeModel, makePt2, withModel, withWeightConfig } from "./pt2.fixture.js";

const tensorArgument = (name: string): unknown => ({ as_tensor: { name } });
const guards = (...texts: readonly unknown[]): Uint8Array =>
  withModel((model) => {
    model["guards_code"] = loose(texts);
  });
const range = (ranges: Readonly<Record<string, unknown>>): Uint8Array =>
  withModel((model) => {
    model["range_constraints"] = loose(ranges);
  });
const tree = (spec: string): Uint8Array =>
  withModel((model) => {
    model["graph_module"]!["module_call_graph"]![0]!["signature"]!["in_spec"] = loose(spec);
  });
const target = (name: string): Uint8Array =>
  node((call) => {
    call["target"] = loose(name);
  });
const metadata = (value: unknown): Uint8Array =>
  node((call) => {
    call["metadata"] = loose(value);
  });
const weight = (field: string, value: unknown, data?: Uint8Array): Uint8Array =>
  withWeightConfig((entry) => {
    entry["tensor_meta"]![field] = loose(value);
  }, data);
const chain = (count: number, sign: string): string =>
  Array.from({ length: count }, (_, i) => `s${i}`).join(sign);
const latin1 = (source: string): Uint8Array => Uint8Array.from(source, (c) => c.charCodeAt(0));
const pickled = (data: Uint8Array): Uint8Array =>
  records((all) => all.set("data/weights/model.pt", makeZip([{ name: "m/data.pkl", data }])));

const NO_ARGUMENTS = `[1,{"type":"builtins.tuple","context":"null","children_spec":[]}]`;

export const PROGRAM_CLASSES: readonly ClassCase[] = [
  ["B-17", "an unknown tag", "PT2_UNION", () => argument({ as_zzz: 1 })],
  ["B-17", "two tags", "PT2_UNION", () => argument({ as_int: 1, as_float: 1 })],
  ["B-17", "no tag", "PT2_UNION", () => argument({})],
  ["B-17", "a tag of the prototype", "PT2_UNION", () => argument({ constructor: 1 })],
  ["B-17", "the right tag of a wrong type", "PT2_TYPE", () => argument({ as_int: "1" })],
  ["B-18", "a missing field", "PT2_FIELD", () => node((call) => Reflect.deleteProperty(call, "outputs"))],
  ["B-18", "null for a field", "PT2_TYPE", () => graph((g) => Object.assign(g, { nodes: null }))],
  ["B-18", "fields that nothing knows", "read", () => graph((g) => Object.assign(g, { news: { a: 1 } }))],
  ["B-19", "a newer major version", "PT2_SCHEMA_VERSION", () => schemaVersion({ major: 9 })],
  ["B-19", "an older major version", "PT2_SCHEMA_VERSION", () => schemaVersion({ major: 7 })],
  ["B-19", "a newer minor version", "read", () => schemaVersion({ minor: 999 })],
  [
    "B-19",
    "another archive version",
    "PT2_VERSION",
    () => records((r) => r.set("archive_version", utf8("1"))),
  ],
  ["B-21", "an unknown operator", "UNKNOWN_OPERATOR", () => target("torch.os.path")],
  [
    "B-21",
    "too many arguments of an operator",
    "read",
    () => node((call) => call["inputs"]!.push(call["inputs"]![0]!)),
  ],
  ["B-22", "a function of the host", "UNKNOWN_OPERATOR", () => target("torch.os.system")],
  ["B-22", "a prototype", "PT2_TARGET", () => target("__proto__")],
  ["B-22", "a constructor", "PT2_TARGET", () => target("constructor")],
  ["B-22", "code", "PT2_TARGET", () => target("torch.ops.aten.add.Tensor(x); import os")],
  ["B-23", "use before definition", "PT2_NAME", () => graph((g) => void g["nodes"]!.reverse())],
  ["B-23", "a self reference", "PT2_NAME", () => argument(tensorArgument("add"))],
  ["B-24", "a dangling name", "PT2_NAME", () => argument(tensorArgument("nowhere"))],
  [
    "B-24",
    "a name twice",
    "PT2_NAME",
    () => node((call) => Object.assign(call["outputs"]!, [tensorArgument("mul")])),
  ],
  [
    "B-24",
    "an empty name",
    "PT2_NAME",
    () => node((call) => Object.assign(call["outputs"]!, [tensorArgument("")])),
  ],
  ["B-24", "a name of the prototype", "PT2_NAME", () => argument(tensorArgument("__proto__"))],
  ["B-25", "no output", "PT2_", () => graph((g) => Object.assign(g, { outputs: [] }))],
  ["B-25", "two outputs", "PT2_SIGNATURE", () => graph((g) => void g["outputs"]!.push(g["outputs"]![0]!))],
  ["B-25", "no inputs", "PT2_NAME", () => graph((g) => Object.assign(g, { inputs: [] }))],
  [
    "B-26",
    "an input too few in the signature",
    "PT2_SIGNATURE",
    () => signature((s) => void s["input_specs"]!.pop()),
  ],
  ["B-26", "inputs in another order", "PT2_", () => signature((s) => void s["input_specs"]!.reverse())],
  ["B-27", "no weight", "PT2_MISSING_RECORD", () => records((r) => r.delete("data/weights/weight_0"))],
  ["B-27", "another dtype", "PT2_WEIGHT", () => weight("dtype", 4)],
  ["B-27", "another shape", "PT2_WEIGHT", () => weight("sizes", [{ as_int: 2 }])],
  [
    "B-27",
    "a weight too many",
    "read",
    () => records((r) => r.set("data/weights/weight_1", new Uint8Array(8))),
  ],
  ["B-28", "a record that is too short", "PT2_WEIGHT", () => weight("dtype", 7, new Uint8Array(4))],
  ["B-28", "an offset past the end", "PT2_WEIGHT", () => weight("storage_offset", { as_int: 9 })],
  ["B-29", "a negative size", "PT2_TYPE", () => size({ as_int: -1 })],
  [
    "B-29",
    "a size past 2^53",
    "PT2_TYPE",
    () =>
      json(
        text.replace(
          '"x":{"dtype":7,"sizes":[{"as_int":2}',
          '"x":{"dtype":7,"sizes":[{"as_int":9223372036854775807}',
        ),
      ),
  ],
  [
    "B-29",
    "a product past 2^63",
    "PT2_TYPE",
    () =>
      graph((g) => {
        g["tensor_values"]!["x"]!["sizes"] = loose([{ as_int: 2 ** 40 }, { as_int: 2 ** 40 }]);
      }),
  ],
  ["B-30", "a negative stride", "PT2_TYPE", () => weight("strides", [{ as_int: -1 }])],
  [
    "B-30",
    "2^40 elements by a stride of zero",
    "PT2_WEIGHT",
    () =>
      withWeightConfig((w) => {
        w["tensor_meta"]!["sizes"] = loose([{ as_int: 2 ** 40 }]);
        w["tensor_meta"]!["strides"] = loose([{ as_int: 0 }]);
      }),
  ],
  [
    "B-31",
    "8 GiB in a record of no bytes",
    "PT2_WEIGHT",
    () => weight("sizes", [{ as_int: 2 ** 31 }], new Uint8Array(0)),
  ],
  [
    "B-32",
    "a pickled weight",
    "PT2_USE_PICKLE",
    () => withWeightConfig((w) => Object.assign(w, { use_pickle: true })),
  ],
  [
    "B-32",
    "a legacy file that calls",
    "PICKLE_FORBIDDEN",
    () => pickled(latin1("\x80\x02cposix\nsystem\n(X\x04\0\0\0truetR.")),
  ],
  ["B-32", "a legacy file that is not a pickle", "PICKLE_SYNTAX", () => pickled(utf8("hello"))],
  ["B-33", "a program as size", "SYM_PARSE", () => expr("__import__('os').system('true')")],
  ["B-33", "a deep size", "SYM_TOO_LARGE", () => expr(`${"(".repeat(30_000)}s0${")".repeat(30_000)}`)],
  ["B-33", "an exponential size", "SYM_TOO_LARGE", () => expr("9**9**9**9**9")],
  [
    "B-33",
    "a division by zero",
    "SYM_DIVISION_BY_ZERO",
    () => expr("FloorDiv(Symbol('s0', integer=True), Integer(0))"),
  ],
  ["B-33", "a sum of 4,000 terms", "read", () => expr(chain(4000, "+"))],
  ["B-33", "a product of 4,000 factors", "read", () => expr(chain(4000, "*"))],
  ["B-33", "quotients of 4,000 symbols", "BUDGET_EXCEEDED|SYM_TOO_LARGE", () => expr(chain(4000, "//"))],
  [
    "B-33",
    "a quotient of long sums",
    "BUDGET_EXCEEDED|read",
    () => expr(`FloorDiv(${chain(3000, "+")},${chain(3000, "+")}+1)`),
  ],
  ["B-33", "a condition as size", "PT2_TYPE", () => expr("Eq(Symbol('s0', integer=True), Integer(1))")],
  ["B-33", "a float as size", "PT2_TYPE", () => expr("ToFloat(Symbol('s0', integer=True))")],
  ["B-33", "a fraction as size", "PT2_TYPE", () => expr("Rational(7, 2)")],
  ["B-33", "an infinite size", "PT2_TYPE", () => expr("oo")],
  ["B-33", "an infinite integer as size", "SYM_PARSE", () => expr("int_oo - int_oo")],
  [
    "B-33",
    "a float as symbolic integer",
    "PT2_TYPE",
    () => graph((g) => Object.assign(g, { sym_int_values: { n: { as_expr: { expr_str: "1.5" } } } })),
  ],
  ["B-34", "a guard that is code", "SYM_PARSE", () => guards("__import__('os').system('true')")],
  ["B-34", "a deep guard", "SYM_TOO_LARGE", () => guards("(".repeat(30_000))],
  ["B-34", "a long guard", "SYM_TOO_LARGE", () => guards(chain(4000, "+"))],
  ["B-34", "a guard that is a number", "PT2_TYPE", () => guards(1)],
  ["B-35", "a reversed range", "PT2_RANGE", () => range({ s0: { min_val: 3, max_val: 2 } })],
  [
    "B-35",
    "code as the key of a range",
    "PT2_RANGE",
    () => range({ "__import__('os')": { min_val: 0, max_val: 1 } }),
  ],
  ["B-35", "infinite bounds", "read", () => range({ s0: { min_val: null, max_val: null } })],
  ["B-35", "an unknown symbol", "read", () => range({ s99: { min_val: 0, max_val: 1 } })],
  ["B-36", "graphs nested 200 deep", "PT2_SUBGRAPH|JSON_DEPTH", () => nested(200)],
  [
    "B-36",
    "two graphs of one name",
    "PT2_SUBGRAPH",
    () =>
      node((call) => {
        const other = graphOf(makeModel());
        other["outputs"]![0] = loose(tensorArgument("mul"));
        call["inputs"]![0]!["arg"] = loose(subgraph("body", graphOf(makeModel())));
        call["inputs"]![1]!["arg"] = loose(subgraph("body", other));
      }),
  ],
  ["B-37", "a malformed tree", "BAD_TREE_SPEC", () => tree("[2, {}]")],
  ["B-37", "an object as protocol", "BAD_TREE_SPEC", () => tree('[{"toString":1},{}]')],
  ["B-37", "a deeply nested protocol", "BAD_TREE_SPEC", () => tree(`[${"[".repeat(100_000)}`)],
  [
    "B-37",
    "other keys than children",
    "BAD_TREE_SPEC",
    () => tree('[1,{"type":"builtins.dict","context":"[\\"a\\"]","children_spec":[]}]'),
  ],
  ["B-37", "fewer leaves than inputs", "PT2_SIGNATURE", () => tree(NO_ARGUMENTS)],
  ["B-38", "big endian", "PT2_BYTE_ORDER", () => records((r) => r.set("byteorder", utf8("big")))],
  ["B-38", "no byte order", "read", () => records((r) => r.delete("byteorder"))],
  ["B-38", "an unknown dtype", "PT2_TYPE", () => weight("dtype", 99)],
  [
    "B-39",
    "a stack trace of 1 MB with escapes",
    "read",
    () => metadata({ stack_trace: "\u001b[31m<script>\u202e".repeat(60_000) }),
  ],
  ["B-39", "markup as name", "PT2_NAME", () => argument(tensorArgument("<script>"))],
  ["B-40", "a page after the file", "ZIP_TRAILING_DATA", () => concat([makePt2(), utf8("<html></html>")])],
  ["B-40", "a script before the file", "ZIP_", () => concat([utf8("#!/bin/sh\n"), makePt2()])],
];
