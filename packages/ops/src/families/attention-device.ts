/**
 * @file Attention and steps of recurrent layers as graphics processors have them, in programs that
 * were lowered there. The results are those of the CPU; what a processor remembers of its random
 * numbers is 0.
 */
import { type FakeTensor, float, type IntLike, type MetaValue, symInt } from "@sconce/ir";
import { add, floorDiv, mul, sub } from "@sconce/symbolic";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { invalidArgument } from "../rows/errors.js";
import { Arithmetic } from "../rules/arithmetic.js";

interface Attention {
  readonly query: FakeTensor;
  readonly key: FakeTensor;
  readonly value: FakeTensor;
  readonly attn_bias?: FakeTensor | null;
  readonly dropout_p: number;
  readonly is_causal: boolean;
  readonly return_debug_mask?: boolean;
  readonly scale: number | null;
}

/** Returns the result, and the logarithms of the sums of each row. */
function attend(emit: Emit, name: string, args: Attention): readonly [out: FakeTensor, sums: FakeTensor] {
  const { query, key, value, attn_bias: mask, dropout_p: dropout, is_causal, scale } = args;
  if (dropout > 0)
    throw invalidArgument(
      `${name}: dropout draws from the generator of a graphics processor, which Sconce does not have. ` +
        "Export the program in evaluation mode.",
    );
  if (args.return_debug_mask === true) throw invalidArgument(`${name}: return_debug_mask is not supported`);
  const [out, sums] = emit.many(
    "aten._scaled_dot_product_flash_attention_for_cpu.default",
    [query, key, value, 0, is_causal],
    { attn_mask: mask ?? null, scale },
  ) as [FakeTensor, FakeTensor];
  return [out, sums];
}

const zeros = (emit: Emit, shape: readonly IntLike[], dtype: string): FakeTensor =>
  emit("aten.zeros.default", [shape], { dtype });

const flash = defineOp({
  schema:
    "aten::_scaled_dot_product_flash_attention(Tensor query, Tensor key, Tensor value, float dropout_p=0., bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor output, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, Tensor rng_state, Tensor unused, Tensor debug_attn_mask)",
  tags: ["not_in_default_table"],
  decompose: (emit, args): readonly MetaValue[] => {
    const [out, sums] = attend(emit, "_scaled_dot_product_flash_attention", args);
    const lengths = [args.query, args.key].map(({ shape }) => symInt(shape[2]!));
    return [
      out,
      sums,
      null,
      null,
      ...lengths,
      zeros(emit, [2], "uint64"),
      zeros(emit, [], "uint64"),
      zeros(emit, [0], args.query.dtype),
    ];
  },
});

const efficient = defineOp({
  schema:
    "aten::_scaled_dot_product_efficient_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0., bool is_causal=False, *, float? scale=None) -> (Tensor output, Tensor log_sumexp, Tensor philox_seed, Tensor philox_offset)",
  tags: ["not_in_default_table"],
  decompose: (emit, args) => {
    const { query, compute_log_sumexp: wanted } = args;
    const [out, sums] = attend(emit, "_scaled_dot_product_efficient_attention", args);
    const [batch, heads, rows] = query.shape as readonly [IntLike, IntLike, IntLike];
    // The kernel keeps sums for multiples of 32 rows.
    const padding = sub(mul(floorDiv(add(rows, 31), 32), 32), rows);
    const kept = wanted
      ? emit("aten.constant_pad_nd.default", [sums, [0, padding], float(Number.POSITIVE_INFINITY)])
      : zeros(emit, [batch, heads, 0], "float32");
    return [out, kept, zeros(emit, [], "int64"), zeros(emit, [], "int64")];
  },
});

const cudnn = defineOp({
  schema:
    "aten::_scaled_dot_product_cudnn_attention(Tensor query, Tensor key, Tensor value, Tensor? attn_bias, bool compute_log_sumexp, float dropout_p=0., bool is_causal=False, bool return_debug_mask=False, *, float? scale=None) -> (Tensor output, Tensor logsumexp, Tensor cum_seq_q, Tensor cum_seq_k, SymInt max_q, SymInt max_k, Tensor philox_seed, Tensor philox_offset, Tensor debug_attn_mask)",
  tags: ["not_in_default_table"],
  decompose: (emit, args): readonly MetaValue[] => {
    const [out, sums] = attend(emit, "_scaled_dot_product_cudnn_attention", args);
    const lengths = [args.query, args.key].map(({ shape }) => symInt(shape[2]!));
    const column = emit("aten.unsqueeze.default", [sums, -1]);
    return [out, column, null, null, ...lengths, zeros(emit, [], "int64"), zeros(emit, [], "int64"), null];
  },
});

interface Gates {
  readonly input_gates: FakeTensor;
  readonly hidden_gates: FakeTensor;
  readonly input_bias: FakeTensor | null;
  readonly hidden_bias: FakeTensor | null;
}

/** Both sums of gates, each with its bias. */
const biased = (t: Arithmetic, args: Gates): readonly [FakeTensor, FakeTensor] => [
  args.input_bias === null ? args.input_gates : t.add(args.input_gates, args.input_bias),
  args.hidden_bias === null ? args.hidden_gates : t.add(args.hidden_gates, args.hidden_bias),
];

const parts = (emit: Emit, x: FakeTensor, count: number): readonly FakeTensor[] =>
  emit.many("aten.chunk.default", [x, count, 1]);

const lstmCell = defineOp({
  schema:
    "aten::_thnn_fused_lstm_cell(Tensor input_gates, Tensor hidden_gates, Tensor cx, Tensor? input_bias=None, Tensor? hidden_bias=None) -> (Tensor, Tensor, Tensor)",
  doc: "The new states, and the activated gates.",
  tags: ["not_in_default_table"],
  decompose: (emit, args) => {
    const t = new Arithmetic(emit);
    const [input, hidden] = biased(t, args);
    const gates = parts(emit, t.add(input, hidden), 4).map((gate, at) =>
      t.unary(at === 2 ? "tanh" : "sigmoid", gate),
    );
    const [into, forget, fresh, out] = gates as [FakeTensor, FakeTensor, FakeTensor, FakeTensor];
    const state = t.add(t.mul(forget, args.cx), t.mul(into, fresh));
    return [t.mul(out, t.unary("tanh", state)), state, emit("aten.cat.default", [gates, 1])];
  },
});

const gruCell = defineOp({
  schema:
    "aten::_thnn_fused_gru_cell(Tensor input_gates, Tensor hidden_gates, Tensor hx, Tensor? input_bias=None, Tensor? hidden_bias=None) -> (Tensor, Tensor)",
  doc: "The new hidden state, and what the gradient needs: gates, the old state and its share.",
  tags: ["not_in_default_table"],
  decompose: (emit, args) => {
    const t = new Arithmetic(emit);
    const [input, hidden] = biased(t, args).map((gates) => parts(emit, gates, 3)) as [
      readonly FakeTensor[],
      readonly FakeTensor[],
    ];
    const [reset, update] = [0, 1].map((at) => t.unary("sigmoid", t.add(input[at]!, hidden[at]))) as [
      FakeTensor,
      FakeTensor,
    ];
    const fresh = t.unary("tanh", t.add(input[2]!, t.mul(reset, hidden[2])));
    const state = t.add(fresh, t.mul(update, t.sub(args.hx, fresh)));
    return [state, emit("aten.cat.default", [[reset, update, fresh, args.hx, hidden[2]], 1])];
  },
});

export const attentionDeviceOps: readonly OpDefinition[] = [flash, efficient, cudnn, lstmCell, gruCell];
