/** @file Versions of programs and graphs: undo, redo, replay. */
export {
  branch,
  graphVersions,
  historyFromJson as fromJson,
  historyToJson as toJson,
  programVersions,
  provenance,
  recordPass,
  redo,
  replay,
  undo,
} from "../index.js";
