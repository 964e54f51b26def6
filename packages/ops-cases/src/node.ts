/** @file `@sconce/ops-cases/node`: reads case files. */
export {
  CASES_FOLDER,
  caseFamilies,
  type OpCaseFile,
  openCaseFiles,
  readAllCases,
  readFamily,
} from "./recorded/files-node.js";
