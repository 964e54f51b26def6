/**
 * @file The two levels that PyTorch dispatches a call through when it retraces a program:
 * functionalization above (composites decompose, mutations and views become values), the
 * decomposition table and the graph below.
 */

import { FakeTensor, type MetaValue, type NodeMeta, type SymScalar } from "@sconce/ir";
import {
  type BoundArgs,
  bindArgs,
  type Emit,
  type EmitArg,
  elementsOf,
  emitFrom,
  leavesInput,
  type OpDefinition,
  type OperatorTable,
  refusedCall,
  viewInverse,
  writtenArguments,
} from "@sconce/ops";
import { type IntLike, le, mul } from "@sconce/symbolic";
import { wrapDimension } from "@sconce/tensor";
import {
  annotatedReference,
  type LoweringTracer,
  placedCall,
  type RecordedCall,
  underDisabled,
} from "@sconce/trace";
import type { Decomposition } from "../tables/decomposition.js";
import { type EntryRule, EntryRunner, isOwn } from "../tables/entry-check.js";
import { madeByEntry } from "../tables/entry-owners.js";
import { isUnreadEntry } from "../tables/unread-entries.js";
import { askInPlace, askResult, askSizes } from "./asked-sizes.js";
import { autoFunctionalize, isAutoFunctionalized } from "./auto-functionalize.js";
import { type AutocastState, castForAutocast } from "./autocast.js";
import { functionalArguments } from "./functional-arguments.js";
import { functionalTarget, MUTATING_VIEWS } from "./functional-targets.js";
import { FunctionalTensor, type Replay, type ViewStep } from "./functional-tensor.js";
import type { HiddenAliases } from "./hidden-aliases.js";
import { isDecomposedInAnyCase } from "./kept-in-runs.js";
import { KernelLayouts } from "./kernel-layouts.js";
import { PendingMarks } from "./pending-marks.js";
import { unwrap, unwrapAll, unwrapKwargs, wrap } from "./wrapping.js";

type Kwargs = Readonly<Record<string, EmitArg>>;

/** Decomposed where gradients are recorded only: an entry that emits it keeps it. */
const DECOMPOSED_ABOVE: ReadonlySet<string> = new Set(["aten.native_batch_norm.default"]);

/**
 * Decomposed by a Python kernel of autograd, whatever the table has (`py_impl(Autograd)`), unless
 * an entry emits them.
 */
const DECOMPOSED_BY_AUTOGRAD: ReadonlySet<string> = new Set([
  "aten.hardshrink.default",
  "aten.multi_margin_loss.default",
  "aten.softshrink.default",
]);

/** A call of a view operator, which is made anew after writes. */
interface ViewCall {
  readonly row: OpDefinition;
  /** The arguments after the base. */
  readonly rest: readonly EmitArg[];
  readonly kwargs: Kwargs;
  /** The arguments by name, once a write goes back; its base is of no account. */
  bound?: BoundArgs;
  /** What it was recorded as, of several results. */
  recorded: RecordedCall<NodeMeta> | undefined;
}

export class Dispatcher {
  readonly tracer: LoweringTracer;
  readonly operators: OperatorTable;
  readonly table: ReadonlyMap<string, Decomposition>;
  autocast: AutocastState | null = null;
  readonly #marks = new PendingMarks();
  /** Emits on the lower level: for entries of the table. */
  readonly lowered: Emit;
  /** Emits on the upper level: for composites, whose views and mutations are functionalized. */
  readonly functional: Emit;

  /** Set where numbers count more than PyTorch's text. */
  readonly hidden: HiddenAliases | undefined;

  readonly #entries: EntryRunner;
  readonly #layouts: KernelLayouts | undefined;
  readonly #ofComposites: KernelLayouts | undefined;

  /** @param laysOut whether results get the strides of PyTorch's kernels */
  constructor(
    tracer: LoweringTracer,
    operators: OperatorTable,
    table: ReadonlyMap<string, Decomposition>,
    hidden?: HiddenAliases,
    laysOut = false,
  ) {
    this.hidden = hidden;
    this.tracer = tracer;
    this.operators = operators;
    this.table = table;
    const isTraced = (value: FakeTensor): boolean => tracer.isTracked(unwrap(value) as FakeTensor);
    this.#entries = new EntryRunner({ operators, env: tracer.env, isTraced });
    const arithmetic: NonNullable<Emit["arithmetic"]> = (target, args, result) =>
      tracer.arithmetic.computed(target, args, result);
    const env = tracer.env.inDecompositions;
    const lowered = emitFrom(env, (target, args, kwargs) => this.lower(target, args, kwargs));
    const functional = emitFrom(env, (target, args, kwargs) => this.call(target, args, kwargs));
    const counted: NonNullable<Emit["counted"]> = (given, count) => {
      const tensor = unwrap(given) as FakeTensor;
      // A node reads the number of elements of an input, and of what is traced; the sizes of others
      // are multiplied.
      if (given === tensor || tracer.isInput(tensor))
        tracer.sizes.alias(count, tracer.elementsOf(tensor) as typeof count);
      else if (tracer.dropped.knowsElements(given))
        tracer.sizes.alias(count, tracer.elementsOf(given) as typeof count);
      else tracer.arithmetic.multiplied(count, tensor.shape.toReversed());
    };
    const regrouped: NonNullable<Emit["regrouped"]> = (tensor, sizes) =>
      tracer.dropped.strides(tensor, sizes);
    const settings = {
      arithmetic,
      counted,
      regrouped,
      isConjugated: this.#marks.isConjugated,
      ...(laysOut && { laysOut }),
    };
    this.lowered = Object.assign(lowered, settings);
    this.functional = Object.assign(functional, settings);
    this.#layouts = laysOut ? new KernelLayouts(this.lowered, tracer.env) : undefined;
    this.#ofComposites = laysOut ? new KernelLayouts(this.functional, tracer.env) : undefined;
  }

  /**
   * Returns what a call reads of a tensor's metadata; the factors of a number of elements follow
   * the order of dimensions.
   */
  #metadata(target: string, args: readonly EmitArg[]): SymScalar | undefined {
    const [self] = args as readonly [FakeTensor];
    if (target === "aten.sym_numel.default") this.tracer.arithmetic.multiplied(elementsOf(self), self.shape);
    return readMetadata(target, args);
  }

  /**
   * Returns a call on values that know nothing of mutation: decomposed by the table, or recorded.
   */
  lower(target: string, given: readonly EmitArg[], keywords: Kwargs): MetaValue {
    const row = this.operators.require(target);
    const { args: marked, kwargs } = placedCall(row.schema, given, keywords);
    const args = this.#marks.resolved(row, marked, (one) => this.lowered("aten.clone.default", [one]));
    const rule = DECOMPOSED_ABOVE.has(target) ? this.table.get(target) : this.#ruleOf(row);
    if (rule !== undefined) {
      const decompose = (): MetaValue => this.#decompose(row, rule as EntryRule, this.lowered, args, kwargs);
      return this.#layouts?.decomposed(row, args, kwargs, decompose) ?? decompose();
    }
    const scalar = this.#metadata(target, args);
    if (scalar !== undefined) return scalar;
    const result = this.tracer.call(row, args, kwargs);
    this.#marks.note(row, args, result);
    return this.#layouts?.kept(row, args, kwargs, result) ?? result;
  }

  /** Returns a call on functional tensors. */
  call(target: string, given: readonly EmitArg[], keywords: Kwargs): MetaValue {
    const row = this.operators.require(target);
    const { args: marked, kwargs } = placedCall(row.schema, given, keywords);
    const args = this.#marks.resolved(row, marked, (one) => this.functional("aten.clone.default", [one]));
    // The lifted literal is a constant input, which is copied before anything may write to it.
    if (target === "aten.lift_fresh_copy.default") return this.call("aten.clone.default", args, {});
    if (target === "aten.resolve_conj.default") return this.#resolveConjugate(args[0] as FakeTensor);
    if (this.autocast !== null) {
      const cast = this.#withoutAutocast((state) => castForAutocast(state, target, args, this.functional));
      if (cast !== undefined) return this.#withoutAutocast(() => this.call(target, cast, kwargs));
      const called = this.hidden && this.#kernelCalls(row, args, kwargs);
      if (called !== undefined) return called;
    }
    // Where numbers count more than the text, the table says whether the kernel gives others.
    const isKept = this.#layouts !== undefined && !this.table.has(target);
    const byAutograd = DECOMPOSED_BY_AUTOGRAD.has(target) && !isKept;
    if (row.tags.includes("composite") || this.hidden?.decomposes(target) || byAutograd) {
      const rule = byAutograd ? row.decompose : this.#ruleOf(row);
      if (rule !== undefined) {
        const decompose = (): MetaValue => {
          const result = this.#decompose(row, rule, this.functional, args, kwargs);
          return this.#ofComposites?.kept(row, args, kwargs, result) ?? result;
        };
        const isCast = this.autocast === null || this.#castsParts(row);
        return isCast ? decompose() : this.#withoutAutocast(decompose);
      }
    }
    const scalar = this.#metadata(target, args);
    if (scalar !== undefined) return scalar;
    if (row.schema.isMutable) return this.#mutate(row, args, kwargs);
    // A reshape that copied is a view of its copy, which a write then goes through.
    if (row.schema.isView || target === "aten._unsafe_view.default") {
      const view = this.#view(row, args, kwargs);
      if (row.schema.isView) this.tracer.dropped.aliased(view);
      else if (this.tracer.dropped.isNeeded)
        this.tracer.dropped.viewed(
          args[0] as FakeTensor,
          bindArgs(row.schema, args, kwargs)["size"] as readonly IntLike[],
        );
      this.tracer.dropped.wrapped(view);
      return this.#detached(row, view);
    }
    const result = wrap(this.lower(target, unwrapAll(args), unwrapKwargs(kwargs)));
    this.tracer.dropped.wrapped(result);
    this.hidden?.note(row, args, kwargs, result);
    return result;
  }

  /**
   * Returns the decomposition that applies to a row: the table's, or the composite's own where it
   * cannot be kept.
   */
  #ruleOf(row: OpDefinition): OpDefinition["decompose"] {
    // What mutates is functionalized before the table is asked.
    const entry = row.schema.isMutable ? undefined : this.table.get(row.target);
    if (entry !== undefined && (entry === row.decompose || !isUnreadEntry(entry)))
      return entry as OpDefinition["decompose"];
    const needed =
      isDecomposedInAnyCase(row, this.#layouts !== undefined) ||
      this.hidden?.decomposes(row.target) === true ||
      this.#castsParts(row);
    return needed ? row.decompose : undefined;
  }

  /**
   * Returns whether autocast casts what a composite is made of, as in a run. A retrace of PyTorch
   * decomposes below autocast, which then does not see the parts.
   */
  #castsParts(row: OpDefinition): boolean {
    return this.hidden !== undefined && this.autocast !== null && row.tags.includes("composite");
  }

  #decompose(
    row: OpDefinition,
    rule: NonNullable<OpDefinition["decompose"]>,
    emit: Emit,
    args: readonly EmitArg[],
    kwargs: Kwargs,
  ): MetaValue {
    const bound = bindArgs(row.schema, args, kwargs);
    const outer = this.tracer.currentMeta;
    const reference = rule === row.decompose ? annotatedReference(row.target) : undefined;
    if (reference !== undefined) this.tracer.currentMeta = underDisabled(outer, reference);
    else if (!isOwn(row, rule)) this.tracer.currentMeta = madeByEntry(outer, row.target, rule);
    const isOfPyTorch = rule === row.decompose;
    if (isOfPyTorch) askSizes(this.tracer.dropped, row.target, bound);
    try {
      const result = this.#entries.run(row, rule, emit, bound);
      if (isOfPyTorch) askResult(this.tracer.dropped, row.target, bound, result);
      return result;
    } catch (error) {
      throw refusedCall(error, row, bound);
    } finally {
      this.tracer.currentMeta = outer;
    }
  }

  /**
   * Returns what PyTorch's kernel calls, where autocast sees it; undefined for a kernel without
   * calls.
   */
  #kernelCalls(row: OpDefinition, args: readonly EmitArg[], kwargs: Kwargs): MetaValue | undefined {
    if (row.kernelCalls === undefined) return undefined;
    const bound = bindArgs(row.schema, args, kwargs);
    try {
      return row.kernelCalls(this.functional, bound);
    } catch (error) {
      throw refusedCall(error, row, bound);
    }
  }

  #view(row: OpDefinition, args: readonly EmitArg[], kwargs: Kwargs): MetaValue {
    const base = args[0];
    const inner = unwrapAll(args);
    const start = this.tracer.nodes.length;
    const value = this.lower(row.target, inner, unwrapKwargs(kwargs));
    if (!(base instanceof FunctionalTensor)) return wrap(value);
    const call = this.#viewCall(row, args, kwargs);
    if (value instanceof FakeTensor) return base.view(value, this.#step(call, null));
    if (!Array.isArray(value)) return value;
    call.recorded = this.#recordedCall(inner[0] as FakeTensor, start, value);
    return (value as readonly MetaValue[]).map((item, index) =>
      item instanceof FakeTensor ? base.view(item, this.#step(call, index)) : item,
    );
  }

  /** Returns a copy where conjugation is pending, the tensor itself where it is not. */
  #resolveConjugate(self: FakeTensor): MetaValue {
    return this.#marks.isConjugated(self) ? this.call("aten.clone.default", [self], {}) : self;
  }

  /** Autograd does not look through a view of the bits: its result is detached. */
  #detached(row: OpDefinition, result: MetaValue): MetaValue {
    return row.target === "aten.view.dtype"
      ? this.call("aten.detach.default", [result as FakeTensor], {})
      : result;
  }

  /**
   * Returns a view that is made again. A view of the bits is detached: for the outputs twice, here
   * and by the step that follows, and otherwise before there is such a step.
   */
  #again(row: OpDefinition, value: FakeTensor, isLast: boolean): FakeTensor {
    return row.target === "aten.view.dtype" && (isLast || this.tracer.isFinishing)
      ? (this.lower("aten.detach.default", [value], {}) as FakeTensor)
      : value;
  }

  #viewCall(row: OpDefinition, args: readonly EmitArg[], kwargs: Kwargs): ViewCall {
    return { row, rest: unwrapAll(args.slice(1)), kwargs: unwrapKwargs(kwargs), recorded: undefined };
  }

  /** Nothing but the operand of a call may decide what it is recorded as. */
  #recordedCall(
    base: FakeTensor,
    start: number,
    results: readonly MetaValue[],
  ): RecordedCall<NodeMeta> | undefined {
    return this.#marks.has(base) ? undefined : this.tracer.recordedCall(base, start, results);
  }

  /** Returns a view on another base; of several results, one. */
  #forward(call: ViewCall, base: FakeTensor, index: number | null): FakeTensor {
    const { row, rest, kwargs, recorded } = call;
    if (index !== null && recorded?.fits(base) && !this.#marks.has(base))
      return this.tracer.recordAgain(recorded, base, index);
    const start = this.tracer.nodes.length;
    const value = this.lower(row.target, [base, ...rest], kwargs);
    if (index === null) return value as FakeTensor;
    const results = value as readonly MetaValue[];
    call.recorded = this.#recordedCall(base, start, results);
    return results[index] as FakeTensor;
  }

  /** Returns how a view is replayed on another base, and how a write to it goes back. */
  #step(call: ViewCall, index: number | null): ViewStep {
    const { row, rest, kwargs } = call;
    const current = (): Replay => {
      const { stackTrace, custom } = this.tracer.currentMeta;
      return (run) => this.tracer.replay({ stackTrace, custom }, run);
    };
    return {
      target: row.target,
      forward: (base) => this.#forward(call, base, index),
      replay: current(),
      current,
      again: (base, isLast) => this.#again(row, this.#forward(call, base, index), isLast),
      reverse: (base, mutated) => {
        this.hidden?.checkStep(row, [base, ...rest]);
        call.bound ??= bindArgs(row.schema, [base, ...rest], kwargs);
        return viewInverse(this.lowered, row.target, base, mutated, call.bound, index);
      },
    };
  }

  #mutate(row: OpDefinition, args: readonly EmitArg[], kwargs: Kwargs): MetaValue {
    const viewTarget = MUTATING_VIEWS[row.target];
    if (viewTarget !== undefined) return this.#becomeView(viewTarget, args, kwargs);
    if (row.target === "aten.detach_.default") return args[0] as FunctionalTensor;
    if (row.target === "aten.resize_.default" && this.#shrinks(row, args)) return this.#shrink(row, args);
    if (isAutoFunctionalized(row)) return wrap(autoFunctionalize(this, row, args, kwargs, unwrap));
    const target = functionalTarget(row, this.operators);
    const bound = bindArgs(row.schema, args, kwargs);
    const functional = this.operators.require(target);
    const written = writtenArguments(row.schema).map((arg) =>
      leavesInput(row.schema, arg) ? withoutTensors(bound[arg.name]) : bound[arg.name],
    );
    const plain = functionalArguments(row, functional, bound, args, kwargs);
    for (const one of Object.values(bound).flat())
      if (one instanceof FunctionalTensor) this.tracer.dropped.unwrapped(one.sync(), one.storageOffset);
    if (this.tracer.dropped.isNeeded)
      askInPlace(this.tracer.dropped, row.target, unwrapKwargs(bound as Kwargs));
    const result = this.lower(target, unwrapAll(plain.args), unwrapKwargs(plain.kwargs));
    const returned = this.#writeBack(row, result, written);
    const values = [returned].flat() as readonly MetaValue[];
    this.tracer.dropped.wrapped(values.map((one) => (one instanceof FunctionalTensor ? one.lastValue : one)));
    return returned;
  }

  /**
   * A functional overload returns the results of the mutating one, then the new value of each
   * mutated argument.
   */
  #writeBack(row: OpDefinition, result: MetaValue, written: readonly unknown[]): MetaValue {
    const results: readonly MetaValue[] = Array.isArray(result) ? result.flat() : [result];
    const targets = written.flat();
    const fresh = results.slice(0, results.length - targets.length);
    const values = results.slice(results.length - targets.length);
    for (const one of written) this.#replaceAll(Array.isArray(one) ? one : [one], values);
    if (row.schema.returns.length === 0) return null;
    const sets = writtenArguments(row.schema).map((arg) => arg.alias!.set);
    let next = 0;
    const returned = row.schema.returns.map((ret) =>
      ret.alias ? (written[sets.indexOf(ret.alias.set)] as FunctionalTensor) : wrap(fresh[next++]!),
    );
    return returned.length === 1 ? returned[0]! : returned;
  }

  /**
   * New values of one written argument; of a list all are written before any is read again, as
   * PyTorch does.
   */
  #replaceAll(targets: readonly unknown[], values: MetaValue[]): void {
    const writes = targets.flatMap((target) => {
      const value = values.shift();
      // A composite that has nothing to do (`dropout_` outside of training) hands back what it was
      // given.
      if (!(target instanceof FunctionalTensor) || value === target.sync()) return [];
      return [[target, this.#likeTarget(target, value as FakeTensor)] as const];
    });
    for (const [target, value] of writes) {
      this.hidden?.written(target.storage);
      target.write(value);
    }
    for (const [target] of writes) target.sync();
  }

  /**
   * A write keeps the dtype of its target, and its strides where results get those of kernels; a
   * lazily conjugated one is written through a copy.
   */
  #likeTarget(target: FunctionalTensor, value: FakeTensor): FakeTensor {
    const current = target.sync();
    if (this.#marks.has(current)) {
      return this.lowered("aten.copy.default", [this.lowered("aten.clone.default", [current]), value]);
    }
    const { dtype, layout } = target;
    const own =
      value.dtype === dtype ? value : this.lowered("aten._to_copy.default", [value], { dtype, layout });
    return this.#layouts?.like(current, own) ?? own;
  }

  #shrinks(row: OpDefinition, args: readonly EmitArg[]): boolean {
    const [self] = args as readonly [FakeTensor];
    return this.tracer.env.guard(le(numelOf(newSizes(row, args)), numelOf(self.shape)));
  }

  /** `resize_` to no more elements is a view of the first ones. */
  #shrink(row: OpDefinition, args: readonly EmitArg[]): MetaValue {
    const sizes = newSizes(row, args);
    const strides = sizes.map((_, dim) => numelOf(sizes.slice(dim + 1)));
    return this.#becomeView("aten.as_strided.default", [args[0]!, sizes, strides], {});
  }

  #becomeView(viewTarget: string, args: readonly EmitArg[], kwargs: Kwargs): MetaValue {
    const self = args[0] as FunctionalTensor;
    const row = this.operators.require(viewTarget);
    const value = this.lower(viewTarget, unwrapAll(args), unwrapKwargs(kwargs)) as FakeTensor;
    self.become(value, this.#step(this.#viewCall(row, args, kwargs), null));
    return self;
  }

  /** Runs an operator that autocast knows outside of it: its decomposition is not cast again. */
  #withoutAutocast<T>(run: (state: AutocastState) => T): T {
    const state = this.autocast!;
    this.autocast = null;
    try {
      return run(state);
    } finally {
      this.autocast = state;
    }
  }
}

/** Returns the sizes that `resize_` gives: symbolic ones come as values of nodes. */
const newSizes = (row: OpDefinition, args: readonly EmitArg[]): readonly IntLike[] =>
  bindArgs(row.schema, args, {})["size"] as readonly IntLike[];
const numelOf = (sizes: readonly IntLike[]): IntLike => sizes.reduce<IntLike>((a, b) => mul(a, b), 1);

/** Returns the dimension that a call reads, from the front. */
function placeOf([self, dim = 0]: readonly EmitArg[]): number {
  return wrapDimension(Number(dim), (self as FakeTensor).ndim);
}

/** Sizes, strides and offsets are known without a node. */
function readMetadata(target: string, args: readonly EmitArg[]): SymScalar | undefined {
  if (!target.startsWith("aten.sym_")) return undefined;
  const self = args[0] as FakeTensor;
  const at = placeOf(args);
  switch (target) {
    case "aten.sym_size.int":
      return { kind: "SymInt", expr: self.shape[at]! };
    case "aten.sym_numel.default":
      return { kind: "SymInt", expr: elementsOf(self) };
    case "aten.sym_stride.int":
      return { kind: "SymInt", expr: self.strides[at]! };
    case "aten.sym_storage_offset.default":
      return { kind: "SymInt", expr: self.storageOffset };
    default:
      return undefined;
  }
}

/** As many places as an argument has tensors, with nothing to write to. */
const withoutTensors = (value: unknown): unknown => (Array.isArray(value) ? value.map(() => null) : null);
