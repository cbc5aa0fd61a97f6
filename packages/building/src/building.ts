/** The parameters of a building. The same spec gives the same building, byte for byte, on any machine. */
export interface BuildingSpec {
  buildingType: 'mall' | 'office'
  /** The number of storeys, including those for parking below ground. */
  storeys: number
  areaSqm: number
  /** The bounds of the number of spaces on a storey, corridors and core rooms included. */
  spacesMin: number
  spacesMax: number
  equipmentDensity: 'sparse' | 'realistic' | 'dense'
  occupancyProfile: '24x7' | 'office-hours' | 'peak-evenings'
  seed: string
}

export type PointType = 'SENSOR' | 'COMMAND' | 'SETPOINT' | 'ALARM' | 'STATUS' | 'PARAMETER'

/** The corners in metres, counter-clockwise. The first corner is not repeated at the end. */
export type Polygon = [number, number][]

export interface Location {
  latitude: number
  longitude: number
}

/** Every node has a key: a stable path, unique in the building, from which the ids of the node derive. */
export interface Building {
  spec: BuildingSpec
  organization: { key: string; name: string }
  site: { key: string; name: string; code: string; globalId: string; address: string; location: Location }
  building: {
    key: string
    name: string
    code: string
    globalId: string
    buildingType: string
    timezone: 'Europe/Berlin'
    address: string
    location: Location
    areaSqm: number
  }
  storeys: Storey[]
  spaces: Space[]
  elements: Element[]
  points: Point[]
}

export interface Storey {
  key: string
  globalId: string
  code: string
  name: string
  /** 0 is the ground storey; parking storeys are below it. */
  index: number
  elevationM: number
  areaSqm: number
  /** The floor plate: the outline of the storey. */
  plate: Polygon
}

export interface Space {
  key: string
  globalId: string
  code: string
  name: string
  storeyKey: string
  /** The slug of the type of the space, from the catalog of space types. */
  spaceType: string
  areaSqm: number
  status: 'active' | 'vacant' | 'out_of_service'
  isLeasable: boolean
  capacity: number
  polygon: Polygon
}

export interface Element {
  key: string
  globalId: string
  code: string
  name: string
  /** The slug of the type of the element, from the catalog of element types. */
  elementType: string
  storeyKey: string
  /** Null for equipment outside rooms, such as a cooling tower on the roof. */
  spaceKey: string | null
  status: 'active' | 'inactive' | 'out_of_service'
  /** Keys of the elements or spaces that this element feeds. */
  serves: string[]
}

export interface Point {
  key: string
  globalId: string
  code: string
  name: string
  elementKey: string
  pointType: PointType
  quantityKind: string
  unit: string
}
