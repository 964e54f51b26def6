/** @file What a drawing has to show: boxes and arrows with their places, for any renderer. */

/** A box; frames come before what is in them. */
export interface SceneBox {
  /** The item that it shows. */
  readonly item: number;
  /** Left edge, in pixels. */
  readonly x: number;
  /** Top edge, in pixels. */
  readonly y: number;
  /** Width, in pixels. */
  readonly width: number;
  /** Height, in pixels. */
  readonly height: number;
  /** Whether it is a frame around what is in it. */
  readonly isOpen: boolean;
  /** Number of frames around it. */
  readonly depth: number;
}

/** A value, or several, from one box to another. */
export interface SceneArrow {
  /** The item of the box where it starts. */
  readonly from: number;
  /** The item of the box where it ends. */
  readonly to: number;
  /** The item that gives the first of the values: in a closed group, a node in it. */
  readonly value: number;
  /** Number of values. */
  readonly count: number;
  /** `x` before `y`, from the start to the end. */
  readonly points: Float64Array;
}

/** The layout of what is open in a hierarchy. */
export interface Scene {
  /** Width, in pixels. */
  readonly width: number;
  /** Height, in pixels. */
  readonly height: number;
  /** Boxes and frames; frames come before what is in them. */
  readonly boxes: readonly SceneBox[];
  /** Arrows between them. */
  readonly arrows: readonly SceneArrow[];
}

/** What a scene shows, and how it is laid out. */
export interface SceneOptions {
  /** Keys of the groups that are open, or all. The program is always open. @defaultValue none */
  readonly open?: ReadonlySet<string> | "all" | undefined;
  /** Whether parameters, buffers and constants are shown. @defaultValue false */
  readonly state?: boolean | undefined;
}
