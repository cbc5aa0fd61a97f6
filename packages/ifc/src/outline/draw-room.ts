import { IfcError } from '../ifc-error.ts'
import type { RoomToDraw } from '../structure/read-structure.ts'
import { type FloorOutline, floorOutline, type Triangles } from './floor-outline.ts'
import type { GeometryModel } from './geometry-model.ts'

export interface DrawnRoom {
  globalId: string
  outline: FloorOutline | null
}

/**
 * Computes the outline of a room. The outline is null if the solids of the room give none, or if web-ifc cannot process
 * the shape of the room.
 */
export function drawRoom(model: GeometryModel, { id, globalId, frame }: RoomToDraw): DrawnRoom {
  try {
    return { globalId, outline: outlineOfSolids(model.triangles(id, frame)) }
  } catch (error) {
    if (error instanceof IfcError) throw error
    // After a WebAssembly trap or a stack overflow the state of web-ifc is undefined, so the process must end.
    if (error instanceof Error && /^(Runtime|Range)Error$/.test(error.name)) throw error
    return { globalId, outline: null }
  }
}

/** The outline of the union of several solids if they are adjacent, otherwise the outline of the largest solid. */
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
