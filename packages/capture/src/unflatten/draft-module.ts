/** @file A module under construction: `torch.nn.Module` with the parts that `unflatten` moves. */

import type { Graph, TreeSpec } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import type { Parameter } from "@sconce/torch";
import { DraftGraph } from "./draft-graph.js";

/** A module without a graph, such as a list, or the body of a branch or a loop. */
type PlainKind = "plain" | "body";

/** What a module becomes. */
export type DraftKind = PlainKind | "root" | "interpreter" | "dispatcher";

/** A module whose parts are not registered yet. */
export class DraftModule {
  readonly kind: DraftKind;
  /** The class of the module that it represents. */
  type: string | null;
  /** The graph of its `forward`. */
  readonly graph: DraftGraph | undefined;
  /** Submodules in order. Calls of one module share the map, as in PyTorch. */
  modules = new Map<string, DraftModule>();
  readonly parameters = new Map<string, Parameter>();
  /** Buffers, with whether the state dict has them. */
  readonly buffers = new Map<string, { readonly tensor: Tensor; readonly persistent: boolean }>();
  /** Constants, and the structures of preserved calls. */
  readonly attributes = new Map<string, Tensor | TreeSpec>();
  /** The modules of a dispatcher, in order of their calls. */
  readonly calls: readonly DraftModule[];
  /** The nested graph of a body. */
  readonly body: Graph | undefined;

  constructor(
    kind: DraftKind,
    parts: {
      readonly type?: string | null;
      readonly calls?: readonly DraftModule[];
      readonly body?: Graph;
    } = {},
  ) {
    this.kind = kind;
    this.type = parts.type ?? null;
    this.calls = parts.calls ?? [];
    this.body = parts.body;
    this.graph = kind === "root" || kind === "interpreter" ? new DraftGraph() : undefined;
  }

  /** Returns whether it has an attribute of this name. */
  has(name: string): boolean {
    return [this.modules, this.parameters, this.buffers, this.attributes].some((part) => part.has(name));
  }

  /** Adds the structure of a call, and returns its name. */
  addSpec(spec: TreeSpec): string {
    let i = 0;
    while (this.has(`_spec_${i}`)) i++;
    this.attributes.set(`_spec_${i}`, spec);
    return `_spec_${i}`;
  }

  /** Returns the module at a path, undefined where there is none. */
  find(path: readonly string[]): DraftModule | undefined {
    let module: DraftModule | undefined = this;
    for (const name of path) module = module?.modules.get(name);
    return module;
  }

  /** Removes the module at a path. */
  remove(path: string): void {
    const names = path.split(".");
    const last = names.pop()!;
    this.find(names)!.modules.delete(last);
  }

  /** Sets the module at a path; those on the way are made where they lack. */
  set(path: string, module: DraftModule, make: (prefix: string) => DraftModule = plain): void {
    const names = path.split(".");
    const last = names.pop()!;
    let owner: DraftModule = this;
    names.forEach((name, i) => {
      let next = owner.modules.get(name);
      if (next === undefined) {
        next = make(names.slice(0, i + 1).join("."));
        owner.modules.set(name, next);
      }
      owner = next;
    });
    owner.modules.set(last, module);
  }

  /** Yields all modules with their paths, shared ones at each. */
  *all(path = ""): Generator<readonly [path: string, module: DraftModule]> {
    yield [path, this];
    for (const [name, child] of this.modules) yield* child.all(path === "" ? name : `${path}.${name}`);
  }
}

const plain = (): DraftModule => new DraftModule("plain");

/** Splits a path; that of the root is empty. */
export const pathOf = (fqn: string): readonly string[] => (fqn === "" ? [] : fqn.split("."));

/** Returns the name of the n-th call of a module, from 1: `base`, `base@1`, `base@2`. */
export const callName = (base: string, n: number): string => (n === 1 ? base : `${base}@${n - 1}`);

/** Returns a path without the number of the call at its end, or anything behind the first. */
export const withoutCall = (fqn: string): string => fqn.split("@")[0]!;
