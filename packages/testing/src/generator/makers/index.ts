import type { Maker } from "../step/step.js";
import { binary } from "./binary.js";
import { inPlace } from "./in-place.js";
import { casts, factories, indexing, joins } from "./joins.js";
import { products } from "./products.js";
import { reductions } from "./reductions.js";
import { unary, withNumber } from "./unary.js";
import { views } from "./views.js";

/**
 * Families are drawn with equal chance, so that a long list of functions does not crowd out the
 * others.
 */
export const FAMILIES: readonly (readonly Maker[])[] = [
  unary,
  withNumber,
  binary,
  binary,
  views,
  views,
  reductions,
  products,
  products,
  joins,
  indexing,
  factories,
  casts,
  inPlace,
  inPlace,
];
