/** @file Which kind of shader a nest becomes. */
import type { LoopNest, LoopProgram } from "@sconce/codegen";
import { cellShader, type Shader } from "./shader.js";

export interface StrategyOptions {
  /** No hardware stands behind the adapter: workgroup memory costs more there than it saves. */
  readonly isSoftware: boolean;
}

/** The shader for a nest whose sizes are bound. */
export function shaderOf(nest: LoopNest, program: LoopProgram, _options: StrategyOptions): Shader {
  return cellShader(nest, program);
}
