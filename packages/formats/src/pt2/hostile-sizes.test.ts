import { test } from "vitest";
import {
  expectRefused,
  expr,
  graph,
  graphOf,
  type HostileCase,
  json,
  nested,
  node,
  signature,
  size,
  subgraph,
  text,
} from "./hostile.fixture.js";
import { loose, makeModel, withModel, withWeightConfig } from "./pt2.fixture.js";

const CASES: readonly HostileCase[] = [
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
  ["an expression without text", "PT2_FIELD", "tensor_values.x.sizes[0].as_expr", size({ as_expr: {} })],
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
    "8 GiB in an empty record, which is a tensor without values of other sizes than its input",
    "PT2_WEIGHT",
    "input_specs[0]",
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

test.each(CASES)("sizes, signatures and weights: %s", expectRefused);
