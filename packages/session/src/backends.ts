/**
 * @file Backends by name. Not in the index: bundlers put the packages of all backends into a page
 * that can load them by name.
 */
export { isKnownBackend } from "./backends/backend-names.js";
export {
  backendNamesText,
  builtinBackends,
  hasThreads,
  type LoadBackendOptions,
  loadBackend,
} from "./backends/load-backend.js";
