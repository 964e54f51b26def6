/**
 * @file What captures and lowerings share: nodes with names, and the values that represent them.
 */
import { FakeTensor, isSymScalar, type MetaValue, type SymScalar } from "@sconce/ir";
import type { UnboundArg } from "@sconce/ops";
import { type ShapeEnv, SymExpr } from "@sconce/symbolic";
import { ManyNames } from "../names/many-names.js";
import { argumentOf, type NodeSource } from "../nodes/argument-of.js";
import {
  type TraceArgument,
  TraceNode,
  type TraceNodeInit,
  type UnbackedBinding,
} from "../nodes/trace-node.js";
import { NewSymbols } from "../sizes/new-symbols.js";
import { SizeNodes } from "../sizes/size-nodes.js";

/** A node that a recorder adds. */
export interface NewNode<M> extends Omit<TraceNodeInit<M>, "name" | "op" | "meta"> {
  /** @defaultValue `call_function` */
  readonly op?: TraceNodeInit<M>["op"];
  /** The name that the node gets if it is free. */
  readonly candidate: string;
  /** @defaultValue what {@link GraphRecorder.metaOf} makes */
  readonly meta?: M | undefined;
}

/**
 * Records the nodes of one graph. Tensors and sizes represent nodes by identity; `M` is the
 * metadata of nodes.
 */
export abstract class GraphRecorder<M> {
  /** Names of nodes that are taken. */
  readonly names = new ManyNames();
  /** The nodes so far, in order. */
  readonly nodes: TraceNode<M>[] = [];
  /** Nodes of sizes and other symbolic numbers. */
  readonly sizes: SizeNodes<M>;
  protected readonly tensors = new Map<FakeTensor, TraceNode<M>>();
  readonly #symbols: NewSymbols;
  readonly #source: NodeSource<TraceArgument<M>> = {
    nodeOf: (value) => {
      const node = this.tensors.get(value);
      if (node === undefined) throw this.untraced(value);
      return node;
    },
    numberOf: (expr) => this.sizes.argument(expr),
  };

  constructor(env: ShapeEnv) {
    this.#symbols = new NewSymbols(env);
    this.sizes = new SizeNodes({
      add: (target, args, val, candidate) => this.pushScalar(target, args, val, candidate),
      outside: (symbol) => this.outerSymbol(symbol),
      unknown: (expr) => this.unknownSize(expr),
    });
  }

  /** Returns the metadata of a node for the call that runs. */
  protected abstract metaOf(target: string): M;
  /** Returns the error for a tensor of another trace. */
  protected abstract untraced(value: FakeTensor): Error;
  /** Returns the error for an expression that no value has. */
  protected abstract unknownSize(expr: SymExpr): Error;
  /** Finds a symbol that no value has. */
  protected abstract outerSymbol(symbol: SymExpr): TraceNode<M> | undefined;

  /** Returns a free name. */
  protected createName(candidate: string): string {
    return this.names.create(candidate);
  }

  /** Adds a node under a free name, with the metadata of the call that runs. */
  protected push(init: NewNode<M>): TraceNode<M> {
    // Without a rest and a spread: engines copy those slowly, and nodes are many.
    const { candidate, op = "call_function", target, args, kwargs, val, unbacked, body } = init;
    const name = this.createName(candidate);
    const meta = init.meta ?? this.metaOf(target);
    return this.add({ name, op, target, args, kwargs, meta, val, unbacked, body });
  }

  /** Adds a node for symbolic arithmetic, or for a read of a size. */
  protected pushScalar(
    target: string,
    args: readonly TraceArgument<M>[],
    val: SymScalar,
    candidate: string,
  ): TraceNode<M> {
    return this.push({ target, args, val, candidate });
  }

  /** Adds a node. */
  protected add(init: TraceNodeInit<M>): TraceNode<M> {
    const node = new TraceNode<M>(init);
    this.nodes.push(node);
    return node;
  }

  /** Adds an input, which its value represents. */
  protected addInput(init: Omit<TraceNodeInit<M>, "op"> & { readonly val: MetaValue }): TraceNode<M> {
    const node = this.add({ ...init, op: "placeholder" });
    this.represent(init.val, node);
    return node;
  }

  /** Lets a tensor or a symbolic number represent a node. */
  protected represent(value: MetaValue, node: TraceNode<M>): void {
    if (value instanceof FakeTensor) this.track(value, node);
    else if (isSymScalar(value) && value.expr instanceof SymExpr) this.sizes.bind(value.expr, node);
  }

  /** Lets a tensor represent a node, and its sizes represent reads of them. */
  abstract track(value: FakeTensor, node: TraceNode<M>): void;

  /** Returns whether a tensor represents a node. */
  isTracked(value: FakeTensor): boolean {
    return this.tensors.has(value);
  }

  /** Returns the symbols of a value that no earlier value has. */
  protected newSymbols(value: MetaValue): UnbackedBinding[] {
    return this.#symbols.of(value);
  }

  /** Returns whether an earlier value has a symbol. */
  knows(symbol: string): boolean {
    return this.#symbols.has(symbol);
  }

  /**
   * Returns the argument of a node for a value: nodes for tensors and symbolic expressions,
   * literals as they are.
   */
  toArgument(value: UnboundArg | TraceArgument<M>): TraceArgument<M> {
    return argumentOf<TraceArgument<M>>(value, this.#source);
  }
}
