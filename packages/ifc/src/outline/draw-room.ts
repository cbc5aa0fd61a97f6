import { IfcError } from '../ifc-error.ts'
import type { RoomToDraw } from '../structure/read-structure.ts'
import { type FloorOutline, floorOutline, type Triangles } from './floor-outline.ts'
import type { GeometryModel } from './geometry-model.ts'

export interface DrawnRoom {
  globalId: string
  outline: FloorOutline | null
}

/** A shape that web-ifc cannot make costs the outline of this room only. */
export function drawRoom(model: GeometryModel, { id, globalId, frame }: RoomToDraw): DrawnRoom {
  try {
    return { globalId, outline: outlineOfSolids(model.triangles(id, frame)) }
  } catch (error) {
    if (error instanceof IfcError) throw error
    // After a trap or a full stack the memory of web-ifc is in no known state: the process has to go.
    if (error instanceof Error && /^(Runtime|Range)Error$/.test(error.name)) throw error
    return { globalId, outline: null }
  }
}

/** A room of several solids is their union when they lie side by side; otherwise the largest stands for it. */
function outlineOfSolids(solids: Triangles[]): FloorOutline | null {
  if (solids.length === 1) return floorOutline(solids[0]!)
  const joined = new Float64Array(solids.reduce((length, solid) => length + solid.length, 0))
  let at = 0
  for (const solid of solids) {
    joined.set(solid, at)
    at += solid.length
  }
  const outlines = [floorOutline(joined), ...solids.map(floorOutline)].filter((outline) => outline !== null)
  return outlines.sort((one, other) => other.floorAreaSqm - one.floorAreaSqm)[0] ?? null
}
