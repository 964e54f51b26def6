/** @file Rounding to float32, where a mode computes in doubles. */

/**
 * An expression without the rounding of its result, for what is rounded where it goes: an element
 * of memory, a total in doubles.
 */
export function unrounded(expression: string): string {
  const [head, tail] = ["Math.fround(", ")"];
  if (!expression.startsWith(head) || !expression.endsWith(tail)) return expression;
  let open = 0;
  for (let at = head.length - 1; at < expression.length - 1; at++) {
    if (expression[at] === "(") open++;
    else if (expression[at] === ")") open--;
    if (open === 0) return expression;
  }
  return expression.slice(head.length, -tail.length);
}
