/** @file Bounds the bytes of all bodies that the server reads or that wait. */

/** The bytes that requests take until they are answered. */
export class PendingBytes {
  /** Most bytes of all requests. */
  readonly limit: number;
  /** The bytes of the requests that are not answered. */
  bytes = 0;

  constructor(limit: number) {
    this.limit = limit;
  }

  /**
   * Counts a request; returns what takes it off again, called once, or undefined where there is no
   * room. One request always has room.
   */
  take(bytes: number): (() => void) | undefined {
    if (this.bytes > 0 && this.bytes + bytes > this.limit) return undefined;
    this.bytes += bytes;
    return () => {
      this.bytes -= bytes;
    };
  }
}
