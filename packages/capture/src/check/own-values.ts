/** @file Sconce's own classes and functions, for the check of sources. */
import { float, pythonTuple, tuple } from "@sconce/ir";
import { describeOwn, type OwnValues } from "@sconce/source-check";
import {
  associativeScan,
  callOperator,
  check,
  checkIsSize,
  cond,
  constrainAsSize,
  constrainAsValue,
  enableGrad,
  functional,
  guard,
  guardInt,
  inferenceMode,
  isStateGetter,
  isSym,
  Module,
  ModuleList,
  manualSeed,
  map,
  nn,
  noGrad,
  SymInt,
  scan,
  setGradEnabled,
  slice,
  sym,
  TracedTensor,
  Transformer,
  torch,
  whileLoop,
} from "@sconce/torch";
import { UnflattenedModule } from "../unflatten/unflattened-module.js";
import { GraphModule } from "../unlift/graph-module.js";
import { ProgramModule } from "../unlift/program-module.js";

const ownValues = (): OwnValues => ({
  Module,
  ModuleList,
  TracedTensor,
  SymInt,
  programOf: (module) =>
    module instanceof GraphModule || module instanceof UnflattenedModule ? module.program : undefined,
  isProgramModule: (module) => module instanceof ProgramModule,
  isSym,
  isStateGetter,
  manualSeed,
  torch,
  functions: {
    "torch.generateSquareSubsequentMask": Transformer.generateSquareSubsequentMask,
    torch,
    functional,
    utils: nn.utils,
    sym,
    isSym,
    guard,
    guardInt,
    noGrad,
    enableGrad,
    inferenceMode,
    setGradEnabled,
    check,
    checkIsSize,
    constrainAsSize,
    constrainAsValue,
    slice,
    float,
    pythonTuple,
    tuple,
    manualSeed,
    callOperator,
    cond,
    switch: torch.switch,
    map,
    whileLoop,
    scan,
    associativeScan,
  },
});

/** Lets the check of sources know Sconce's own classes and functions. */
export const knowOwnValues = (): void => describeOwn(ownValues);
