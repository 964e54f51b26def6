import type { OperatorTable } from "@sconce/ops";

/**
 * Returns a function that gives what `make` computes from an operator table. It is computed once,
 * and again after the table got further operators.
 */
export function perVersion<T>(make: (operators: OperatorTable) => T): (operators: OperatorTable) => T {
  const known = new WeakMap<OperatorTable, { readonly version: number; readonly value: T }>();
  return (operators) => {
    const cached = known.get(operators);
    if (cached?.version === operators.version) return cached.value;
    const value = make(operators);
    known.set(operators, { version: operators.version, value });
    return value;
  };
}
