import { isSconceError, SconceError } from "@sconce/errors";

/** Returns the beginning of a text. */
export const shorten = (text: string): string => (text.length > 80 ? `${text.slice(0, 77)}...` : text);

/** Reads a text; errors that have no place name the text. */
export function placed<T>(where: () => string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw isSconceError(error) && error.where === undefined ? error.at(where()) : error;
  }
}

/** Text that is not a symbolic expression or guard, at a character offset. */
export function parseFailure(what: string, text: string, offset: number): SconceError {
  return new SconceError({
    code: "SYM_PARSE",
    message: `${what} in ${JSON.stringify(shorten(text))} at character ${offset}`,
    fix: "write a symbolic expression or guard as torch.export does",
  });
}

/**
 * Returns the error for an expression, or its text, beyond the size that any real program needs.
 */
export function tooLarge(what: string): SconceError {
  return new SconceError({
    code: "SYM_TOO_LARGE",
    message: `symbolic expression is too large: ${what}`,
    fix: "simplify the sizes, or make some of them static",
  });
}

/** Returns the error for a symbol that the bindings give no value. */
export function unboundSymbol(name: string, expression: string): SconceError {
  return new SconceError({
    code: "SYM_UNBOUND",
    message: `symbol ${name} has no value in ${shorten(expression)}`,
    fix: `bind ${name}`,
  });
}

/** Division or modulo by zero. */
export function divisionByZero(expression: string): SconceError {
  return new SconceError({
    code: "SYM_DIVISION_BY_ZERO",
    message: `division by zero in ${shorten(expression)}`,
    fix: "check the sizes that reach the divisor",
  });
}

/** Returns the error for an operation on arguments of the wrong kind or number. */
export function badOperand(message: string): SconceError {
  return new SconceError({ code: "SYM_OPERAND", message, fix: "check the kinds of the operands" });
}

/** Returns the error for a range with nothing in it. */
export function emptyRange(subject: string, min: number, max: number): SconceError {
  return new SconceError({
    code: "SYM_EMPTY_RANGE",
    message: `range of ${subject} is empty: [${min}, ${max}]`,
    fix: "relax the bounds",
  });
}

/**
 * Returns the error for a condition or size that only the data decide
 * (`GuardOnDataDependentSymNode`).
 */
export function dataDependent(
  what: string,
  expression: string,
  unhinted: string,
  sizeLike: string,
  note = "",
): SconceError {
  return new SconceError({
    code: "DATA_DEPENDENT_GUARD",
    message: `Could not ${what} data-dependent expression ${expression} (unhinted: ${unhinted}).  (Size-like symbols: ${sizeLike})${note}`,
    fix: "require the condition with `torch.check(condition)`, bound the value with `torch.checkIsSize(size)` or `torch.constrainAsValue(value, { min, max })`, or choose by a tensor with `torch.where` or `torch.cond`",
  });
}
