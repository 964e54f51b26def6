/** Styles are a part of the bundle. */
declare module "*.css";
