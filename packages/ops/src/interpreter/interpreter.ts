/// <reference lib="esnext.disposable" preserve="true" />
/**
 * @file Runs programs node by node, as `torch.fx.Interpreter` does. Runs are generators, which
 * yield where other tasks may be let in: one run is driven with pauses or, for checks inside of
 * passes, without.
 */

import { checkOptions, PAUSE_MS, ProgressReport, pause, throwIfAborted } from "@sconce/errors";
import {
  type ExportedProgram,
  type MemoryUse,
  type Node,
  type NodeProfile,
  nodePlace,
  RUN_OPTIONS,
  type RunOptions,
  requireValues,
  type ScalarLiteral,
  type Value,
} from "@sconce/ir";
import type { DType, Tensor } from "@sconce/tensor";
import { defaultOperators } from "../families/all.js";
import type { InputCheck } from "../inputs/check.js";
import { invalidArgument } from "../rows/errors.js";
import { isScalarFunction, runScalarFunction } from "../rows/scalar-functions.js";
import type { OperatorTable } from "../table/table.js";
import { LeavingValues, regionEnd } from "./batch-regions.js";
import { graphInputs, type Mutation, mutationsOf, type UserValue, userOutputs } from "./convention.js";
import {
  atNode,
  disposed,
  foreignTensor,
  interpreterBusy,
  loopLimit,
  noAutocast,
  noCallOperator,
} from "./errors.js";
import { type Frame, type GraphPlan, resolve, type Step, stepOf } from "./graph-plan.js";
import { HIGHER_ORDER } from "./higher-order.js";
import { type GraphRunner, resolved } from "./higher-order-call.js";
import {
  chained,
  drive,
  driveSync,
  type InterpreterOptions,
  NO_EFFECT,
  NO_KWARGS,
  type NodeArguments,
  OPTIONS,
  printLine,
  type Report,
} from "./interpreter-run.js";
import { itemOf } from "./item.js";
import { isLaneCall, laneCall, opensLanes } from "./lanes.js";
import { LiveValues, storageBytes } from "./live-values.js";
import { type PreparedProgram, prepared } from "./prepare.js";
import { programState, writeBack } from "./state.js";
import { HOST_TENSORS, type TensorAccess } from "./tensor-access.js";
import {
  type CallArgument,
  type CallKwargs,
  type NestedGraph,
  type NodeArgument,
  type NodeResult,
  Running,
  type RuntimeValue,
  type Steps,
} from "./values.js";

/**
 * Runs a program node by node, in the manner of `torch.fx.Interpreter`. It binds inputs, state and
 * nested graphs, runs control flow, writes mutated buffers and inputs back, frees values after
 * their last use, and reports progress. A subclass says how operators run ({@link callOperator}),
 * and may override the method of any kind of node. `T` is what represents a tensor: a `Tensor`, a
 * `FakeTensor`, a buffer of a device. An `Interpreter<Tensor>` is an `Executable`: a backend's
 * `compile` may return it.
 */
export abstract class Interpreter<T = Tensor> {
  /** The program that runs. */
  readonly program: ExportedProgram;
  /** The operators that its calls are found in. */
  readonly operators: OperatorTable;
  protected readonly tensors: TensorAccess<T>;
  readonly #plan: GraphPlan;
  readonly #check: InputCheck;
  readonly #state: Map<string, Tensor>;
  readonly #runner: GraphRunner<T>;
  readonly #path: string[] = [];
  /** Index of the running lane of each `vmap` that is open, outermost first. */
  readonly #lanes: number[] = [];
  #profile: NodeProfile[] = [];
  /** The running graph, its values, and its running node. */
  #current: GraphPlan;
  #frame: Frame<T> = [];
  #step!: Step;
  #lastPause = 0;
  #running: Promise<unknown> | undefined;
  readonly #live = new LiveValues();
  #print: (text: string) => void = printLine;
  #isDisposed = false;
  #iterations = 0;
  /** Most iterations of all `while_loop`s of a run together. */
  maxIterations = Number.POSITIVE_INFINITY;

  /**
   * @param ready what `preparationSteps` gave for the program and the operators; computed when left
   * out
   * @throws SconceError `NO_SUBGRAPH`; `NO_VALUES` for state without values, unless the interpreter
   * has its own `tensors`
   */
  constructor(program: ExportedProgram, options: InterpreterOptions<T> = {}, ready?: PreparedProgram) {
    checkOptions("Interpreter", options, OPTIONS);
    const { operators = defaultOperators(), tensors = HOST_TENSORS as unknown as TensorAccess<T> } = options;
    if ((tensors as unknown) === HOST_TENSORS) requireValues(program);
    this.program = program;
    this.operators = operators;
    this.tensors = tensors;
    const { plan, mutated, check } = ready ?? prepared(program, operators);
    this.#plan = plan;
    this.#current = this.#plan;
    this.#check = check;
    this.#state = programState(program, operators, mutated);
    this.#runner = {
      tensors,
      operators,
      runGraph: (graph, inputs) => this.runGraph(graph, inputs),
      countIteration: () => {
        if (++this.#iterations > this.maxIterations) throw loopLimit(this.maxIterations);
      },
      withAutocast: (dtype, body) => this.withAutocast(dtype, body),
      callOperator: (target, args, kwargs, node) => this.callOperator(target, args, kwargs, node),
      print: (text) => this.#print(text),
    };
  }

  /**
   * Parameters, buffers and constants by name. Those that runs write to are copies, which carry
   * over to the next run.
   */
  get state(): ReadonlyMap<string, Tensor> {
    return this.#state;
  }

  /** Iterations of all `while_loop`s of the last run together. */
  get iterations(): number {
    return this.#iterations;
  }

  /** Returns what the nodes of the last run took, in the order in which they ran. */
  profile(): readonly NodeProfile[] {
    return this.#profile;
  }

  /** Names of the nested graphs that run now, outermost first; empty in the program's own graph. */
  get graphPath(): readonly string[] {
    return this.#path;
  }

  /**
   * Runs the program on its user inputs, flattened; returns its user outputs, flattened. Runs wait
   * for each other, since they share the state.
   *
   * @throws SconceError what the input check refuses; `ABORTED`; `DISPOSED`; errors of nodes, with
   * the node in `where`
   */
  async run(inputs: readonly (Value | T)[], options: RunOptions = {}): Promise<readonly UserValue<T>[]> {
    checkOptions("run", options, RUN_OPTIONS);
    while (this.#running !== undefined) await this.#running.catch(() => undefined);
    const running = this.#run(inputs, options);
    this.#running = running;
    try {
      return await running;
    } finally {
      this.#running = undefined;
    }
  }

  /**
   * Runs without pauses.
   *
   * @throws SconceError as {@link run}; `INTERPRETER_ASYNC` when a node gives a promise,
   * `INTERPRETER_BUSY` during a run
   */
  runSync(inputs: readonly (Value | T)[]): readonly UserValue<T>[] {
    if (this.#running !== undefined) throw interpreterBusy();
    return driveSync(this.#program(inputs, {}), () => {
      this.#lastPause = performance.now();
    });
  }

  /** Memory of the state, and of the values of a run in progress. */
  memory(): MemoryUse {
    const tensors = this.#state.size + this.#live.count;
    const hostBytes = storageBytes(this.#state.values()) + this.#live.bytes;
    return { hostBytes, tensors, deviceBytes: 0, deviceBuffers: 0, keptBytes: 0 };
  }

  /** Bytes of the values that the run in progress has computed and still needs. */
  protected get liveBytes(): number {
    return this.#live.bytes;
  }

  /** Frees the state; later runs are refused. */
  dispose(): void {
    this.#isDisposed = true;
    this.#state.clear();
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /** Checks the user inputs before a run, as PyTorch does. */
  protected checkInputs(inputs: readonly (Value | T)[]): void {
    this.#check(inputs as readonly Value[]);
  }

  /**
   * Runs one node: dispatches to the method of its kind. Called for every node, those of nested
   * graphs included.
   */
  protected runNode(node: Node): NodeResult<T> {
    switch (node.op) {
      case "placeholder":
        return this.placeholder(node, this.#frame[this.#stepOf(node).slot] as RuntimeValue<T | Tensor>);
      case "get_attr":
        return this.getAttr(node);
      case "output":
        return this.output(node, this.fetchArgsKwargsFromEnv(node).args[0] as RuntimeValue<T>);
      case "call_module": // programs have none, and no operator has the path of a module
      case "call_function": {
        const { args, kwargs } = this.fetchArgsKwargsFromEnv(node);
        return this.callFunction(node.target, args, kwargs, node);
      }
    }
  }

  /**
   * Returns the value of a placeholder: a user input, a tensor of the state, or an operand of a
   * nested graph.
   */
  protected placeholder(_node: Node, value: RuntimeValue<T | Tensor>): RuntimeValue<T> {
    return value as RuntimeValue<T>;
  }

  /** Returns the nested graph that a `get_attr` node reads. */
  protected getAttr(node: Node): NestedGraph {
    return this.#stepOf(node).subgraph!;
  }

  /**
   * Returns the results of a graph: a list, or one value in a nested graph that returns a bare one.
   */
  protected output(_node: Node, value: RuntimeValue<T>): RuntimeValue<T> {
    return value;
  }

  /**
   * Runs a call. What every interpreter runs alike ({@link isInterpretedCall}) is run here;
   * operators are left to {@link callOperator}.
   */
  protected callFunction(
    target: string,
    args: readonly NodeArgument<T>[],
    kwargs: CallKwargs<T>,
    node: Node,
  ): NodeResult<T> {
    if (target === "operator.getitem") return itemOf(args[0] as CallArgument<T>, args[1] as CallArgument<T>);
    if (isScalarFunction(target)) return runScalarFunction(target, args as ScalarLiteral[]);
    const higherOrder = HIGHER_ORDER.get(target);
    if (higherOrder !== undefined) return new Running(higherOrder(this.#runner, args, kwargs, node));
    if (isLaneCall(target)) return laneCall(target, args, this.#lanes, this.tensors);
    if (NO_EFFECT.has(target)) return null;
    if (typeof this.callOperator !== "function") throw noCallOperator(this.constructor.name);
    return this.callOperator(target, args as readonly CallArgument<T>[], kwargs, node);
  }

  /**
   * Runs one operator (`aten.add.Tensor`, or one of a plugin) on values. In-place overloads write
   * to their arguments.
   */
  protected abstract callOperator(
    target: string,
    args: readonly CallArgument<T>[],
    kwargs: CallKwargs<T>,
    node: Node,
  ): NodeResult<T>;

  /** Returns the arguments of a node of the running graph, references replaced by their values. */
  protected fetchArgsKwargsFromEnv(node: Node): NodeArguments<T> {
    const { args, kwargs } = this.#stepOf(node);
    const frame = this.#frame;
    const values = args.map((template) => resolve(template, frame));
    if (kwargs.length === 0) return { args: values, kwargs: NO_KWARGS };
    const named = kwargs.map(([key, value]) => [key, resolve(value, frame) as CallArgument<T>] as const);
    return { args: values, kwargs: Object.fromEntries(named) };
  }

  /**
   * Calls `next` with a node's value once it is known, however it comes: for overrides of
   * {@link runNode}.
   */
  protected whenDone(value: NodeResult<T>, next: (value: NodeArgument<T>) => NodeArgument<T>): NodeResult<T> {
    if (value instanceof Promise) return value.then(next);
    if (!(value instanceof Running)) return next(value);
    return new Running(chained(value, next));
  }

  /**
   * Runs a nested graph on the values of its placeholders; a graph that returns a tuple gives a
   * list.
   */
  protected *runGraph(graph: NestedGraph, inputs: readonly RuntimeValue<T>[]): Steps<RuntimeValue<T>> {
    this.#path.push(graph.name);
    try {
      return yield* this.#graph(graph as GraphPlan, inputs);
    } finally {
      this.#path.pop();
    }
  }

  /**
   * Runs the body of an autocast region. Interpreters that apply autocast override it.
   *
   * @param dtype what calls are cast to, null where autocast is off
   * @throws SconceError `UNSUPPORTED_NODES` for a region that casts
   */
  protected withAutocast(dtype: DType | null, body: Steps<RuntimeValue<T>>): Steps<RuntimeValue<T>> {
    if (dtype !== null) throw noAutocast(dtype);
    return body;
  }

  /**
   * Writes the new values of buffers, parameters and inputs to their tensors, all read before the
   * first is written. Returns what the caller sees of each, by the name of the value.
   */
  protected writeBack(
    mutations: readonly Mutation<T>[],
  ): ReadonlyMap<string, T> | Promise<ReadonlyMap<string, T>> {
    if ((this.tensors as unknown) !== HOST_TENSORS) throw foreignTensor();
    return writeBack(mutations as unknown as Mutation<Tensor>[]) as unknown as Map<string, T>;
  }

  /**
   * Called with the value of each node of the program's own graph, placeholders and the output left
   * out.
   */
  protected nodeRan(_node: Node, _value: NodeArgument<T>): void {}

  async #run(inputs: readonly (Value | T)[], options: RunOptions): Promise<readonly UserValue<T>[]> {
    throwIfAborted(options.signal);
    return drive(this.#program(inputs, options), () => this.#pause(options));
  }

  *#program(
    inputs: readonly (Value | T)[],
    { signal, onProgress, onPrint = printLine }: RunOptions,
  ): Steps<readonly UserValue<T>[]> {
    if (this.#isDisposed) throw disposed("the program");
    this.#print = onPrint;
    this.checkInputs(inputs);
    this.#begin();
    this.#live.begin([...inputs, ...this.#state.values()]);
    const { steps } = this.#plan;
    const progress = new ProgressReport("run", onProgress, steps.length);
    const reached = (done: number): void => {
      progress.at(done, steps[done]?.node.name ?? "");
      throwIfAborted(signal);
    };
    reached(0);
    const given = graphInputs(this.program, this.#state, inputs);
    const report: Report = (step, index, milliseconds) => {
      this.#profile.push({ node: step.node.name, target: step.node.target, milliseconds });
      this.nodeRan(step.node, this.#frame[step.slot]);
      reached(index + 1);
    };
    let values: readonly RuntimeValue<T>[];
    try {
      values = (yield* this.#graph(this.#plan, given, report)) as readonly RuntimeValue<T>[];
    } finally {
      this.#live.clear();
    }
    const mutations = mutationsOf(this.program, this.#state, given, values);
    const written =
      mutations.length === 0 ? new Map<string, T>() : yield* resolved(this.writeBack(mutations));
    return userOutputs(this.program, values, written);
  }

  #begin(): void {
    this.#profile = [];
    this.#iterations = 0;
    this.#path.length = 0;
    this.#lanes.length = 0;
    this.#lastPause = performance.now();
  }

  *#graph(
    plan: GraphPlan,
    inputs: readonly RuntimeValue<T | Tensor>[],
    report?: Report,
  ): Steps<RuntimeValue<T>> {
    if (inputs.length !== plan.inputs.length) {
      throw invalidArgument(`a graph of ${plan.inputs.length} inputs was given ${inputs.length}`);
    }
    const frame: Frame<T> = new Array(plan.slots);
    for (const [i, step] of plan.inputs.entries()) {
      this.#live.set(frame, step.slot, inputs[i] as NodeArgument<T>);
      yield* this.#compute(plan, frame, step);
    }
    yield* this.#steps(plan, frame, 0, plan.steps.length, true, report);
    yield* this.#compute(plan, frame, plan.output);
    const result = frame[plan.output.slot] as RuntimeValue<T>;
    for (const value of frame) this.#live.drop(value);
    return result;
  }

  /** Runs one node and keeps its value. */
  *#compute(plan: GraphPlan, frame: Frame<T>, step: Step): Steps<void> {
    this.#enter(plan, frame, step);
    try {
      this.#live.set(frame, step.slot, yield* resolved(this.runNode(step.node)));
    } catch (error) {
      throw atNode(error, nodePlace(step.node));
    }
  }

  #enter(plan: GraphPlan, frame: Frame<T>, step: Step): void {
    this.#current = plan;
    this.#frame = frame;
    this.#step = step;
  }

  /**
   * Runs the steps in [from, to); values that are dead afterwards are freed unless the steps run
   * again.
   */
  *#steps(
    plan: GraphPlan,
    frame: Frame<T>,
    from: number,
    to: number,
    release: boolean,
    report?: Report,
  ): Steps<void> {
    for (let i = from; i < to; i++) {
      const step = plan.steps[i]!;
      const [start, index] = [performance.now(), i];
      try {
        if (opensLanes(step.node.target)) {
          i = regionEnd(plan, i);
          yield* this.#region(plan, frame, index, i);
        } else {
          this.#enter(plan, frame, step);
          const value = this.runNode(step.node);
          // Most values are known at once: generators take longer than small calls.
          const waits = value instanceof Running || value instanceof Promise;
          this.#live.set(frame, step.slot, waits ? yield* resolved(value) : value);
        }
      } catch (error) {
        throw atNode(error, nodePlace(step.node));
      }
      const now = performance.now();
      if (report !== undefined) {
        this.#frame = frame;
        report(step, index, now - start);
      }
      if (release) for (const slot of step.dead) this.#live.set(frame, slot, undefined);
      if (now - this.#lastPause > PAUSE_MS) yield;
    }
  }

  /** Runs a `vmap` region: its steps once for each lane. */
  *#region(plan: GraphPlan, frame: Frame<T>, start: number, end: number): Steps<void> {
    const count = Number(resolve(plan.steps[start]!.args[0]!, frame) ?? 0);
    const inside = plan.steps.slice(start + 1, end);
    const leaving = new LeavingValues<T>(inside, this.#lanes.length + 1);
    for (let lane = 0; lane < count; lane++) {
      this.#lanes.push(lane);
      yield* this.#steps(plan, frame, start + 1, end, false);
      this.#lanes.pop();
      leaving.collect(frame);
    }
    leaving.store(frame, this.tensors);
    // What an outer region computed is read again by its next lane.
    if (this.#lanes.length > 0) return;
    for (const step of plan.steps.slice(start, end))
      for (const slot of step.dead) this.#live.set(frame, slot, undefined);
  }

  #stepOf(node: Node): Step {
    return this.#step.node === node ? this.#step : stepOf(node, this.#current);
  }

  /** Yields to the event loop, then throws if the signal was raised. */
  async #pause({ signal, onProgress }: RunOptions): Promise<void> {
    if (signal !== undefined || onProgress !== undefined) await pause();
    this.#lastPause = performance.now();
    throwIfAborted(signal);
  }
}
