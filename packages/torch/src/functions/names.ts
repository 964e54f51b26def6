const known = new Map<string, string>();

/** `masked_fill_` in camelCase: `maskedFill_`; underscores at the ends stay. */
export function camelCase(name: string): string {
  let camel = known.get(name);
  if (camel === undefined) {
    camel = name.replace(/(?<=[A-Za-z0-9])_+([A-Za-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    known.set(name, camel);
  }
  return camel;
}

/** Functions for devices and layouts that Sconce does not have, and PyTorch's own helpers. */
export const UNTYPED =
  /^(_(?!_)|cudnn|miopen|mkldnn|mps|fbgemm|quantized_|fused_moving|sparse_|ccol|crow|col_ind|row_ind|dsmm|hsmm|hspmm|sspaddmm|saddmm|smm|to_sparse|to_mkldnn|coalesce|is_coalesced|sym_|q_|int_repr|record_stream|pin_memory|is_pinned|align_|refine_names|rename|names|narrow_copy$|retain_grad)/;
