/** @file Which kind of shader a nest becomes. */
import { contractionOf, type LoopNest, type LoopProgram } from "@sconce/codegen";
import { blockedShader } from "./blocked-shader.js";
import { cellShader, type Shader } from "./shader.js";
import { sharedReduction } from "./shared-reduction.js";

export interface StrategyOptions {
  /** No hardware stands behind the adapter: workgroup memory costs more there than it saves. */
  readonly isSoftware: boolean;
}

/** The shader for a nest whose sizes are bound. */
export function shaderOf(nest: LoopNest, program: LoopProgram, { isSoftware }: StrategyOptions): Shader {
  const contraction = contractionOf(nest);
  const blocked =
    contraction === undefined ? undefined : blockedShader(nest, program, contraction, isSoftware);
  if (blocked !== undefined) return blocked;
  const shared = isSoftware ? undefined : sharedReduction(nest, program);
  return shared ?? cellShader(nest, program);
}
