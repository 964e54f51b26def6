declare module "virtual:sconce-api" {
  const api: import("../playground/api.js").ApiData;
  export default api;
}
