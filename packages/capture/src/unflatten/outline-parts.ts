/** @file What the calls of the modules of one program share while they are found. */
import type { ModuleCallSignature } from "@sconce/ir";
import type { DraftNode } from "./draft-graph.js";
import type { DraftModule } from "./draft-module.js";

/** A call of a module, with the module that was made for it. */
export interface ModuleCall {
  readonly parentFqn: string;
  readonly parent: DraftModule;
  /** The node of the call, in the graph of the parent. */
  readonly node: DraftNode;
  readonly fqn: string;
  /** Which call of the module it is, from 1. */
  readonly index: number;
  readonly module: DraftModule;
}

/** What the frames of one program share. */
export interface Outline {
  readonly nodes: readonly DraftNode[];
  readonly users: ReadonlyMap<string, readonly DraftNode[]>;
  /** Nodes that are in some module already, by name. */
  readonly seen: Map<string, DraftNode>;
  /** Calls by the identity of the original module. */
  readonly calls: Map<string, ModuleCall[]>;
  /** Nested graphs that each call reads, by the name of the call. */
  readonly bodies: Map<string, Set<string>>;
  /** Modules that were made on the way to others. */
  readonly created: Map<string, DraftModule>;
  readonly signatures: ReadonlyMap<string, ModuleCallSignature>;
  /** Whether an operator writes to an argument. */
  readonly isWrite: (target: string) => boolean;
  /** Intermediate values of mutations that preserved calls read, by the path of their module. */
  readonly mutations: Map<string, Set<string>>;
}
