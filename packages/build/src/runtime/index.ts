export { ModelError } from "./error.js";
export { loadModel } from "./model.js";
