/** @file Weights of which parts are zero (`torch.nn.utils.prune`). */
export {
  apply,
  customFromMask,
  globalUnstructured,
  identity,
  isPruned,
  l1Unstructured,
  lnStructured,
  type PrunedTensor,
  randomStructured,
  randomUnstructured,
  remove,
} from "./prune.js";
export {
  BasePruningMethod,
  CustomFromMask,
  Identity,
  L1Unstructured,
  LnStructured,
  type NormOrder,
  type PruneAmount,
  type PruneOptions,
  type PruningType,
  RandomStructured,
  RandomUnstructured,
} from "./pruning-methods.js";
