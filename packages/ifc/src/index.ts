export { IfcError } from './ifc-error.ts'
export type { IfcElement, IfcModel, IfcPlace, IfcSpace, IfcStorey, LeftOut } from './model.ts'
export { type ReadingLimits, readIfcModel } from './read-ifc-model.ts'
