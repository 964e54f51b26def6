/**
 * @file Histories by themselves: replay, JSON, provenance. What every program needs of them is in
 * the main entry point.
 */
export {
  type HistoryFromJsonOptions,
  historyFromJson,
  historyTensors,
  historyToJson,
} from "./history/json.js";
export type { LineSplice } from "./history/program-lines.js";
export {
  type Provenance,
  type ProvenanceSource,
  type ProvenanceStep,
  provenance,
} from "./history/provenance.js";
export {
  type RecordedHistory,
  type RecordedStep,
  type ReplayOptions,
  recordedHistory,
  replay,
  restoreHistory,
} from "./history/replay.js";
export type { GraphSplices, NestedChange, NodeSplice } from "./history/splices.js";
