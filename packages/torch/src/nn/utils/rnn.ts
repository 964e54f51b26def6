/** @file Sequences of different lengths (`torch.nn.utils.rnn`). */
import type { Tensor } from "@sconce/tensor";
import { callNn } from "../../functions/function-tables.js";
import { type Settings, settingsOf } from "../settings.js";

/** Settings of {@link padSequence}. */
export interface PadOptions {
  /** Whether the first dimension counts the sequences, and not their items. @defaultValue false */
  readonly batchFirst?: boolean;
  /** What fills the ends. @defaultValue 0 */
  readonly paddingValue?: number;
  /** The side that is filled. @defaultValue "right" */
  readonly paddingSide?: "left" | "right";
}

/** Sequences as one tensor, filled up to the longest (`torch.nn.utils.rnn.pad_sequence`). */
export function padSequence(
  sequences: readonly Tensor[],
  ...rest: Settings<[batchFirst: boolean, paddingValue: number, paddingSide: "left" | "right"], PadOptions>
): Tensor {
  const { batchFirst, paddingValue, paddingSide } = settingsOf("padSequence", rest, {
    batchFirst: false,
    paddingValue: 0,
    paddingSide: "right" as "left" | "right",
  });
  return callNn("pad_sequence", [sequences, batchFirst, paddingValue, paddingSide]) as Tensor;
}
