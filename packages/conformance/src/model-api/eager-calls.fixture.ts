/** @file Calls that run at once, which `oracle/eager_calls.py` records. */
import {
  associativeScan,
  cond,
  manualSeed,
  map,
  nn,
  pythonTuple,
  scan,
  torch,
  whileLoop,
} from "@sconce/capture";
import { SconceError } from "@sconce/errors";
import { float, isFloat, toNumber } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { fixtureJson } from "../fixtures.js";

/** A call in TypeScript, with what PyTorch makes of it. */
export interface EagerCall {
  readonly section: string;
  readonly typescript: string;
  readonly wanted: { readonly result: unknown } | { readonly error: string; readonly refused: string };
}

/** The calls that PyTorch recorded. */
export const CALLS = fixtureJson("capture/eager-calls.json.gz") as readonly EagerCall[];

class Tied extends nn.Module {
  readonly a = new nn.Linear(2, 2, { bias: false });
  readonly b = new nn.Linear(2, 2, { bias: false });
  k!: Tensor;
  l!: Tensor;
  empty!: Tensor | null;
  plain = torch.ones(2);
  count = 3;
  constructor() {
    super();
    this.a.weight.copy_(torch.eye(2));
    this.b.weight = this.a.weight;
    this.registerBuffer("k", torch.ones(2));
    this.registerBuffer("l", this.k);
    this.registerBuffer("empty", null);
  }
  override forward(x: Tensor, scale: number | { scale?: number; shift?: number } = 1, shift = 0): Tensor {
    if (typeof scale === "object") return this.forward(x, scale.scale ?? 1, scale.shift ?? 0);
    const y = this.b(this.a(x)).mul(this.k).add(this.l).mul(scale).add(shift).add(this.plain);
    return this.empty === null ? y : y.add(this.empty);
  }
}

class Counter extends nn.Module {
  n!: Tensor;
  m!: Tensor;
  constructor() {
    super();
    this.registerBuffer("n", torch.zeros(2));
    this.m = this.n;
  }
  override forward(x: Tensor): Tensor {
    this.n = this.n.add(x);
    return this.n.mul(2);
  }
}

class Own extends nn.Linear {}

function full(value: number): nn.Linear {
  const layer = new nn.Linear(2, 2);
  for (const each of layer.parameters()) each.fill_(value);
  return layer;
}

/** Returns the names that a call reads. */
function scopeOf(): Readonly<Record<string, unknown>> {
  const tied = new Tied();
  const values = { x: torch.ones(1, 2), w: torch.full([2, 2], float(2)), v: torch.full([2, 2], float(3)) };
  const m = torch
    .tensor([
      [1, -2, 3],
      [0, 5, -6],
    ])
    .to("float32");
  const classes = { Own, Tied, full, tied, keywords: tied, counter: new Counter(), gru: new nn.GRU(3, 3) };
  const { func } = torch;
  const flow = { cond, whileLoop, scan, map, associativeScan };
  return {
    torch,
    F: nn.functional,
    nn,
    ...func,
    ...flow,
    pythonTuple,
    float,
    ...classes,
    ...values,
    m,
    s: torch.ones(3),
    p: torch.tensor(true),
  };
}

const finite = (value: number): number | string => (Number.isFinite(value) ? value : String(value));

/** Returns a value as the fixture has it. */
function plain(value: unknown): unknown {
  if (value instanceof Tensor) {
    const real = value.dtype.startsWith("complex") ? torch.viewAsReal(value.resolveConj()) : value;
    const values = [...real.contiguous().flatten().to("float64").data].map((one) => finite(Number(one)));
    return { dtype: value.dtype, shape: [...value.shape], values };
  }
  if (isFloat(value)) return toNumber(value);
  if (Array.isArray(value)) return value.map(plain);
  if (typeof value === "object" && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, plain(one)]));
  return value;
}

/** Returns whether values are equal; numbers may differ by the rounding of float32. */
export function areSame(got: unknown, wanted: unknown): boolean {
  if (typeof got === "number" && typeof wanted === "number")
    return Object.is(got, wanted) || Math.abs(got - wanted) <= 3e-7 * Math.max(8, Math.abs(wanted));
  if (typeof got !== "object" || typeof wanted !== "object" || got === null || wanted === null)
    return got === wanted;
  const [keys, others] = [Object.keys(got), Object.keys(wanted)];
  return (
    keys.length === others.length &&
    keys.every((key, i) => key === others[i] && areSame(got[key as never], wanted[key as never]))
  );
}

/** Runs a call, and returns its result or its refusal as the fixture has it. */
export function resultOf({ typescript }: EagerCall): { result: unknown } | { refused: string } {
  const scope = scopeOf();
  manualSeed(5);
  const body = /\breturn /.test(typescript) ? typescript : `return ${typescript}`;
  const run = new Function(...Object.keys(scope), body) as (...given: unknown[]) => unknown;
  try {
    return { result: plain(run(...Object.values(scope))) };
  } catch (error) {
    if (!(error instanceof SconceError)) throw error;
    return { refused: error.message };
  }
}
