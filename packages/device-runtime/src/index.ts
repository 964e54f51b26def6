export {
  DEVICE_OPTIONS,
  type DeviceBackend,
  type DeviceBackendOptions,
  type DeviceKind,
  deviceBackend,
} from "./backend.js";
export {
  type CompiledPlan,
  type CompiledRegion,
  compilePlan,
  type OpenRegion,
  type RecordingDevice,
  type StateTensor,
} from "./compile/compiled-plan.js";
export type { ProvedSizes, SizeBox } from "./compile/proved-sizes.js";
export * from "./device/device.js";
export {
  type Condition,
  conditionText,
  type DeviceTarget,
  dependsOnRanges,
  type Legalities,
  type Legality,
  legalitiesOf,
} from "./plan/legality.js";
export { type ProgramPlan, planSteps, type Step } from "./plan/program-plan.js";
export { type WorkLimit, whyTooMuch } from "./plan/work.js";
export { between, intersection, point, type Range, rangeOfDType } from "./ranges/interval.js";
export {
  type Assumption,
  type BoundCall,
  bindCall,
  type CallLoops,
  judge,
  judgeCall,
  smallest,
  type ValueRanges,
  type Verdict,
} from "./ranges/judge.js";
export { rangeOfTensor } from "./ranges/tensor-range.js";
export { DeviceExecutable } from "./run/executable.js";
