import {
  type BuildingSpec,
  fingerprint,
  generateBuilding,
  type Polygon,
  resolveSpec,
  type Space,
} from '@storey/building'

/** The part of a building that the page shows, without its thousands of points. */
export interface Preview {
  spec: BuildingSpec
  name: string
  address: string
  areaSqm: number
  rooms: number
  elements: number
  points: number
  fingerprint: string
  storeys: StoreyPreview[]
}

export interface StoreyPreview {
  code: string
  name: string
  index: number
  areaSqm: number
  plate: Polygon
  rooms: RoomPreview[]
}

export type RoomPreview = Pick<Space, 'code' | 'name' | 'spaceType' | 'areaSqm' | 'capacity' | 'polygon' | 'status'>

export type PreviewRequest = Partial<BuildingSpec> & { seed: string }

/** Generates the whole building with the code of the service and returns the part that is shown. */
export function previewOf(request: PreviewRequest): Preview {
  const spec = resolveSpec(request)
  const building = generateBuilding(spec)
  const rooms = Map.groupBy(building.spaces, ({ storeyKey }) => storeyKey)
  return {
    spec,
    name: building.building.name,
    address: building.building.address,
    areaSqm: building.building.areaSqm,
    rooms: building.spaces.length,
    elements: building.elements.length,
    points: building.points.length,
    fingerprint: fingerprint(building),
    storeys: building.storeys.map(({ key, code, name, index, areaSqm, plate }) => ({
      code,
      name,
      index,
      areaSqm,
      plate,
      rooms: (rooms.get(key) ?? []).map((space) => ({
        code: space.code,
        name: space.name,
        spaceType: space.spaceType,
        areaSqm: space.areaSqm,
        capacity: space.capacity,
        polygon: space.polygon,
        status: space.status,
      })),
    })),
  }
}
