/** @file What the state of the page has in its signals, besides the answers of the engine. */
import type { Progress } from "@sconce/errors";

/** What a view of the graph shows, for a view beside it. */
export interface ViewPlace {
  readonly from: object;
  readonly scale: number;
  /** Boxes from the middle outwards, and how far from the middle they are on the screen. */
  readonly anchors: readonly { readonly key: string; readonly dx: number; readonly dy: number }[];
}

/** Work that the user waits for. */
export interface Busy {
  readonly title: string;
  readonly progress: Progress | undefined;
  readonly cancel: () => void;
}
