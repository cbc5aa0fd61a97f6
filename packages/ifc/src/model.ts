export interface IfcPlace {
  globalId: string
  name: string | null
}

export interface IfcStorey {
  globalId: string
  name: string
  /** From `Elevation`, or from the placement if the file states none. Null if neither gives the elevation. */
  elevationM: number | null
}

export interface IfcSpace {
  globalId: string
  storeyGlobalId: string
  /** The room number in most models. The fallbacks are the long name and then the GlobalId. */
  name: string
  longName: string | null
  /** A hint of how the room is used. */
  objectType: string | null
  areaSqm: number | null
  /**
   * The outline in metres, in the coordinates of the storey's own placement: counter-clockwise, not closed,
   * rounded to the millimetre, without duplicate or collinear points. Null if no outline could be computed.
   */
  polygon: [number, number][] | null
}

export interface IfcElement {
  globalId: string
  name: string
  /**
   * The class of the element, or the class that its type stands for (`IfcLamp` for an `IfcLampType`) if that class is
   * more specific. In the spelling of the standard.
   */
  ifcClass: string
  predefinedType: string | null
  tag: string | null
  objectType: string | null
  spaceGlobalId: string | null
  /** The storey of the room if the element is in a room, otherwise of the element; null if it is on no known storey. */
  storeyGlobalId: string | null
}

export interface LeftOut {
  globalId: string | null
  ifcClass: string
  name: string | null
  reason: string
}

export interface IfcModel {
  /** The schema as the file names it, such as IFC4X3_ADD2. */
  schema: string
  project: IfcPlace | null
  site: IfcPlace | null
  building: IfcPlace | null
  /** Lowest first. Storeys without an elevation come last. */
  storeys: IfcStorey[]
  spaces: IfcSpace[]
  elements: IfcElement[]
  leftOut: LeftOut[]
}
