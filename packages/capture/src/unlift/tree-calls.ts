/** @file Calls that build and flatten the arguments and results of preserved calls. */

/** The item of a sequence, or of a dict by its key. */
export const GETITEM = "operator.getitem";
/** Takes a tree and its structure, and gives the leaves. */
export const TREE_FLATTEN_SPEC = "torch.fx._pytree.tree_flatten_spec";
/** Takes leaves and a structure, and gives the tree. */
export const TREE_UNFLATTEN = "torch.utils._pytree.tree_unflatten";
