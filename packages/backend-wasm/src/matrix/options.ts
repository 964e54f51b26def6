/** @file What the code of products may rely on. */

/** Choices for the code of products and convolutions. */
export interface MatrixOptions {
  /** Whether one instruction may multiply and add, which rounds once. */
  readonly relaxed: boolean;
  /** Whether a buffer holds the same elements in all runs. */
  readonly isConstant: (buffer: number) => boolean;
  /**
   * Side of the tiles of 3x3 convolutions by Winograd's algorithm, or 0 for none. Default: 2. The
   * error of tiles of 4 is twenty times as large.
   */
  readonly winograd?: 0 | 2 | 4;
}
