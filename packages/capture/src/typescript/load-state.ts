/** @file Gives a model the state of a program, by names. */

import type { ExportedProgram } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { callOperator, type Module } from "@sconce/torch";

/**
 * Copies the parameters, buffers and constants of a program into a model that has them under the
 * same names, and returns the model.
 *
 * @throws SconceError `STATE_DICT` with everything that does not fit
 */
export function loadProgramState<M extends Module>(model: M, program: ExportedProgram): M {
  const own = model.stateDict();
  model.loadStateDict(new Map([...program.stateDict].filter(([name]) => own.has(name))));
  for (const [name, value] of program.constants) {
    let owner: unknown = model;
    const parts = name.split(".");
    const last = parts.pop()!;
    for (const part of parts) owner = propertyOf(owner, part);
    const target = propertyOf(owner, last);
    if (target instanceof Tensor) callOperator("aten.copy_.default", [target, value]);
  }
  return model;
}

function propertyOf(owner: unknown, name: string): unknown {
  const isHolder = (typeof owner === "object" || typeof owner === "function") && owner !== null;
  return isHolder && Object.hasOwn(owner, name) ? (owner as Record<string, unknown>)[name] : undefined;
}
