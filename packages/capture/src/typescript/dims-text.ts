/** @file Which sizes are dynamic: the declaration with `Dim`. */
import { scriptString } from "@sconce/errors";
import { type ExportedProgram, FakeTensor, isSymScalar, type MetaValue } from "@sconce/ir";
import { asLinear, freeSymbols, type IntLike, type Linear, SymExpr, symbolNumber } from "@sconce/symbolic";

import type { ModuleFile } from "./module-file.js";

/** How many names are tried for a dim; one in a hundred gives the wanted number. */
const MOST_NAMES = 2000;

/** Writes the dims of a program. */
export class DimsText {
  readonly #file: ModuleFile;
  readonly #program: ExportedProgram;
  readonly #dims = new Map<string, string>();
  /** Declarations of named dims. */
  readonly lines: string[] = [];
  /** Symbols that conditions relate in other ways than named dims do. */
  readonly #inferred: ReadonlySet<string>;
  /** The dynamic sizes of all inputs. */
  readonly #sizes: readonly SymExpr[];

  constructor(file: ModuleFile, program: ExportedProgram, inferred: ReadonlySet<string>) {
    this.#file = file;
    this.#program = program;
    this.#inferred = inferred;
    this.#sizes = program.graph
      .placeholders()
      .flatMap(({ meta: { val } }) =>
        val instanceof FakeTensor ? val.shape.filter((size) => size instanceof SymExpr) : [],
      );
  }

  /** Returns the specification of an input; undefined for one without dynamic sizes. */
  input(val: MetaValue | undefined): string | undefined {
    if (isSymScalar(val)) return val.expr instanceof SymExpr ? `${this.#file.use("Dim")}.DYNAMIC` : undefined;
    if (!(val instanceof FakeTensor)) return undefined;
    const sizes = val.shape.flatMap((size, dim) =>
      size instanceof SymExpr ? [`${dim}: ${this.#size(size)}`] : [],
    );
    return sizes.length === 0 ? undefined : `{ ${sizes.join(", ")} }`;
  }

  #size(size: SymExpr): string {
    const linear = asLinear(size as IntLike);
    const isNamed =
      linear !== undefined &&
      isIncreasing(linear) &&
      ![...freeSymbols(size).keys()].some((name) => this.#inferred.has(name));
    if (!isNamed) return `${this.#file.use("Dim")}.AUTO${this.#bounds(size.toString())}`;
    const { symbol, coefficient: factor, offset } = linear;
    let text = this.#named(symbol.name);
    if (factor !== 1) text += `.mul(${factor})`;
    if (offset !== 0) text += offset > 0 ? `.add(${offset})` : `.sub(${-offset})`;
    return text;
  }

  #named(symbol: string): string {
    const known = this.#dims.get(symbol);
    if (known !== undefined) return known;
    const variable = this.#file.names.take(symbol);
    this.#dims.set(symbol, variable);
    const shown = boundsText(this.#rootRange(symbol));
    const bounds = shown === "" ? "" : `, ${shown.slice(1, -1)}`;
    const name = this.#nameFor(symbol, variable);
    this.lines.push(`const ${variable} = ${this.#file.use("Dim")}(${scriptString(name)}${bounds});`);
    return variable;
  }

  /**
   * Returns the name of a dim: the symbol's. A dim that no input has as a size gives the symbol its
   * number, by its name.
   */
  #nameFor(symbol: string, variable: string): string {
    const number = /^s(\d+)$/.exec(symbol)?.[1];
    const isSize = this.#sizes.some((size) => size.op === "Symbol" && size.name === symbol);
    if (isSize || number === undefined) return variable;
    for (let i = 0; i < MOST_NAMES; i++) {
      const name = i === 0 ? variable : `${variable}_${i}`;
      if (symbolNumber(name) === Number(number)) return name;
    }
    return variable;
  }

  /** `({ min: 2, max: 64 })`, without what is not bounded. */
  #bounds(expression: string): string {
    return boundsText(this.#program.rangeConstraints.get(expression));
  }

  /**
   * Returns the range of the symbol of a dim. A derived size may have the range that was declared,
   * where that of the symbol was narrowed since.
   */
  #rootRange(symbol: string): Range | undefined {
    const own = this.#program.rangeConstraints.get(symbol);
    if (own === undefined) return undefined;
    let { min } = own;
    for (const size of this.#sizes) {
      const linear = asLinear(size as IntLike);
      const range = this.#program.rangeConstraints.get(size.toString());
      if (linear === undefined || linear.symbol.name !== symbol || range === undefined) continue;
      min = Math.min(min, Math.ceil((range.min - linear.offset) / linear.coefficient));
    }
    return { min, max: own.max };
  }
}

interface Range {
  readonly min: number;
  readonly max: number;
}

/** `({ min: 2, max: 64 })`, without bounds that are none. */
export function boundsText(range: Range | undefined, least = 0): string {
  if (range === undefined) return "";
  const parts = [
    ...(range.min > least && Number.isSafeInteger(range.min) ? [`min: ${range.min}`] : []),
    ...(Number.isSafeInteger(range.max) ? [`max: ${range.max}`] : []),
  ];
  return parts.length === 0 ? "" : `({ ${parts.join(", ")} })`;
}

const isIncreasing = ({ coefficient: factor, offset }: Linear): boolean =>
  Number.isSafeInteger(factor) && factor > 0 && Number.isSafeInteger(offset);
