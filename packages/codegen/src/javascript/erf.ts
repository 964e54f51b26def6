/**
 * Returns the error function by its series with positive terms only (Abramowitz and Stegun 7.1.6),
 * so nothing cancels; beyond 6 it is 1 in every float type.
 */
export function erf(x: number): number {
  if (Number.isNaN(x)) return x;
  if (Math.abs(x) > 6) return Math.sign(x);
  let term = x;
  let sum = x;
  for (let n = 1; Math.abs(term) > Math.abs(sum) * 1e-17; n++) {
    term *= (2 * x * x) / (2 * n + 1);
    sum += term;
  }
  return (2 / Math.sqrt(Math.PI)) * Math.exp(-x * x) * sum;
}
