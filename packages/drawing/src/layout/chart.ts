/**
 * @file What a layout is made for: boxes of known sizes and the links between them, by number. The
 * layout knows nothing of programs.
 */

/** Boxes and links, in parallel arrays. All lengths have one unit: pixels of the drawing. */
export interface Chart {
  /** Widths of the boxes. The order of boxes counts: links against it are drawn backwards. */
  readonly widths: Float64Array;
  /** Heights of the boxes. */
  readonly heights: Float64Array;
  /** The box where each link starts. */
  readonly from: Int32Array;
  /** The box where each link ends. */
  readonly to: Int32Array;
  /** Where a link leaves its box, from the center of the bottom to the right. @defaultValue 0 */
  readonly fromOffsets?: Float64Array | undefined;
  /** Where a link enters its box, from the center of the top to the right. @defaultValue 0 */
  readonly toOffsets?: Float64Array | undefined;
  /** Boxes that stay in the first layer, as the entries of a frame do. */
  readonly first?: readonly number[] | undefined;
  /** Boxes that stay in the last layer, as the exits of a frame do. */
  readonly last?: readonly number[] | undefined;
}

/** How a layout is made. */
export interface ChartOptions {
  /** Least distance of neighbors in a layer, in pixels. @defaultValue 24 */
  readonly gap?: number | undefined;
  /** Distance of layers, in pixels. @defaultValue 36 */
  readonly layerGap?: number | undefined;
  /**
   * How often the order of each layer is made anew from its neighbors.
   * @defaultValue 12 for charts of up to 500 boxes, 4 for larger ones
   */
  readonly sweeps?: number | undefined;
}

/** Where boxes and links lie: `0` is at the left and at the top. */
export interface ChartLayout {
  /** From the leftmost to the rightmost edge. */
  readonly width: number;
  /** From the first layer to the end of the last one. */
  readonly height: number;
  /** Centers of the boxes, from the left. */
  readonly x: Float64Array;
  /** Tops of the boxes. */
  readonly y: Float64Array;
  /** Points of each link, `x` before `y`, from `starts[link]` to `starts[link + 1]`. */
  readonly points: Float64Array;
  /** Where the points of each link start; one more entry for the end of the last. */
  readonly starts: Int32Array;
}
