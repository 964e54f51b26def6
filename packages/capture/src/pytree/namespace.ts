/** @file Structures of inputs and outputs: classes of the user's, keys, tuples. */
export {
  attributeKey,
  type ConstantOptions,
  type DataclassOptions,
  mappingKey,
  type PathKey,
  type PytreeNodeOptions,
  pythonTuple as tuple,
  registerConstant,
  registerDataclass,
  registerNamedTuple,
  registerPytreeNode,
  sequenceKey,
} from "@sconce/ir";
