/** @file The files that start `sconce serve` in containers: checked, where they cannot run here. */
import { readFileSync } from "node:fs";
import { Deployment } from "kubernetes-models/apps/v1/Deployment";
import { Service } from "kubernetes-models/v1/Service";
import { expect, test } from "vitest";
import { parseAllDocuments } from "yaml";
import { sconce } from "../command.fixture.js";

const FOLDER = new URL("../../../serve/deploy/", import.meta.url);
const textOf = (name: string): string => readFileSync(new URL(name, FOLDER), "utf8");
// biome-ignore lint/suspicious/noExplicitAny: manifests are checked by their schemas
const documentsOf = (name: string): any[] => parseAllDocuments(textOf(name)).map((one) => one.toJS());

const [deployment, service] = documentsOf("deployment.yaml");
const [runtime] = documentsOf("serving-runtime.yaml");
const [inference] = documentsOf("inference-service.yaml");
const entry = JSON.parse(/^ENTRYPOINT (\[.*\])$/m.exec(textOf("Dockerfile"))![1]!) as string[];
const containers = [deployment.spec.template.spec.containers[0], runtime.spec.containers[0]];

test("the deployment and its service follow the schemas of Kubernetes", () => {
  expect(() => new Deployment(deployment).validate()).not.toThrow();
  expect(() => new Service(service).validate()).not.toThrow();
  const broken = structuredClone(deployment);
  broken.spec.template.spec.containers[0].ports[0].containerPort = "8080";
  expect(() => new Deployment(broken).validate()).toThrow();
});

test("the container of the KServe runtime follows the schema of Kubernetes", () => {
  const wrapped = structuredClone(deployment);
  wrapped.spec.template.spec.containers = runtime.spec.containers;
  wrapped.spec.template.spec.volumes = [];
  expect(() => new Deployment(wrapped).validate()).not.toThrow();
});

test("the KServe manifests belong together", () => {
  expect([runtime.apiVersion, runtime.kind]).toEqual(["serving.kserve.io/v1alpha1", "ServingRuntime"]);
  expect([inference.apiVersion, inference.kind]).toEqual(["serving.kserve.io/v1beta1", "InferenceService"]);
  const { model } = inference.spec.predictor;
  expect(model.runtime).toBe(runtime.metadata.name);
  expect(runtime.spec.supportedModelFormats.map(({ name }: { name: string }) => name)).toContain(
    model.modelFormat.name,
  );
  expect(runtime.spec.protocolVersions).toContain(model.protocolVersion);
  // KServe gives requests to the container of this name.
  expect(containers[1].name).toBe("kserve-container");
});

test("the command takes all options, and ports and probes agree", async () => {
  const { out: help } = await sconce("serve", "--help");
  const port = Number(/^EXPOSE (\d+)$/m.exec(textOf("Dockerfile"))![1]);
  expect(entry[entry.indexOf("--port") + 1]).toBe(String(port));
  for (const args of [entry, ...containers.map(({ args }) => args as string[])])
    for (const option of args.filter((arg) => arg.startsWith("--"))) expect(help).toContain(`${option} `);
  for (const { ports, startupProbe, readinessProbe, livenessProbe, args } of containers) {
    expect(ports[0].containerPort).toBe(port);
    expect(args[0]).toMatch(/^[^=]+=\/mnt\/models\/model\.pt2$/);
    expect(startupProbe.httpGet).toEqual({ path: "/v2/health/ready", port });
    expect(readinessProbe.httpGet).toEqual({ path: "/v2/health/ready", port });
    expect(livenessProbe.httpGet).toEqual({ path: "/v2/health/live", port });
  }
  expect(service.spec.ports[0].targetPort).toBe(port);
});

test("Kubernetes waits longer than the server takes to stop", () => {
  // A runtime of KServe has no field for it: the default of pods is 30 seconds.
  const waits = [deployment.spec.template.spec.terminationGracePeriodSeconds, 30];
  for (const [i, { args }] of containers.entries()) {
    const secondsOf = (option: string): number => Number(args[args.indexOf(option) + 1]) / 1000;
    expect(secondsOf("--stop-timeout")).toBeLessThan(waits[i]);
    // The time of --drain is part of --stop-timeout.
    expect(secondsOf("--drain")).toBeLessThan(secondsOf("--stop-timeout"));
  }
});
