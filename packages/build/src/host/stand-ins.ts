/** @file Arguments of a kernel, by the names of its schema, as an expression of JavaScript. */
import { scriptString } from "@sconce/errors";
import { FakeTensor, isSymScalar, type NodeRef, symBool, symFloat, symInt } from "@sconce/ir";
import { type BoundArgs, bindArgs } from "@sconce/ops";
import { SymExpr, symbol } from "@sconce/symbolic";
import type { ScalarCode } from "../code/scalar-code.js";
import { OWN_SYMBOLS, type Symbols } from "../code/symbols.js";
import { CannotWrite } from "./cannot-write.js";
import type { HostValue } from "./host-value.js";

const SYMBOLIC = { int: symInt, float: symFloat, bool: symBool } as const;

/** Fakes of the values of a run, for shape rules and decompositions. */
export class StandIns {
  readonly #symbols: Symbols;
  readonly #tensors = new Map<unknown, HostValue>();
  readonly #next: () => string;

  /** @param next gives names that are given once */
  constructor(symbols: Symbols, next: () => string) {
    this.#symbols = symbols;
    this.#next = next;
  }

  /** Says which value a fake tensor represents. */
  set(fake: FakeTensor, value: HostValue): void {
    this.#tensors.set(fake, value);
  }
  /** Returns the value that a fake tensor represents. */
  get(fake: unknown): HostValue | undefined {
    return this.#tensors.get(fake);
  }
  /** Returns a name that no symbol of a program has. */
  symbolName(): string {
    return `${OWN_SYMBOLS}${this.#next()}`;
  }
  /** Returns a new symbolic number that has the value of an expression. */
  scalar(code: ScalarCode): unknown {
    const name = this.symbolName();
    this.#symbols.set(name, code.kind === "int" ? `$(${code.text})` : code.text);
    const expr = symbol(name, { integer: code.kind === "int", float: code.kind === "float" }) as SymExpr;
    return SYMBOLIC[code.kind](expr);
  }

  /** Returns the fake of a value. @throws CannotWrite */
  of(value: HostValue | null): unknown {
    if (value === null) return null;
    if (value.kind === "scalar") return this.scalar(value.code);
    if (value.kind === "list") return value.items.map((item) => this.of(item));
    if (value.kind !== "tensor") throw new CannotWrite("it takes a graph");
    const fake = new FakeTensor({ ...value.fake });
    this.set(fake, value);
    return fake;
  }

  /** Binds arguments as the interpreter does. */
  bind(
    schema: Parameters<typeof bindArgs>[0],
    args: readonly unknown[],
    kwargs: Readonly<Record<string, unknown>>,
    hostValue: (name: string) => HostValue,
  ): BoundArgs {
    return bindArgs(schema, args, kwargs, ({ name }: NodeRef) => this.of(hostValue(name)));
  }

  /** Returns an argument as code: a literal, or the value of a fake. @throws CannotWrite */
  code(value: unknown, size: (expr: SymExpr) => string): string {
    const known = this.get(value);
    if (known?.kind === "tensor") return known.text;
    if (value instanceof SymExpr) return size(value);
    if (isSymScalar(value)) {
      const text = value.expr instanceof SymExpr ? size(value.expr) : String(value.expr);
      return value.kind === "SymFloat" ? `k.float(${text})` : text;
    }
    if (value === null || value === undefined) return "null";
    if (typeof value === "string") return scriptString(value);
    if (typeof value === "bigint") return `${value}n`;
    if (typeof value === "number") return Object.is(value, -0) ? "-0" : String(value);
    if (typeof value === "boolean") return String(value);
    if (Array.isArray(value)) return `[${value.map((one) => this.code(one, size)).join(",")}]`;
    if (typeof value !== "object" || value instanceof FakeTensor)
      throw new CannotWrite("it has an argument that no module holds");
    return this.fields(value, size);
  }
  /** Returns an object of arguments. */
  fields(value: object, size: (expr: SymExpr) => string): string {
    const fields = Object.entries(value).map(
      ([name, one]) => `${scriptString(name)}:${this.code(one, size)}`,
    );
    return `{${fields.join(",")}}`;
  }
  /** Returns the first tensor among arguments. */
  first(bound: BoundArgs): HostValue | undefined {
    return Object.values(bound).flatMap((one) => this.get(one) ?? [])[0];
  }
}
