/** @file Small programs that show what each built-in pass changes, for the page of passes. */

/** What the page shows of a pass. */
export interface PassSample {
  /** How the pass is called; its name alone without this. */
  readonly call?: string;
  /** The dialect of the program; `ATEN` without this. */
  readonly dialect?: string;
  /** The graph. Placeholders `p_*`, `b_*` and `c_*` are parameters, buffers and constants. */
  readonly graph: string;
  /** What to look at, in one or two sentences. */
  readonly shows: string;
}

const POINTWISE = `graph(%x: f32[4]) {
  %relu: f32[4] = aten.relu.default(%x)
  %exp: f32[4] = aten.exp.default(%relu)
  %sum_1: f32[] = aten.sum.dim_IntList(%exp, [0])
  return (%sum_1)
}`;

/** By the names of passes. */
export const PASS_SAMPLES: Readonly<Record<string, PassSample>> = {
  functionalize: {
    dialect: "TRAINING",
    graph: `graph(%x: f32[2, 3]) {
  %view: f32[6] = aten.view.default(%x, [6])
  %add_: f32[6] = aten.add_.Tensor(%view, 1.0)
  %mul: f32[2, 3] = aten.mul.Tensor(%x, 2.0)
  return (%mul)
}`,
    shows:
      "The write through a view becomes a value. The new first output is written back to `x` after a run.",
  },
  "check-functional": {
    dialect: "TRAINING",
    graph: `graph(%x: f32[3]) {
  %add_: f32[3] = aten.add_.Tensor(%x, 1.0)
  return (%add_)
}`,
    shows: "The pass rejects the program.",
  },
  decompose: {
    dialect: "TRAINING",
    graph: `graph(%p_weight: f32[4, 3], %p_bias: f32[4], %x: f32[2, 3]) {
  %linear: f32[2, 4] = aten.linear.default(%x, %p_weight, %p_bias)
  %silu: f32[2, 4] = aten.silu.default(%linear)
  return (%silu)
}`,
    shows: "Calls outside of the core ATen operators become calls of these.",
  },
  canonicalize: {
    graph: `graph(%x: f32[2, 6]) {
  %view: f32[3, 4] = aten.view.default(%x, [3, 4])
  %view_1: f32[12] = aten.view.default(%view, [12])
  %mul: f32[12] = aten.mul.Tensor(%view_1, 1)
  %div: f32[12] = aten.div.Tensor(%mul, 4)
  return (%div)
}`,
    shows: "Two views are joined, the product by 1 is removed, and the division is an exact product.",
  },
  rewrite: {
    call: "rewrite{rules=[exp-log]}",
    graph: `graph(%x: f32[4]) {
  %log: f32[4] = aten.log.default(%x)
  %exp: f32[4] = aten.exp.default(%log)
  %relu: f32[4] = aten.relu.default(%exp)
  return (%relu)
}`,
    shows: "The named rule is applied wherever it matches.",
  },
  "fold-constants": {
    graph: `graph(%c_scale: f32[4], %x: f32[4]) {
  %exp: f32[4] = aten.exp.default(%c_scale)
  %mul: f32[4] = aten.mul.Tensor(%x, %exp)
  return (%mul)
}`,
    shows: "The call on a constant is computed now. Its result is a constant of the program.",
  },
  "fold-batch-norm": {
    graph: `graph(%p_weight: f32[2, 3, 1, 1], %p_gamma: f32[2], %p_beta: f32[2], %b_mean: f32[2], %b_var: f32[2], %x: f32[1, 3, 4, 4]) {
  %convolution: f32[1, 2, 4, 4] = aten.convolution.default(%x, %p_weight, none, [1, 1], [0, 0], [1, 1], false, [0, 0], 1)
  %norm: (f32[1, 2, 4, 4], f32[0], f32[0]) = aten._native_batch_norm_legit_no_training.default(%convolution, %p_gamma, %p_beta, %b_mean, %b_var, 0.1, 1e-05)
  %getitem: f32[1, 2, 4, 4] = operator.getitem(%norm, 0)
  return (%getitem)
}`,
    shows: "The convolution has new weights, and the batch norm is gone.",
  },
  cse: {
    graph: `graph(%x: f32[4], %y: f32[4]) {
  %add: f32[4] = aten.add.Tensor(%x, %y)
  %add_1: f32[4] = aten.add.Tensor(%x, %y)
  %mul: f32[4] = aten.mul.Tensor(%add, %add_1)
  return (%mul)
}`,
    shows: "Both readers read the first of two equal calls.",
  },
  dce: {
    graph: `graph(%x: f32[4]) {
  %exp: f32[4] = aten.exp.default(%x)
  %neg: f32[4] = aten.neg.default(%exp)
  %relu: f32[4] = aten.relu.default(%x)
  return (%relu)
}`,
    shows: "Calls that no output needs are removed.",
  },
  "sink-transposes": {
    graph: `graph(%x: f32[2, 3], %y: f32[2, 3]) {
  %permute: f32[3, 2]{1, 3} = aten.permute.default(%x, [1, 0])
  %permute_1: f32[3, 2]{1, 3} = aten.permute.default(%y, [1, 0])
  %add: f32[3, 2]{1, 3} = aten.add.Tensor(%permute, %permute_1)
  return (%add)
}`,
    shows: "One permutation after the sum replaces two before it.",
  },
  "remove-type-promotion": {
    call: "remove-type-promotion, dce",
    graph: `graph(%n: i64[4], %x: f32[4]) {
  %_to_copy: f32[4] = aten._to_copy.default(%n, dtype=float32)
  %add: f32[4] = aten.add.Tensor(%_to_copy, %x)
  return (%add)
}`,
    shows: "The sum converts its operand itself. `dce` removes the call that has no reader then.",
  },
  "convert-dtype": {
    call: "convert-dtype{to=float16}",
    graph: `graph(%p_weight: f32[3, 4], %x: f32[2, 3]) {
  %mm: f32[2, 4] = aten.mm.default(%x, %p_weight)
  %relu: f32[2, 4] = aten.relu.default(%mm)
  return (%relu)
}`,
    shows: "Weights and calls have the new dtype. Inputs and outputs are converted.",
  },
  "propagate-shapes": {
    call: "propagate-shapes{sizes=[x=5x3]}",
    graph: `graph(%x: f32[s77, 3]) {
  %sum_1: f32[s77] = aten.sum.dim_IntList(%x, [1])
  %unsqueeze: f32[s77, 1] = aten.unsqueeze.default(%sum_1, 1)
  return (%unsqueeze)
}`,
    shows: "The program is specialized to one shape of `x`, and all other shapes follow.",
  },
  "move-to-device": {
    graph: `graph(%x: f32[2] device(cuda:0)) {
  %ones: f32[2] device(cuda:0) = aten.ones.default([2], device=device(cuda:0))
  %add: f32[2] device(cuda:0) = aten.add.Tensor(%x, %ones)
  return (%add)
}`,
    shows: "The values and the device of the call move.",
  },
  "strip-metadata": {
    graph: `graph(%x: f32[4]) {
  %relu: f32[4] = aten.relu.default(%x) #0
  return (%relu)
}

metadata {
  #0 {"stackTrace":"File \\"model.py\\", line 12, in forward"}
}`,
    shows: "The line of the author's code is gone.",
  },
  "fuse-regions": {
    graph: POINTWISE,
    shows: "The pointwise calls are one region, which can run as one kernel.",
  },
  partition: { graph: POINTWISE, shows: "The calls that the backend supports are one nested graph." },
  "extract-submodule": {
    call: "extract-submodule{nodes=[relu,exp],name=activation}",
    graph: POINTWISE,
    shows: "The chosen calls are a nested graph with the given name.",
  },
  "split-by": {
    call: "split-by{nodes=[sum_1]}",
    graph: POINTWISE,
    shows: "The program is cut before the chosen call.",
  },
  "inline-submodule": {
    graph: `graph(%x: f32[4]) {
  %activation = get_attr activation
  %invoke: (f32[4]) = higher_order.invoke_subgraph(%activation, "activation", %x)
  %getitem: f32[4] = operator.getitem(%invoke, 0)
  return (%getitem)

  graph activation(%y: f32[4]) {
    %relu: f32[4] = aten.relu.default(%y)
    return (%relu)
  }
}`,
    shows: "The nested graph is gone, and its calls are in the graph that called it.",
  },
  "core-aten": {
    dialect: "TRAINING",
    graph: `graph(%x: f32[2, 3]) {
  %hardswish: f32[2, 3] = aten.hardswish.default(%x)
  return (%hardswish)
}`,
    shows: "The result has core ATen operators only.",
  },
  "to-edge": {
    dialect: "CORE_ATEN",
    graph: `graph(%n: i64[4], %x: f32[4]) {
  %add: f32[4] = aten.add.Tensor(%n, %x)
  %mul: f32[4] = aten.mul.Tensor(%add, 2.0)
  return (%mul)
}`,
    shows: "The promotion of `n` is a call, and the number is a tensor.",
  },
};
