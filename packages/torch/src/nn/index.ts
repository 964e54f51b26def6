/** @file Modules, layers and what they are made of (`torch.nn`). */
export * as attention from "./attention.js";
export { functional } from "./functional.js";
export type {
  ForwardHook,
  ForwardPreHook,
  HookHandle,
  HookKeywords,
  HookOptions,
  KeywordHook,
  KeywordPreHook,
  PreHookOptions,
} from "./hooks.js";
export * as init from "./init.js";
export * from "./layers/activation.js";
export {
  type AttentionCall,
  type AttentionPositions,
  MultiheadAttention,
  type MultiheadAttentionOptions,
  type MultiheadAttentionPositions,
} from "./layers/attention.js";
export {
  BatchNorm1d,
  BatchNorm2d,
  BatchNorm3d,
  InstanceNorm1d,
  InstanceNorm2d,
  InstanceNorm3d,
  type NormOptions,
} from "./layers/batch-norm.js";
export { ModuleDict, ModuleList, ParameterDict, ParameterList, Sequential } from "./layers/container.js";
export {
  Conv1d,
  Conv2d,
  Conv3d,
  type ConvOptions,
  ConvTranspose1d,
  ConvTranspose2d,
  ConvTranspose3d,
  type ConvTransposeCall,
  type ConvTransposeOptions,
  type PaddingMode,
} from "./layers/conv.js";
export * from "./layers/distance-loss.js";
export * from "./layers/dropout.js";
export {
  Embedding,
  EmbeddingBag,
  type EmbeddingBagOptions,
  type EmbeddingOptions,
} from "./layers/embedding.js";
export {
  type Lazy,
  LazyBatchNorm1d,
  LazyBatchNorm2d,
  LazyBatchNorm3d,
  LazyConv1d,
  LazyConv2d,
  LazyConv3d,
  LazyConvTranspose1d,
  LazyConvTranspose2d,
  LazyConvTranspose3d,
  LazyInstanceNorm1d,
  LazyInstanceNorm2d,
  LazyInstanceNorm3d,
  LazyLinear,
} from "./layers/lazy.js";
export { Bilinear, Identity, Linear, type LinearOptions } from "./layers/linear.js";
export * from "./layers/loss.js";
export * from "./layers/norm.js";
export * from "./layers/padding.js";
export * from "./layers/pool.js";
export {
  GRU,
  type GRUPositions,
  LSTM,
  type LSTMOptions,
  type LSTMState,
  RNN,
  type RNNOptions,
  type RNNPositions,
} from "./layers/recurrent.js";
export type { RecurrentOptions } from "./layers/recurrent-base.js";
export {
  type CellOptions,
  GRUCell,
  LSTMCell,
  RNNCell,
  type RNNCellOptions,
} from "./layers/recurrent-cell.js";
export * from "./layers/reshape.js";
export {
  type MaskOptions,
  Transformer,
  type TransformerCall,
  type TransformerOptions,
  type TransformerPositions,
} from "./layers/transformer.js";
export {
  type Activation,
  type DecoderLayerCall,
  type DecoderLayerPositions,
  type EncoderLayerCall,
  type EncoderLayerPositions,
  TransformerDecoderLayer,
  TransformerEncoderLayer,
  type TransformerLayerOptions,
  type TransformerLayerPositions,
} from "./layers/transformer-layer.js";
export {
  type DecoderCall,
  type DecoderPositions,
  type EncoderCall,
  type EncoderPositions,
  type EncoderSettings,
  TransformerDecoder,
  TransformerEncoder,
} from "./layers/transformer-stack.js";
export {
  type AnyModule,
  type BufferOptions,
  type LoadOptions,
  type LoadReport,
  Module,
  type StateOptions,
} from "./module.js";
export { type ModuleOf, moduleOf } from "./module-of.js";
export type { NamedModule, NamedTensor } from "./state.js";
export { Buffer, Parameter } from "./tensors.js";
export * as utils from "./utils/index.js";
