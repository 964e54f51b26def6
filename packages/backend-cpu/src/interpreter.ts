/**
 * @file Runs planned graphs node by node. Runs are generators, which yield where other tasks may be let in: one interpreter is
 * driven with pauses or, for checks inside of passes, without.
 */
import { isInt, type Node, type NodeProfile, type RunOptions, type ScalarLiteral } from "@sconce/ir";
import { isScalarFunction, runScalarFunction } from "@sconce/ops";
import type { DType, Tensor } from "@sconce/tensor";
import {
  emptyResult,
  type GraphRunner,
  HIGHER_ORDER,
  type Running,
  selected,
  stacked,
} from "./control-flow.js";
import type { CallKwargs, Dispatcher } from "./dispatch.js";
import { aborted, atNode, invalidArgument } from "./errors.js";
import type { CallArgument, RuntimeValue } from "./kernel.js";
import { type Frame, type GraphPlan, resolve, type Step } from "./plan.js";

const PREDISPATCH = "torch._functorch.predispatch.";
/** Calls that change modes which mean nothing here. */
const NO_EFFECT = new Set([`${PREDISPATCH}lazy_load_decompositions`, "torch._C._set_grad_enabled"]);
/** Time after which a run lets other tasks of the event loop in, so that its signal can be raised. */
const PAUSE_MS = 25;

/** One run of a program: options, profile, and the modes in force. */
export class Interpreter implements GraphRunner {
  readonly dispatcher: Dispatcher;
  readonly profile: NodeProfile[] = [];
  readonly #options: RunOptions;
  /** Index of the running lane of each `vmap` that is open, outermost first. */
  readonly #lanes: number[] = [];
  #lastPause = performance.now();

  constructor(dispatcher: Dispatcher, options: RunOptions = {}) {
    this.dispatcher = dispatcher;
    this.#options = options;
  }

  /** Runs the program's own graph, reporting progress and times. */
  async runMain(plan: GraphPlan, inputs: readonly RuntimeValue[]): Promise<RuntimeValue> {
    const total = plan.steps.length;
    const { onProgress } = this.#options;
    const running = this.#run(plan, inputs, {
      report: (node, index, milliseconds) => {
        this.profile.push({ node: node.name, target: node.target, milliseconds });
        onProgress?.(index + 1, total, node);
      },
    });
    for (;;) {
      const { done, value } = running.next();
      if (done) return value;
      await this.#pause();
    }
  }

  /** The same without letting other tasks in; `see` is given each value of the program's own graph as soon as it is computed. */
  runMainSync(plan: GraphPlan, inputs: readonly RuntimeValue[], see?: Seen): RuntimeValue {
    const running = this.#run(plan, inputs, see && { see });
    for (;;) {
      const { done, value } = running.next();
      if (done) return value;
      this.#lastPause = performance.now();
    }
  }

  run(plan: GraphPlan, inputs: readonly RuntimeValue[]): Running {
    return this.#run(plan, inputs);
  }

  *withAutocast(dtype: DType | null, body: () => Running): Running {
    const before = this.dispatcher.autocast;
    this.dispatcher.autocast = dtype;
    try {
      return yield* body();
    } finally {
      this.dispatcher.autocast = before;
    }
  }

  *#run(plan: GraphPlan, inputs: readonly RuntimeValue[], watch: Watch = {}): Running {
    if (inputs.length !== plan.inputs.length) {
      throw invalidArgument(`a graph of ${plan.inputs.length} inputs was given ${inputs.length}`);
    }
    const frame: Frame = new Array(plan.slots);
    inputs.forEach((value, i) => {
      frame[plan.inputs[i]!] = value;
    });
    yield* this.#steps(plan, frame, 0, plan.steps.length, true, watch);
    return resolve(plan.output, frame) as RuntimeValue;
  }

  /**
   * Runs the steps in [from, to); values that are dead afterwards are let go unless the steps will run again.
   */
  *#steps(
    plan: GraphPlan,
    frame: Frame,
    from: number,
    to: number,
    release: boolean,
    { report, see }: Watch = {},
  ): Generator<void, void, void> {
    for (let i = from; i < to; i++) {
      const step = plan.steps[i]!;
      const start = performance.now();
      try {
        if (step.node.target === `${PREDISPATCH}_vmap_increment_nesting`) {
          const end = vmapEnd(plan, i);
          yield* this.#vmap(plan, frame, i, end);
          i = end;
        } else {
          const value = this.#step(step, frame);
          frame[step.slot] = value instanceof Nested ? yield* value.running : value;
        }
      } catch (error) {
        throw atNode(error, placeOf(step.node));
      }
      see?.(step.node, frame[step.slot]);
      if (release) for (const slot of step.dead) frame[slot] = undefined;
      const now = performance.now();
      report?.(step.node, i, now - start);
      if (now - this.#lastPause > PAUSE_MS) yield;
    }
  }

  /** Lets the event loop turn, then stops when the signal was raised. */
  async #pause(): Promise<void> {
    const { signal, onProgress } = this.#options;
    if (signal !== undefined || onProgress !== undefined) {
      await new Promise<void>((done) => setTimeout(done, 0));
    }
    this.#lastPause = performance.now();
    if (signal?.aborted) throw aborted(signal.reason);
  }

  #step(
    { node, args: templates, kwargs, definition, subgraph }: Step,
    frame: Frame,
  ): CallArgument | GraphPlan | Nested {
    if (subgraph !== undefined) return subgraph;
    const { target } = node;
    const args = templates.map((template) => resolve(template, frame));
    if (target === "operator.getitem") return item(args[0] as CallArgument, args[1] as CallArgument);
    if (isScalarFunction(target)) return runScalarFunction(target, args as ScalarLiteral[]);
    const named: CallKwargs = Object.fromEntries(
      kwargs.map(([key, value]) => [key, resolve(value, frame) as CallArgument]),
    );
    const higherOrder = HIGHER_ORDER.get(target);
    if (higherOrder !== undefined) {
      const result = higherOrder(this, args, named, node);
      return Array.isArray(result) ? result : new Nested(result as Running);
    }
    if (target.startsWith(PREDISPATCH)) return this.#batchDimension(target, args as CallArgument[]);
    if (NO_EFFECT.has(target)) return null;
    const values = args as CallArgument[];
    return definition === undefined
      ? this.dispatcher.call(target, values, named)
      : this.dispatcher.apply(definition, values, named);
  }

  /** A `vmap` region: its steps once for each lane; what leaves the region is stacked. */
  *#vmap(plan: GraphPlan, frame: Frame, start: number, end: number): Generator<void, void, void> {
    const count = Number((resolve(plan.steps[start]!.args[0]!, frame) as CallArgument) ?? 0);
    const leaving: { readonly step: Step; readonly rows: Tensor[] }[] = plan.steps
      .slice(start + 1, end)
      .filter(
        (step) =>
          step.node.target === `${PREDISPATCH}_remove_batch_dim` &&
          step.args[1]?.kind === "literal" &&
          step.args[1].value === this.#lanes.length + 1,
      )
      .map((step) => ({ step, rows: [] }));
    for (let lane = 0; lane < count; lane++) {
      this.#lanes.push(lane);
      yield* this.#steps(plan, frame, start + 1, end, false);
      this.#lanes.pop();
      for (const { step, rows } of leaving) rows.push(frame[step.slot] as Tensor);
    }
    for (const { step, rows } of leaving) {
      const dim = Number(resolve(step.args[3]!, frame));
      frame[step.slot] = rows.length > 0 ? stacked(rows, dim) : emptyResult(step.node.meta.val, dim);
    }
    // What an outer region computed is read again by its next lane.
    if (this.#lanes.length > 0) return;
    for (const step of plan.steps.slice(start, end)) for (const slot of step.dead) frame[slot] = undefined;
  }

  #batchDimension(target: string, args: readonly CallArgument[]): CallArgument {
    if (target === `${PREDISPATCH}_add_batch_dim`) {
      return selected(args[0] as Tensor, Number(args[1]), this.#lanes[Number(args[2]) - 1]!);
    }
    return target === `${PREDISPATCH}_remove_batch_dim` ? args[0] : null;
  }
}

/** A higher-order call that goes on when it is driven. */
class Nested {
  readonly running: Running;

  constructor(running: Running) {
    this.running = running;
  }
}

/** Given each node with its value, which later nodes may write to. */
export type Seen = (node: Node, value: unknown) => void;

/** Who watches the steps of a graph. */
interface Watch {
  readonly report?: ((node: Node, index: number, milliseconds: number) => void) | undefined;
  readonly see?: Seen | undefined;
}

/** Index of the `_vmap_decrement_nesting` that closes the region opened at `start`. */
function vmapEnd(plan: GraphPlan, start: number): number {
  let depth = 0;
  for (let i = start; i < plan.steps.length; i++) {
    const { target } = plan.steps[i]!.node;
    if (target === `${PREDISPATCH}_vmap_increment_nesting`) depth++;
    if (target === `${PREDISPATCH}_vmap_decrement_nesting` && --depth === 0) return i;
  }
  throw invalidArgument("a vmap region is not closed");
}

function item(value: CallArgument, index: CallArgument): CallArgument {
  if (Array.isArray(value) && isInt(index)) {
    const i = Number(index) < 0 ? Number(index) + value.length : Number(index);
    if (i < value.length) return (value as readonly CallArgument[])[i];
  }
  throw invalidArgument(`operator.getitem: no item ${String(index)}`);
}

/** `node "mul" (aten.mul.Tensor), model.py:12`: the innermost frame of the stack trace is the user's line. */
export function placeOf(node: Node): string {
  const frames = [...(node.meta.stackTrace ?? "").matchAll(/File "([^"]*)", line (\d+)/g)];
  const last = frames[frames.length - 1];
  const line = last === undefined ? "" : `, ${last[1]}:${last[2]}`;
  return `node "${node.name}" (${node.target})${line}`;
}
