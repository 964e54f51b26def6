import { expect, test } from "vitest";
import { calledDifference, exportAgain, RETRACED } from "./retraced.fixture.js";

test.each([
  "pm_buffer_updates",
  "tree_nested",
  "shape_int_input",
  "unbacked_int",
  "text_names",
  "net_lstm_cell",
])("the module of %s is exported again as PyTorch does", async (name) => {
  expect(await exportAgain(name)).toEqual(RETRACED[name]);
});

test.each(["flow_map", "flow_scan_reverse", "flow_while_data", "flow_cond_nested", "pm_map"])(
  "the nested graphs of %s are kept",
  async (name) => {
    expect(await exportAgain(name)).toEqual(RETRACED[name]);
  },
);

test.each(["ir_cond", "flow_scan", "flow_while_data", "pm_buffer_updates"])(
  "the module of %s gives PyTorch's numbers",
  async (name) => {
    expect(await calledDifference(name)).toBeUndefined();
  },
);
