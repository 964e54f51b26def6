/** @file The manifests of the tutorial, checked against the schemas of their kinds. */
import { readFileSync } from "node:fs";
import { ScaledJob } from "@kubernetes-models/keda/keda.sh/v1alpha1/ScaledJob";
import { Job } from "kubernetes-models/batch/v1/Job";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { QUEUE_NAME } from "./connection.js";

const page = readFileSync(new URL("../../../../docs/tutorials/scale-out.md", import.meta.url), "utf8");
const manifests = [...page.matchAll(/^```yaml\n(.*?)^```/gms)].map(([, text]) => parse(text!));
const ofKind = (kind: string) => manifests.find((manifest) => manifest.kind === kind);

test("the manifests have the schemas of their kinds", () => {
  expect(manifests.map(({ kind }) => kind)).toEqual(["Job", "ScaledJob"]);
  expect(() => new Job(ofKind("Job")).validate()).not.toThrow();
  expect(() => new ScaledJob(ofKind("ScaledJob")).validate()).not.toThrow();
});

test("the schemas refuse what is wrong", () => {
  const job = ofKind("Job");
  expect(() => new Job({ ...job, spec: { ...job.spec, completions: "ten" } }).validate()).toThrow(
    /completions/,
  );
  const scaled = ofKind("ScaledJob");
  expect(() => new ScaledJob({ ...scaled, spec: { ...scaled.spec, triggers: [{}] } }).validate()).toThrow(
    /triggers\/0 must have required property metadata/,
  );
});

test("the length that KEDA reads is that of the list that BullMQ keeps", () => {
  expect(ofKind("ScaledJob").spec.triggers[0].metadata.listName).toBe(`bull:${QUEUE_NAME}:wait`);
});
