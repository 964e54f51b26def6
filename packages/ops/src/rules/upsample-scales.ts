/** @file The scales that a call of an upsampling operator gives. */

/** The arguments of all overloads that give scales. */
export interface ScaleArgs {
  readonly scale_factors?: readonly number[] | null;
  readonly scales?: number | null;
  readonly scales_d?: number | null;
  readonly scales_h?: number | null;
  readonly scales_w?: number | null;
}

/** Returns the scales that the call gives, outermost dimension first; null for those left out. */
export function upsampleScales(args: ScaleArgs, rank: number): readonly (number | null)[] {
  if (args.scale_factors) return args.scale_factors;
  if (rank === 1) return [args.scales ?? null];
  return [args.scales_d ?? null, args.scales_h ?? null, args.scales_w ?? null].slice(3 - rank);
}
