import type { Corner } from './shapes.ts'

export interface ElementSpec {
  ifcClass: string
  name?: string
  globalId?: string
  tag?: string
  objectType?: string
  predefinedType?: string
  /** The type object, such as IfcLightFixtureType. */
  type?: { ifcClass: string; name?: string; predefinedType?: string }
  /** The elements that this element aggregates (IfcRelAggregates). */
  parts?: ElementSpec[]
}

export interface SpaceSpec {
  name?: string
  globalId?: string
  longName?: string
  objectType?: string
  predefinedType?: string
  /** Corners in the unit of the file and the coordinates of the storey. Without an outline the room has no shape. */
  outline?: Corner[]
  shape?: 'extrusion' | 'brep'
  netFloorArea?: number
  grossFloorArea?: number
  /** The area as a property, as Revit writes it. */
  areaProperty?: number
  elements?: ElementSpec[]
  spaces?: SpaceSpec[]
}

export interface StoreySpec {
  name: string
  globalId?: string
  elevation?: number
  /**
   * The position relative to the building, in the unit of the file. Without `z` the storey is at its elevation; with
   * null it has no placement.
   */
  x?: number
  y?: number
  z?: number | null
  turnDegrees?: number
  spaces?: SpaceSpec[]
  elements?: ElementSpec[]
}

export interface IfcFileSpec {
  schema?: string
  lengthUnit?: 'METRE' | 'MILLIMETRE' | 'FOOT'
  /** Makes the generated GlobalIds of this file differ from those of other files. A `globalId` is used unchanged. */
  discipline?: string
  project?: { name?: string; globalId?: string }
  site?: { name?: string; globalId?: string }
  /** `z` is the height above the site, in the unit of the file. */
  building?: { name?: string; globalId?: string; z?: number }
  storeys: StoreySpec[]
  /** Statements to append, with ids of 1000000 and more. */
  lines?: string[]
}
