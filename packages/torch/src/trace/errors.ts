/** @file Errors of values while a program is traced. */
import { describeValue, SconceError } from "@sconce/errors";
import type { FakeTensor } from "@sconce/ir";
import { printExpr, type SymExpr } from "@sconce/symbolic";

/** Returns the error for a symbolic size where JavaScript wants a number or a text. */
export const symbolicCoercion = (text: string, hint: string): SconceError =>
  new SconceError({
    code: "SYMBOLIC_COERCION",
    message: `the dynamic size ${text} is used as a ${hint === "default" ? "value of a JavaScript operator" : hint}`,
    fix: "use `sym.add`, `sym.mul`, `sym.eq`, `sym.lt` and the like, and `guard(condition)` for a branch",
  });

/**
 * Returns the error when an operator gives a boolean of JavaScript that only the data decide
 * (`DataDependentOutputException`).
 */
export const dataDependentResult = (target: string): SconceError =>
  new SconceError({
    code: "TRACED_VALUES",
    message: `\`${target}\` gives a boolean that only the data decide, which are not known while the program is traced`,
    where: target,
    fix: "compute with operators: `x.eq(y).all()` is a tensor, and `torch.where` or `torch.cond` choose by it",
  });

/** Returns the error when an operator decides by the data, so that PyTorch does not export it. */
export const decidesByData = (target: string, reason: string, fix: string): SconceError =>
  new SconceError({
    code: "TRACED_VALUES",
    message: `\`${target}\` ${reason}, which is not known while the program is traced`,
    where: target,
    fix,
  });

/** Returns the error of `view_as_real` for a tensor whose conjugation is pending. */
export const unresolvedConjugate = (target: string): SconceError =>
  new SconceError({
    code: "TORCH_ARGUMENT",
    message:
      "view_as_real doesn't work on unresolved conjugated tensors.  To resolve the conjugate tensor so you can view " +
      "it as real, use self.resolve_conj(); however, be warned that the resulting tensor will NOT alias the original.",
    where: target,
    fix: "use `torch.viewAsReal(x.resolveConj())`",
  });

/** Returns the error for a call on elements of a batch of `vmap` that PyTorch refuses. */
export function refusedInLane(target: string, reason: string): SconceError {
  const isOfNumber = reason.startsWith("Dimension");
  return new SconceError({
    code: "TORCH_ARGUMENT",
    message: isOfNumber ? `${reason}: \`${target}\` of a number for each example of \`vmap\`` : reason,
    where: target,
    fix: isOfNumber
      ? "leave the call out, which changes no number"
      : "compute with tensors whose sizes are the same for all items (`torch.where`, a mask)",
  });
}

/**
 * Returns the error for an operator without a shape rule for dynamic sizes
 * (`UnsupportedOperatorException`).
 */
export const noDynamicRule = (target: string, fix: string): SconceError =>
  new SconceError({
    code: "NO_FAKE",
    message: `\`${target}\` has no shape rule for dynamic sizes`,
    where: target,
    fix,
  });

/** Returns the error when the values of a tensor are read while a program is traced. */
export const tracedValues = (): SconceError =>
  new SconceError({
    code: "TRACED_VALUES",
    message: "the values of a tensor are read while the program is traced, when they are not known",
    fix: "compute with operators instead; to branch on values use `torch.cond`; to read an integer use `item()`",
  });

/** Returns the error for an entry of `shape` or `strides` of a traced tensor that is dynamic. */
export const dynamicShape = (property: "shape" | "strides", dim: number, fake: FakeTensor): SconceError =>
  new SconceError({
    code: "DYNAMIC_SHAPE",
    message: `\`${property}[${dim}]\` of a tensor of sizes [${fake.shape.join(", ")}] is read, which is ${fake[property][dim]}, not a number`,
    fix: `read it with \`x.${property === "shape" ? "size" : "stride"}(${dim})\`, or all of them with \`const [n, m] = x.${property === "shape" ? "size" : "stride"}()\`; compute with it by \`sym.add\`, \`sym.mul\` and the like`,
  });

/** Returns the error for a seed that is not an integer. */
export const badSeed = (seed: unknown): SconceError =>
  new SconceError({
    code: "TORCH_ARGUMENT",
    message: `manualSeed: ${describeValue(seed)} is not an integer`,
    fix: "give an integer, or a bigint from 2 ** 53 on",
  });

/** Returns the error for a traced value that leaves its trace. */
export const escapedTensor = (fake: FakeTensor): SconceError =>
  new SconceError({
    code: "ESCAPED_TENSOR",
    message: `a tensor of another trace is used: ${fake.dtype}[${fake.shape.join(", ")}]`,
    fix: "pass the tensor as an argument or return it; do not keep tensors of one export for another",
  });

/** Returns the error for a tensor of a function of control flow that is used outside of it. */
export const leakedTensor = (fake: FakeTensor): SconceError =>
  new SconceError({
    code: "ESCAPED_TENSOR",
    message: `a tensor that a function of control flow made is used outside of it: ${fake.dtype}[${fake.shape.join(", ")}]`,
    fix: "return the tensor from the function, and use what the call returns",
  });

/** Returns the error for a symbol that belongs to no input of the trace. */
export const unknownSymbol = (expr: SymExpr): SconceError =>
  new SconceError({
    code: "UNKNOWN_SYMBOL",
    message: `nothing in the graph gives the size ${printExpr(expr)}`,
    fix: "use sizes of the program's own inputs; sizes of another trace mean nothing here",
  });

/**
 * Returns the error for an in-place write to a tensor that gradients are recorded for, or to a view
 * of one.
 */
export const leafWrite = (target: string, isView: boolean): SconceError =>
  new SconceError({
    code: "LEAF_WRITE",
    message: `${target}: a ${isView ? "view of a leaf" : "leaf"} Variable that requires grad is being used in an in-place operation.`,
    fix: "write to parameters within `torch.noGrad(() => ...)`, or keep the value in a buffer (`nn.Buffer`)",
  });

/**
 * Returns the error for an operator without a fake, whose kernel gives what no fake can be inferred
 * from.
 */
export const kernelHasNoShape = (target: string, reason: string): SconceError =>
  new SconceError({
    code: "NO_FAKE",
    message: `propagate_real_tensors: we cannot infer a Fake kernel (meta kernel) for operator ${target} because ${reason}`,
    where: target,
    fix: "call `registerFake` of the operator with a function that gives dtype and sizes of the results",
  });

/** Returns the error for a condition of `check` that does not hold. */
export const checkFailed = (message: string): SconceError =>
  new SconceError({
    code: "CHECK_FAILED",
    message,
    fix: "pass example inputs for which the condition holds, or correct the condition",
  });

/** Returns the error for invalid arguments of `autocast`. */
export const badAutocast = (problem: string, fix: string): SconceError =>
  new SconceError({ code: "TORCH_ARGUMENT", message: `autocast: ${problem}`, fix });

/** Returns the error for an asynchronous function, which runs on after its caller has ended. */
export const asynchronous = (name: string): SconceError =>
  new SconceError({
    code: "TORCH_ARGUMENT",
    message: `${name}: the function is asynchronous, and would run on after \`${name}\` has ended`,
    where: name,
    fix: "pass a function without `async` that returns no promise, and await what it needs before",
  });

export const notAFunction = (name: string): SconceError =>
  new SconceError({
    code: "TORCH_ARGUMENT",
    message: `${name}: what runs is not a function`,
    where: name,
    fix: `pass a function: \`${name}(() => f(x))\``,
  });

/** Control flow in a mixed precision region, whose program PyTorch's files cannot hold. */
export const autocastAroundGraphs = (name: string): SconceError =>
  new SconceError({
    code: "TORCH_ARGUMENT",
    message: `autocast: the region calls \`torch.${name}\`, which PyTorch's files cannot hold inside of one`,
    fix: "begin the region inside of each function that the call is given",
  });

/** Returns the name in messages of PyTorch: `aten::add_`. */
const pytorchName = (target: string): string => target.split(".").slice(0, 2).join("::");

/**
 * Returns the error for a write of values of one item to a tensor that all items of `vmap` share.
 */
export const sharedWrite = (target: string, level: number): SconceError =>
  new SconceError({
    code: "CONTROL_FLOW_ARGUMENTS",
    message:
      `vmap: ${pytorchName(target)}(self, *extra_args) is not possible because there exists a Tensor \`other\` in ` +
      "extra_args that has more elements than `self`. This happened due to `other` being vmapped over but `self` " +
      `not being vmapped over at level ${level}. Please try to use out-of-place operators instead of ${pytorchName(target)}.`,
    where: "torch.vmap",
    fix: "use the function that gives a new tensor: `x.add(y)`",
  });

const itemError = (message: string, fix: string, where = "torch.vmap"): SconceError =>
  new SconceError({
    code: "CONTROL_FLOW_ARGUMENTS",
    message: /^(vmap|repeat_interleave)/.test(message) ? message : `vmap: ${message}`,
    where,
    fix,
  });

/** Returns the error for a call that PyTorch cannot do for the items of a batch. */
export const refusedItemCall = (target: string, reason: string): SconceError =>
  itemError(
    reason,
    "compute with tensors whose sizes are the same for all items (`torch.where`, a mask), or loop over the items",
    target,
  );

/** Returns the error for a read of the numbers of one item. */
export const hiddenItem = (): SconceError =>
  itemError(
    "Cannot access data pointer of Tensor that doesn't have storage",
    "return the tensor, and read the numbers of all items outside of the function",
  );

/** Returns the error for a call that gives other sizes for another item. */
export const unequalItems = (target: string, first: string, now: string, index: number): SconceError =>
  itemError(
    `stack expects each tensor to be equal size, but got ${first} at entry 0 and ${now} at entry ${index}`,
    "compute with tensors whose sizes are the same for all items",
    target,
  );

/** Returns the error for random numbers in a function of `vmap` that may not draw. */
export const randomItem = (): SconceError =>
  itemError(
    "called random operation while in randomness error mode. Please either use the 'same' or 'different' randomness flags on vmap or perform the randomness operation out of vmap",
    'pass `{ randomness: "different" }`, or draw before and pass what is drawn as an argument',
  );

/** Returns the error for draws that depend on an item, where all items draw the same. */
export const sameItemDraw = (): SconceError =>
  itemError(
    "Vmap does not currently support same randomness with a batched tensor input. Please file an issue with functorch",
    'pass `{ randomness: "different" }`, or draw before and pass what is drawn as an argument',
  );

/** Returns the error for different draws into a tensor that all items share. */
export const differentSharedDraw = (): SconceError =>
  itemError(
    "Cannot ask for different inplace randomness on an unbatched tensor. This will appear like same randomness. If this is necessary for your usage, please file an issue with functorch.",
    "draw a new tensor: `torch.randn(...)`",
  );

/** Returns the error for draws that depend on the values of an item, which Sconce does not do. */
export const differentItemDraw = (target: string): SconceError =>
  itemError(
    `\`${target}\` with randomness "different" draws by values that differ between items, which is not supported`,
    "draw for the whole batch before, and pass what is drawn as an argument",
    target,
  );

/** Returns the error for a write that each item of `vmap` would do again. */
export const repeatedWrite = (target: string): SconceError =>
  new SconceError({
    code: "CONTROL_FLOW_ARGUMENTS",
    message: `vmap: ${pytorchName(target)} writes to a tensor that all items share, and each item would write it again`,
    where: "torch.vmap",
    fix: "write to the tensor outside of the function, once",
  });

/**
 * Returns the error for a call on tensors of the `meta` device whose result depends on values; the
 * message is PyTorch's.
 */
export const metaWithoutValues = (target: string, message: string): SconceError =>
  new SconceError({
    code: "NO_VALUES",
    message,
    where: target,
    fix: 'make the tensors on the CPU, or give the module values: `module.toEmpty({ device: "cpu" })`, then `loadStateDict`',
  });

/** Returns the error for operands on the CPU beside others on `meta`; the message is PyTorch's. */
export const mixedDevices = (
  target: string,
  message = "Tensor on device cpu is not on the expected device meta!",
): SconceError =>
  new SconceError({
    code: "TORCH_ARGUMENT",
    message,
    where: target,
    fix: 'make all operands on one device: `torch.ones(2, { device: "meta" })`',
  });
