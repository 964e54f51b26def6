/**
 * @file `nn.functional.multi_head_attention_forward` (`torch/nn/functional.py`): the same sequence
 * of operators.
 */
import { float, toNumber } from "@sconce/ir";
import { isFloatDType, type Tensor } from "@sconce/tensor";
import { deviceOfTensor } from "../functions/conversions.js";
import { invalidArgument } from "../functions/errors.js";
import { callMethod, callNn, callTorch } from "../functions/function-tables.js";
import type { PythonArguments } from "../functions/python-function.js";
import { sizeOf, sizesOf, sizeText } from "../functions/sizes.js";
import { guard, sym } from "../functions/sym.js";
import type { Size } from "../trace/sym-int.js";
import type { Body } from "./functional-activation.js";

type MaybeTensor = Tensor | null;

const method = (x: Tensor, name: string, ...args: readonly unknown[]): Tensor =>
  callMethod(x, name, args) as Tensor;
const linear = (x: Tensor, weight: Tensor, bias: MaybeTensor): Tensor =>
  callNn("linear", [x, weight, bias]) as Tensor;
const times = (a: Size, b: Size): Size => sym.mul(a, b) as Size;
const contiguous = (x: Tensor): Tensor => x.contiguous();

function refuse(problem: string, fix: string): never {
  throw invalidArgument("functional.multiHeadAttentionForward", problem, fix);
}

/** Several projections of one input, by one product. */
function packed(x: Tensor, weight: Tensor, bias: MaybeTensor, parts: number, size: Size): readonly Tensor[] {
  const split = method(linear(x, weight, bias), "unflatten", -1, [parts, size]);
  const moved = method(method(method(split, "unsqueeze", 0), "transpose", 0, -2), "squeeze", -2);
  const projections = contiguous(moved);
  return Array.from({ length: parts }, (_, i) => method(projections, "select", 0, i));
}

type Three<T> = readonly [T, T, T];

/** Query, key and value from one weight (`_in_projection_packed`). */
function projectedPacked(q: Tensor, k: Tensor, v: Tensor, weight: Tensor, bias: MaybeTensor): Three<Tensor> {
  const size = sizeOf(q, -1);
  if (k === v && q === k) return packed(q, weight, bias, 3, size) as Three<Tensor>;
  if (k === v) {
    const sections = [size, times(size, 2)];
    const [wq, wkv] = callTorch("split_with_sizes", [weight, sections]) as readonly Tensor[];
    const [bq, bkv] =
      bias === null ? [null, null] : (callTorch("split_with_sizes", [bias, sections]) as readonly Tensor[]);
    const query = linear(q, wq!, bq ?? null);
    const [key, value] = packed(k, wkv!, bkv ?? null, 2, size);
    return [query, key!, value!];
  }
  const weights = callMethod(weight, "chunk", [3]) as readonly Tensor[];
  return projected([q, k, v], weights, bias);
}

function projected(inputs: Three<Tensor>, weights: readonly Tensor[], bias: MaybeTensor): Three<Tensor> {
  const biases = bias === null ? [null, null, null] : (callMethod(bias, "chunk", [3]) as readonly Tensor[]);
  const [query, key, value] = inputs.map((x, i) => linear(x, weights[i]!, biases[i]!));
  return [query!, key!, value!];
}

/** Returns a mask of truth values as the numbers that are added (`_canonical_mask`). */
export function additiveMask(mask: MaybeTensor, { dtype }: Tensor): MaybeTensor {
  if (mask === null || isFloatDType(mask.dtype)) return mask;
  if (mask.dtype !== "bool") refuse(`a mask is of dtype ${mask.dtype}`, "use bool or a float dtype");
  const zeros = callTorch("zeros_like", [mask], { dtype }) as Tensor;
  return method(zeros, "masked_fill_", mask, Number.NEGATIVE_INFINITY);
}

const pad = (x: Tensor): Tensor => callNn("pad", [x, [0, 1], "constant", null]) as Tensor;
const padMaybe = (x: MaybeTensor): MaybeTensor => (x === null ? null : pad(x));

/** What the forward works on; masks and lengths change on the way. */
interface State {
  q: Tensor;
  k: Tensor;
  v: Tensor;
  mask: MaybeTensor;
  padding: MaybeTensor;
  readonly length: Size;
  readonly batch: Size;
  readonly size: Size;
  readonly heads: number;
  readonly headSize: Size;
}

function addBiases(state: State, biasK: MaybeTensor, biasV: MaybeTensor): void {
  if (biasK === null || biasV === null) {
    if (biasK !== biasV) refuse("only one of biasK and biasV is given", "give both or none");
    return;
  }
  const joined = (x: Tensor, bias: Tensor): Tensor =>
    callTorch("cat", [[x, method(bias, "repeat", 1, state.batch, 1)]]) as Tensor;
  state.k = joined(state.k, biasK);
  state.v = joined(state.v, biasV);
  state.mask = padMaybe(state.mask);
  state.padding = padMaybe(state.padding);
}

const groups = ({ batch, heads }: State): Size => times(batch, heads);

function splitHeads(state: State, staticK: MaybeTensor, staticV: MaybeTensor): void {
  const count = groups(state);
  const heads = (x: Tensor, length: Size): Tensor =>
    method(method(x, "view", length, count, state.headSize), "transpose", 0, 1);
  state.q = heads(state.q, state.length);
  state.k = staticK ?? heads(state.k, sizeOf(state.k, 0));
  state.v = staticV ?? heads(state.v, sizeOf(state.v, 0));
}

function addZeros(state: State): void {
  const shape = [groups(state), 1, state.headSize];
  const joined = (x: Tensor): Tensor => {
    const zeros = callTorch("zeros", [shape], { dtype: x.dtype, device: deviceOfTensor(x) });
    return callTorch("cat", [[x, zeros]], { dim: 1 }) as Tensor;
  };
  state.k = joined(state.k);
  state.v = joined(state.v);
  state.mask = padMaybe(state.mask);
  state.padding = padMaybe(state.padding);
}

function mergeMasks(state: State): void {
  const { padding, batch, heads, mask } = state;
  if (padding === null) return;
  const length = sizeOf(state.k, 1);
  const expanded = method(method(padding, "view", batch, 1, 1, length), "expand", -1, heads, -1, -1);
  const shaped = method(expanded, "reshape", groups(state), 1, length);
  state.mask = mask === null ? shaped : method(mask, "add", shaped);
}

interface Output {
  readonly weight: Tensor;
  readonly bias: MaybeTensor;
  readonly dropout: number;
  readonly average: boolean;
}

/** Attention with its weights, by batched products. */
function withWeights(state: State, { weight, bias, dropout, average }: Output): readonly [Tensor, Tensor] {
  const { q, k, v, mask, length, batch, size, heads } = state;
  const scaled = method(q, "mul", rootOfInverse(sizeOf(q, 2)));
  const keys = method(k, "transpose", -2, -1);
  const scores =
    mask === null ? callTorch("bmm", [scaled, keys]) : callTorch("baddbmm", [mask, scaled, keys]);
  let weights = method(scores as Tensor, "softmax", -1);
  if (dropout > 0) weights = callTorch("dropout", [weights, dropout, true]) as Tensor;
  const attended = callTorch("bmm", [weights, v]) as Tensor;
  const flat = method(method(attended, "transpose", 0, 1), "reshape", times(length, batch), size);
  const out = linear(flat, weight, bias);
  const result = method(out, "view", length, batch, sizeOf(out, 1));
  const shaped = method(weights, "view", batch, heads, length, sizeOf(k, 1));
  return [result, average ? (callMethod(shaped, "mean", [], { dim: 1 }) as Tensor) : shaped];
}

/** `math.sqrt(1.0 / float(E))` */
function rootOfInverse(size: Size): unknown {
  return typeof size === "number"
    ? float(Math.sqrt(1 / size))
    : sym.sqrt(sym.trueDiv(float(1), sym.float(size)));
}

/** Attention by one operator. */
function fused(state: State, { weight, bias, dropout }: Output, isCausal: boolean): Tensor {
  const { length, batch, size, heads, headSize } = state;
  const source = sizeOf(state.k, 1);
  let { mask } = state;
  if (mask !== null)
    mask =
      isOne(sizeOf(mask, 0)) && mask.ndim === 3
        ? method(mask, "unsqueeze", 0)
        : method(mask, "view", batch, heads, -1, source);
  const q = method(state.q, "view", batch, heads, length, headSize);
  const k = method(state.k, "view", batch, heads, source, headSize);
  const v = method(state.v, "view", batch, heads, source, headSize);
  const attended = callNn("scaled_dot_product_attention", [
    q,
    k,
    v,
    mask,
    dropout === 0 ? float(0) : dropout,
    isCausal,
  ]) as Tensor;
  const flat = method(method(attended, "permute", 2, 0, 1, 3), "reshape", times(batch, length), size);
  const out = linear(flat, weight, bias);
  return method(out, "view", length, batch, sizeOf(out, 1));
}

const isOne = (size: Size): boolean => guard(sym.eq(size, 1));

function checkShapes({ query, key, value, keyPaddingMask, attnMask }: PythonArguments): boolean {
  const isBatched = query.ndim === 3;
  if (!(isBatched || query.ndim === 2) || key.ndim !== query.ndim || value.ndim !== query.ndim)
    refuse(
      `query, key and value have ${query.ndim}, ${key.ndim} and ${value.ndim} dimensions`,
      "use 3 dimensions for batches, 2 without",
    );
  if (keyPaddingMask !== null && keyPaddingMask.ndim !== query.ndim - 1)
    refuse(`keyPaddingMask has ${keyPaddingMask.ndim} dimensions`, `use ${query.ndim - 1}`);
  if (attnMask !== null && attnMask.ndim !== 2 && attnMask.ndim !== 3)
    refuse(`attnMask has ${attnMask.ndim} dimensions`, "use 2 or 3");
  return isBatched;
}

/** Query, key and value before the heads are split. */
function projections(args: PythonArguments, inputs: Three<Tensor>): Three<Tensor> {
  const { inProjWeight, inProjBias, useSeparateProjWeight } = args;
  if (!useSeparateProjWeight) return projectedPacked(...inputs, inProjWeight, inProjBias);
  return projected(inputs, [args["qProjWeight"], args["kProjWeight"], args["vProjWeight"]], inProjBias);
}

/** The masks as numbers, and whether the mask of causal attention is left to the operator. */
function masks(args: PythonArguments, query: Tensor, padding: MaybeTensor) {
  const { attnMask, isCausal, needWeights } = args;
  const numbers = additiveMask(padding, query);
  if (isCausal && attnMask === null)
    refuse("isCausal is a hint for attnMask, which is not given", "give attnMask");
  if (isCausal && numbers === null && !needWeights) return { padding: numbers, mask: null, isCausal: true };
  return { padding: numbers, mask: additiveMask(attnMask, query), isCausal: isCausal && numbers === null };
}

function multiHeadAttention(args: PythonArguments): unknown {
  const isBatched = checkShapes(args);
  let { query, key, value, keyPaddingMask } = args as Record<string, Tensor>;
  if (!isBatched) {
    const [q, k, v] = [query!, key!, value!];
    query = method(q, "unsqueeze", 1);
    key = method(k, "unsqueeze", 1);
    value = method(v, "unsqueeze", 1);
    if ((keyPaddingMask ?? null) !== null) keyPaddingMask = method(keyPaddingMask!, "unsqueeze", 0);
  }
  const state = attentionState(args, [query!, key!, value!], keyPaddingMask ?? null);
  const output: Output = {
    weight: args["outProjWeight"],
    bias: args["outProjBias"],
    dropout: args["training"] ? toNumber(args["dropoutP"]) : 0,
    average: args["averageAttnWeights"],
  };
  if (!args["needWeights"]) {
    const result = fused(state, output, state.isCausal);
    return [isBatched ? result : method(result, "squeeze", 1), null];
  }
  const [result, weights] = withWeights(state, output);
  return isBatched ? [result, weights] : [method(result, "squeeze", 1), method(weights, "squeeze", 0)];
}

/** Projects, adds biases and zeros, splits heads and joins the masks. */
function attentionState(
  args: PythonArguments,
  inputs: Three<Tensor>,
  keyPadding: MaybeTensor,
): State & { readonly isCausal: boolean } {
  const [query] = inputs;
  const [length, batch, size] = sizesOf(query) as Three<Size>;
  const heads = args["numHeads"] as number;
  const { padding, mask, isCausal } = masks(args, query, keyPadding);
  const headSize = sym.floorDiv(size, heads) as Size;
  if (!guard(sym.eq(size, args["embedDimToCheck"])) || !guard(sym.eq(times(headSize, heads), size)))
    refuse(
      `the embedding size ${sizeText(size)} is not that of the layer, or not divisible by ${heads} heads`,
      "use other sizes",
    );
  const [q, k, v] = projections(args, inputs);
  const shaped = mask?.ndim === 2 ? method(mask, "unsqueeze", 0) : mask;
  const state = { q, k, v, mask: shaped, padding, length, batch, size, heads, headSize, isCausal };
  addBiases(state, args["biasK"], args["biasV"]);
  splitHeads(state, args["staticK"], args["staticV"]);
  if (args["addZeroAttn"]) addZeros(state);
  mergeMasks(state);
  return state;
}

/** The functions by PyTorch's name. */
export const ATTENTION: Readonly<Record<string, Body>> = { multi_head_attention_forward: multiHeadAttention };
