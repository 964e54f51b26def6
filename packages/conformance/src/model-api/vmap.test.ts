import { cond, exportProgram, torch } from "@sconce/capture";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { StackedInside } from "./func.fixture.js";

const { vmap } = torch;
const REFUSED: Readonly<Record<string, readonly [model: (x: Tensor) => Tensor, message: RegExp]>> = {
  "another dimension of results": [(x) => vmap((a: Tensor) => a.sin(), { outDims: 1 })(x), /out_dims is 1/],
  "random draws": [(x) => vmap((a: Tensor) => a.add(torch.rand(2)))(x), /random operation/],
  writes: [(x) => vmap((a: Tensor) => a.clone().add_(1))(x), /writes to a tensor/],
  "control flow": [
    (x) =>
      vmap((a: Tensor) =>
        cond(
          x.sum().gt(0),
          (y: Tensor) => y.sin(),
          (y: Tensor) => y.cos(),
          [a],
        ),
      )(x),
    /control flow|higher_order/,
  ],
};

test.each(Object.entries(REFUSED))("an export refuses %s in vmap", (_, [model, message]) => {
  expect(() => exportProgram(model, [torch.ones(2, 2)])).toThrow(
    expect.objectContaining({
      code: "CONTROL_FLOW_ARGUMENTS",
      message: expect.stringMatching(message) as string,
    }),
  );
});

test("a strict export refuses stacked parameters that ask for gradients, as PyTorch does", () => {
  expect(() => exportProgram(new StackedInside(), [torch.ones(4)], { strict: true })).toThrow(
    expect.objectContaining({
      code: "TORCH_ARGUMENT",
      message: expect.stringContaining("returning intermediate with requires_grad_()") as string,
    }),
  );
  const frozen = exportProgram(new StackedInside().requiresGrad_(false), [torch.ones(4)], { strict: true });
  expect(String(frozen)).toContain("aten.stack.default");
});

test.each(["grad", "gradAndValue", "vjp", "jvp", "jacrev", "jacfwd", "hessian", "linearize"] as const)(
  "torch.func.%s says that it is not supported, and what to do",
  (name) => {
    expect(() => torch.func[name]((x: Tensor) => x.sin())).toThrow(
      expect.objectContaining({
        code: "TORCH_ARGUMENT",
        message: expect.stringContaining("derivatives of functions are not supported") as string,
        fix: expect.stringContaining("formula of the derivative") as string,
      }),
    );
  },
);
