import { definePass, keepOf, randomInputs } from "@sconce/passes";
import { OBSERVERS, type ObserverKind } from "../annotate/spec.js";
import { noRunner } from "../errors.js";
import { CALIBRATE, calibrate } from "./calibrate.js";
import { CONVERT, convertQuantization } from "./convert.js";
import { PREPARE, prepareQuantization } from "./prepare.js";

/** Observers on the edges that XNNPACK computes in integers. */
export const quantizationPreparation = definePass({
  name: PREPARE,
  doc: "Marks the edges that XNNPACK computes in integers, with observers.",
  requires: "ATEN",
  options: {
    mode: {
      default: "static",
      choices: ["static", "dynamic"],
      doc: "fix the scales of activations by calibration, or choose them in each run",
    },
    observer: { default: "histogram", choices: OBSERVERS, doc: "how the range of an activation is found" },
    percentile: {
      default: 0.9999,
      check: (value) =>
        Number(value) > 0 && Number(value) <= 1 ? undefined : "must be above 0 and at most 1",
      doc: "the part of the values that the observer percentile keeps",
    },
    exclude: {
      default: [],
      doc: "operators, calls and module paths that stay in float; `*` represents any letters",
    },
  },
  run: (program, { operators }, { mode, observer, percentile, exclude }) =>
    prepareQuantization(program, {
      isDynamic: mode === "dynamic",
      observer: observer as ObserverKind,
      percentile,
      isExcluded: keepOf(exclude, program, operators, "exclude"),
    }),
});

const isCount = (value: string | number | boolean): string | undefined =>
  Number.isInteger(value) && Number(value) > 0 ? undefined : "must be a whole number of at least 1";

/** Ranges of the observed edges, on random inputs. */
export const randomCalibration = definePass({
  name: CALIBRATE,
  doc: "Runs a prepared program on random inputs and keeps the range of each observed edge.",
  requires: "ATEN",
  readsValues: true,
  options: {
    samples: { default: 8, check: isCount, doc: "how many inputs are drawn" },
    seed: { default: 0, doc: "the same seed gives the same inputs" },
  },
  run: (program, { run, note }, { samples, seed }) => {
    if (run === undefined) throw noRunner(CALIBRATE);
    note?.("calibrated on random inputs, which are not what a model sees: give samples to `calibrate`");
    const drawn = Array.from({ length: samples }, (_, i) =>
      randomInputs(program, { seed: seed * 65_537 + i }),
    );
    return calibrate(program, { run, samples: drawn, note });
  },
});

/** Codes on the observed edges. */
export const quantizationConversion = definePass({
  name: CONVERT,
  doc: "Puts codes on the observed edges of a calibrated program, and stores weights as int8.",
  requires: "ATEN",
  readsValues: true,
  changesNumbers: true,
  run: (program, { operators }) => convertQuantization(program, operators),
});
