export { type HierarchyOptions, hierarchyOf } from "./hierarchy/hierarchy.js";
export type { Hierarchy, Item, ItemKind } from "./hierarchy/item.js";
export type { Chart, ChartLayout, ChartOptions } from "./layout/chart.js";
export { layeredLayout } from "./layout/layered.js";
export { sceneOf } from "./scene/lay-out.js";
export type { Scene, SceneArrow, SceneBox, SceneOptions } from "./scene/scene.js";
export { isGroup } from "./scene/visible.js";
export { keysToDepth, type SvgOptions, sceneSvg, svgText } from "./svg/svg.js";
