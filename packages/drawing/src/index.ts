export { type HierarchyOptions, hierarchyOf } from "./hierarchy/hierarchy.js";
export type { Hierarchy, Item, ItemKind } from "./hierarchy/item.js";
export type { Chart, ChartLayout, ChartOptions } from "./layout/chart.js";
export { layeredLayout } from "./layout/layered.js";
export { sceneOf } from "./scene/lay-out.js";
export type { Scene, SceneArrow, SceneBox, SceneOptions } from "./scene/scene.js";
export { FRAME_TITLE, shownText } from "./scene/sizes.js";
export { isGroup } from "./scene/visible.js";
export {
  keysToDepth,
  type SceneSvgOptions,
  type SvgOptions,
  sceneSvg,
  svgStyle,
  svgText,
} from "./svg/svg.js";
export { DARK, LIGHT, type Theme } from "./svg/theme.js";
