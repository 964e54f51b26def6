/** @file Attention with functions of scores and masks (`torch.nn.attention`). */
export {
  andMasks,
  BlockMask,
  createBlockMask,
  createMask,
  type FlexAttentionOptions,
  flexAttention,
  type MaskMod,
  noopMask,
  orMasks,
  type ScoreMod,
} from "../control-flow/flex-attention.js";
