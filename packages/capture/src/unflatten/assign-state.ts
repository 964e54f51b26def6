/** @file Gives the modules their parameters, buffers and constants. */

import type { ExportedProgram } from "@sconce/ir";
import { Storage, Tensor } from "@sconce/tensor";
import { Parameter } from "@sconce/torch";
import { DraftModule, withoutCall } from "./draft-module.js";

type Assign = (module: DraftModule, name: string) => void;

/**
 * Calls `assign` with the module that has the state of this path, and with those of its further
 * calls. Modules without a graph are made on the way.
 */
function assignTo(root: DraftModule, fqn: string, assign: Assign): void {
  const path = fqn.split(".");
  const name = path.pop()!;
  let modules = new Set([root]);
  for (const item of path) {
    const next = new Set<DraftModule>();
    for (const module of modules) {
      if (!module.has(item)) module.modules.set(item, new DraftModule("plain"));
      for (const [key, child] of module.modules)
        if (key === item || (key.startsWith(`${item}@`) && withoutCall(key) === item)) next.add(child);
    }
    modules = next;
  }
  for (const module of modules) assign(module, name);
}

/** Copies tensors; those that share memory still do in the copies. */
class Copies {
  readonly #storages = new Map<Storage, Storage>();
  readonly #tensors = new Map<string, Tensor>();
  readonly #parameters = new Map<string, Parameter>();
  readonly #identities = new Identities();

  tensor(tensor: Tensor): Tensor {
    const id = this.#identities.of(tensor);
    const known = this.#tensors.get(id) ?? this.#copy(tensor);
    this.#tensors.set(id, known);
    return known;
  }

  parameter(tensor: Tensor): Parameter {
    const id = this.#identities.of(tensor);
    const known = this.#parameters.get(id) ?? new Parameter(this.#copy(tensor), tensor.requiresGrad);
    this.#parameters.set(id, known);
    return known;
  }

  /** Returns whether a tensor was copied as a buffer. */
  hasTensor(tensor: Tensor): boolean {
    return this.#tensors.has(this.#identities.of(tensor));
  }

  #copy(tensor: Tensor): Tensor {
    const { storage, dtype, shape, strides, storageOffset, requiresGrad } = tensor;
    if (!storage.hasValues) return tensor;
    const copy = this.#storages.get(storage) ?? new Storage(new Uint8Array(storage.bytes));
    this.#storages.set(storage, copy);
    return new Tensor({ dtype, shape, strides, storageOffset, requiresGrad, storage: copy });
  }
}

/** Names tensors by their memory, sizes, strides and offset. */
class Identities {
  readonly #numbers = new Map<Storage, number>();

  of({ storage, shape, strides, storageOffset }: Tensor): string {
    const number = this.#numbers.get(storage) ?? this.#numbers.size;
    this.#numbers.set(storage, number);
    return `${number}:${shape.join()}:${strides.join()}:${storageOffset}`;
  }
}

/**
 * Registers the state of a program: what its inputs are, then what none of them is, then constants.
 */
export function assignState(root: DraftModule, program: ExportedProgram): void {
  const copies = new Copies();
  const parameter = (fqn: string, value: Parameter): void =>
    assignTo(root, fqn, (module, name) => module.parameters.set(name, value));
  const buffer = (fqn: string, tensor: Tensor, persistent: boolean): void =>
    assignTo(root, fqn, (module, name) => module.buffers.set(name, { tensor, persistent }));
  const assigned = new Set<string>();
  const { inputSpecs } = program.graphSignature;
  for (const { kind, target } of inputSpecs)
    if (kind === "PARAMETER") {
      parameter(target!, copies.parameter(program.stateDict.get(target!)!));
      assigned.add(target!);
    }
  for (const { kind, target, persistent } of inputSpecs)
    if (kind === "BUFFER") {
      buffer(target!, copies.tensor(program.tensor(target!)!), persistent !== false);
      assigned.add(target!);
    }
  for (const [fqn, tensor] of program.stateDict) {
    if (assigned.has(fqn)) continue;
    if (copies.hasTensor(tensor) || !program.parameterNames.has(fqn))
      buffer(fqn, copies.tensor(tensor), true);
    else parameter(fqn, copies.parameter(tensor));
  }
  for (const [fqn, constant] of program.constants)
    assignTo(root, fqn, (module, name) => {
      const copy = copies.tensor(constant);
      const own = module.buffers.get(name);
      if (own === undefined) module.attributes.set(name, copy);
      else module.buffers.set(name, { tensor: copy, persistent: own.persistent });
    });
}

/**
 * Returns the state that each input of a graph may represent, by the name of the input: tensors
 * with several names have all of them.
 */
export function stateOfInputs(program: ExportedProgram): Map<string, readonly string[]> {
  const identities = new Identities();
  const uses = new Map<string, { readonly inputs: string[]; readonly targets: string[] }>();
  const found = new Set<string>();
  for (const { kind, arg, target } of program.graphSignature.inputSpecs) {
    if (target === null || kind === "USER_INPUT") continue;
    const id = identities.of(program.tensor(target)!);
    const use = uses.get(id) ?? { inputs: [], targets: [] };
    uses.set(id, use);
    use.inputs.push(arg.name);
    use.targets.push(target);
    found.add(target);
  }
  for (const state of [program.constants, program.stateDict])
    for (const [fqn, tensor] of state) {
      const use = found.has(fqn) ? undefined : uses.get(identities.of(tensor));
      use?.targets.push(fqn);
    }
  return new Map([...uses.values()].flatMap(({ inputs, targets }) => inputs.map((name) => [name, targets])));
}
