export { globalIdFor } from './global-id.ts'
export { ifcFile } from './ifc-file.ts'
export type { Corner } from './shapes.ts'
export type { ElementSpec, IfcFileSpec, SpaceSpec, StoreySpec } from './spec.ts'
