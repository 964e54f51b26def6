/** @file Which sizes a specification declares equal, or related (`EqualityConstraint`). */
import { add, type IntLike, mul, type SymExpr, symbol, symEquals } from "@sconce/symbolic";

/** A size of an input, by the name that guards use: `L['x'].size()[0]`. */
export type SizeSource = string;

/**
 * `source = factor * root + offset`; the root is a size, or a symbol that is the size of no input.
 */
export interface DerivedEquality {
  readonly source: SizeSource;
  readonly root: SizeSource | IntLike;
  readonly factor: number;
  readonly offset: number;
}

/** The equalities of a specification. */
export interface EqualityInit {
  readonly pairs: readonly (readonly [SizeSource, SizeSource])[];
  readonly derived: readonly DerivedEquality[];
  /** Sizes with a hint: equalities and relations of theirs are inferred. */
  readonly relaxed: ReadonlySet<SizeSource>;
}

/** Answers whether two sizes are declared equal, or one a function of the other. */
export class Equalities {
  readonly pairs: EqualityInit["pairs"];
  readonly derived: EqualityInit["derived"];
  readonly #relaxed: ReadonlySet<SizeSource>;
  readonly #parents = new Map<SizeSource, SizeSource>();
  readonly #definitions = new Map<SizeSource, IntLike>();
  readonly #symbols = new Map<SizeSource, SymExpr>();

  constructor({ pairs, derived, relaxed }: EqualityInit) {
    this.pairs = pairs;
    this.derived = derived;
    this.#relaxed = relaxed;
    for (const [a, b] of pairs) {
      const [rootA, rootB] = [this.#find(a), this.#find(b)];
      if (rootA !== rootB) this.#parents.set(rootA, rootB);
    }
    for (const { source, root, factor, offset } of derived) {
      const value = typeof root === "string" ? this.#rewrite(root) : root;
      this.#definitions.set(this.#find(source), add(mul(factor, value), offset));
    }
  }

  #find(source: SizeSource): SizeSource {
    const parent = this.#parents.get(source);
    return parent === undefined ? source : this.#find(parent);
  }

  #rewrite(source: SizeSource): IntLike {
    const root = this.#find(source);
    return this.#definitions.get(root) ?? this.#symbolOf(root);
  }

  #symbolOf(source: SizeSource): SymExpr {
    const known = this.#symbols.get(source) ?? symbol(`source_${this.#symbols.size}`);
    this.#symbols.set(source, known);
    return known;
  }

  /** Returns whether two sizes are declared equal, or one of them has a hint. */
  areEqual(a: SizeSource, b: SizeSource): boolean {
    const [rootA, rootB] = [this.#find(a), this.#find(b)];
    return (
      this.#relaxed.has(rootA) ||
      this.#relaxed.has(rootB) ||
      rootA === rootB ||
      this.isDerived(a, b, (size) => size)
    );
  }

  /** Returns whether `source` is declared to be `fn(root)`. */
  isDerived(source: SizeSource, root: SizeSource, fn: (size: IntLike) => IntLike): boolean {
    return symEquals(this.#rewrite(source), fn(this.#rewrite(root)));
  }
}

/** The equalities of inputs that have none. */
export const NO_EQUALITIES: Equalities = new Equalities({ pairs: [], derived: [], relaxed: new Set() });
