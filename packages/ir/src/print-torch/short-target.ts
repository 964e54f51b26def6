/**
 * Returns the name of an operator for labels: `linear` for `aten.linear.default`, `mul.Tensor` for
 * `aten.mul.Tensor`; other namespaces stay.
 */
export const shortTarget = (target: string): string =>
  target.replace(/^(?:aten|operator|higher_order)\./, "").replace(/\.default$/, "");
