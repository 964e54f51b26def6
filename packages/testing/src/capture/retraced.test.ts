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

test("loops are refused", async () => {
  await expect(exportAgain("flow_map")).rejects.toMatchObject({
    code: "NOT_RETRACEABLE",
    message: "higher_order.map_impl cannot be exported again from the module of a program",
  });
});

test.each(["ir_cond", "flow_scan", "flow_while_data", "pm_buffer_updates"])(
  "the module of %s gives PyTorch's numbers",
  async (name) => {
    expect(await calledDifference(name)).toBeUndefined();
  },
);
