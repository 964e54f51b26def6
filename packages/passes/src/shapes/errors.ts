import { SconceError } from "@sconce/errors";

/** Two things that are known of one value exclude each other. */
export const contradiction = (what: string, where: string, fix?: string): SconceError =>
  new SconceError({
    code: "SHAPE_CONTRADICTION",
    message: what,
    where,
    fix: fix ?? "the recorded sizes or the new ones are wrong: recompute them, or give others",
  });
