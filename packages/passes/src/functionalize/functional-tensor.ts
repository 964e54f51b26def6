import { FakeTensor } from "@sconce/ir";
import { type IntLike, symEquals } from "@sconce/symbolic";
import { TensorWrapper } from "@sconce/trace";
import { stridedView } from "./errors.js";

/** One view step: how to take it from a base, and how to write its result back. */
export interface ViewStep {
  /** The view operator. */
  readonly target: string;
  readonly forward: (base: FakeTensor) => FakeTensor;
  /** The same where a value is brought up to date, whose last step it may be. */
  readonly again: (base: FakeTensor, isLast: boolean) => FakeTensor;
  /** Runs something whose nodes get the metadata of the call that took the view. */
  readonly replay: Replay;
  /** The same with the metadata of the call that runs now. */
  readonly current: () => Replay;
  /** `base` is what the step was taken from, `mutated` its new result; returns the new base. */
  readonly reverse: (base: FakeTensor, mutated: FakeTensor) => FakeTensor;
}

/** Runs something with the metadata of an earlier call. */
export type Replay = (run: () => FakeTensor) => FakeTensor;

interface Update {
  readonly value: FakeTensor;
  readonly views: readonly ViewStep[];
}

export class FunctionalStorage {
  base: FakeTensor;
  generation = 0;
  /** Something was written to it since it was made. */
  mutated = false;
  #updates: Update[] = [];

  constructor(base: FakeTensor) {
    this.base = base;
  }

  /** @throws SconceError `VIEW_INVERSE` */
  addUpdate(value: FakeTensor, views: readonly ViewStep[]): void {
    const at = views.findIndex((view, i) => i > 0 && view.target === "aten.as_strided.default");
    if (at > 0) throw stridedView(views.length, at);
    this.#updates.push({ value, views });
    this.generation++;
    this.mutated = true;
  }

  applyUpdates(): void {
    const updates = this.#updates;
    this.#updates = [];
    for (const update of updates) this.base = applyUpdate(this.base, update);
  }
}

function applyUpdate(base: FakeTensor, { value, views }: Update): FakeTensor {
  const steps: FakeTensor[] = [base];
  for (let i = 0; i < views.length - 1; i++) steps.push(views[i]!.forward(steps[i]!));
  let current = value;
  for (let i = views.length - 1; i >= 0; i--) current = views[i]!.reverse(steps[i]!, current);
  return current;
}

/**
 * What a functionalized program computes with. Its sizes and strides are those of its current
 * value.
 */
export class FunctionalTensor extends TensorWrapper {
  #value: FakeTensor;
  readonly storage: FunctionalStorage;
  #views: readonly ViewStep[];
  /**
   * How the view is made anew after a write to another one: with the metadata of the call that gave
   * its value, which took the view or wrote to it.
   */
  #replay: Replay | undefined;
  /**
   * A view starts at 0 whatever its storage has seen, as PyTorch's: it is made anew when first read
   * after a write.
   */
  #generation = 0;
  /** An in-place view (`t_`) has changed the tensor's own sizes or strides. */
  #layout: FakeTensor | undefined;

  constructor(value: FakeTensor, storage = new FunctionalStorage(value), views: readonly ViewStep[] = []) {
    super(value);
    this.#value = value;
    this.storage = storage;
    this.#views = views;
    this.#replay = views.at(-1)?.replay;
  }

  /** Returns the current value, made anew from the base when another view was written to. */
  sync(): FakeTensor {
    if (this.#generation !== this.storage.generation) {
      this.storage.applyUpdates();
      const last = this.#views.at(-1);
      const run = (): FakeTensor =>
        this.#views.reduce((base, view) => view.again(base, view === last), this.storage.base);
      this.#value = this.#replay === undefined ? run() : this.#replay(run);
      this.#generation = this.storage.generation;
    }
    return this.#value;
  }

  /** The value that it had when it was last read. */
  get lastValue(): FakeTensor {
    return this.#value;
  }

  get isBase(): boolean {
    return this.#views.length === 0;
  }

  /**
   * The tensor that this one is a view of (`_base`); itself for one that is none, or is detached
   * from it.
   */
  get base(): FunctionalTensor {
    if (this.isBase || this.#views.at(-1)!.target === "aten.detach.default") return this;
    this.storage.applyUpdates();
    return new FunctionalTensor(this.storage.base, this.storage);
  }

  view(value: FakeTensor, step: ViewStep): FunctionalTensor {
    return new FunctionalTensor(value, this.storage, [...this.#views, step]);
  }

  requireGrad(): void {
    Object.assign(this, { requiresGrad: true });
  }

  /** A write: the new value goes into the storage, and this view is brought up to date at once. */
  replace(value: FakeTensor): void {
    this.write(value);
    this.sync();
  }

  /** A write that is not read back yet. */
  write(value: FakeTensor): void {
    this.#value = value;
    this.#replay = this.#views.at(-1)?.current();
    this.storage.addUpdate(value, this.#views);
  }

  /** Whether the tensor has other sizes, strides or offset than it was made with. */
  get hasNewLayout(): boolean {
    const first = this.#layout;
    if (first === undefined) return false;
    const same = (a: readonly IntLike[], b: readonly IntLike[]): boolean =>
      a.length === b.length && a.every((value, i) => symEquals(value, b[i]!));
    return !(
      same(this.shape, first.shape) &&
      same(this.strides, first.strides) &&
      symEquals(this.storageOffset, first.storageOffset)
    );
  }

  /** An in-place view (`squeeze_`, `t_`): this tensor itself becomes the view. */
  become(value: FakeTensor, step: ViewStep): void {
    this.#layout ??= new FakeTensor(this);
    this.#value = value;
    this.#views = [...this.#views, step];
    this.#replay = step.replay;
    const { shape, strides, storageOffset } = value;
    Object.assign(this, { shape, strides, storageOffset });
  }
}
