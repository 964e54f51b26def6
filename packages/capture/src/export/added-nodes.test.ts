import type { Tensor } from "@sconce/tensor";
import { check, Module, type SymInt, sym, torch } from "@sconce/torch";
import { expect, test } from "vitest";
import { Dim } from "../dynamic/index.js";
import { exportProgram } from "./export-program.js";

class Net extends Module {
  override forward(x: Tensor, y: Tensor): readonly unknown[] {
    const u = y.item() as unknown as SymInt;
    check(sym.ge(u, 2));
    const size = x.size(0);
    return [x.to("float64"), torch.zeros([u]), torch.zeros([sym.add(size, 1)])];
  }
}

const NO_MODULE = "_empty_nn_module_stack_from_metadata_hook";
const ASSERTION = "_assert_tensor_metadata.default";

// `torch_fn` and `nn_module_stack` as PyTorch 2.14 gives them.
test("nodes that export adds have PyTorch's metadata", () => {
  const inputs = [torch.ones([3, 4]), torch.tensor(5)];
  const { graph } = exportProgram(new Net(), inputs, { dynamicShapes: [{ 0: Dim.AUTO }, null] });
  const calls = [...graph.nodes()].filter(({ op }) => op === "call_function");
  const added = calls.filter(({ target }) => /^aten\.(_assert|sym_)|^operator\.ge/.test(target));
  expect(added.map(({ meta }) => [...(meta.torchFn ?? []), meta.nnModuleStack?.[0]?.[0]])).toEqual([
    ["sym_size.int_0", "OpOverload.sym_size.int", NO_MODULE],
    ["ge_0", "builtin_function_or_method.ge", "L__self__"],
    ["_assert_scalar.default_0", "OpOverload._assert_scalar.default", "L__self__"],
    [`${ASSERTION}_0`, `OpOverload.${ASSERTION}`, "L__self__"],
  ]);
  expect(added[0]!.meta.stackTrace).toMatch(/^File "torch\/fx\/passes\/runtime_assert\.py", line 24/);
});
