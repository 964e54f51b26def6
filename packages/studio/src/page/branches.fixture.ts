import type { StepInfo, VersionInfo } from "../engine/protocol.js";
import type { Branch } from "./branches.js";

/** Returns a version without a program. */
export const version = (id: number, title = `v${id}`): VersionInfo => ({
  id,
  parent: undefined,
  title,
  nodes: 1,
  dialect: "ATEN",
});

/** Returns a pass that led from a version to another, or that changed nothing. */
export const step = (pass: string, before: number, after: number): StepInfo => ({
  pass,
  call: pass,
  before,
  version: after,
  changed: before !== after,
  milliseconds: 0,
  rules: [],
  notes: [],
  added: 0,
  removed: 0,
  edited: 0,
});

/** Returns a branch of an opened file. */
export const branch = (parts: Partial<Branch> = {}): Branch => ({
  id: 1,
  name: "main",
  root: version(0),
  file: "",
  fileName: "model.pt2",
  steps: [],
  parts: [],
  ...parts,
});
