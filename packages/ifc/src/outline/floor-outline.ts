import { IfcError } from '../ifc-error.ts'
import { EdgeSet } from './edge-set.ts'
import { isSimple, type Point, signedArea, simplify } from './ring.ts'

/** Corners as x, y, z triples in metres, three for each triangle. */
export type Triangles = Float64Array

export interface FloorOutline {
  polygon: Point[]
  /** Without the holes, so it can be smaller than the area of the polygon. */
  floorAreaSqm: number
}

const MIN_AREA_SQM = 0.01
const MAX_TRIANGLES = 200_000
/** The largest distance from the origin of the storey. Beyond it the coordinates must be wrong. */
const MAX_DISTANCE_M = 1e6
const TOO_FAR = 'A room is more than 1,000 km away from its storey: the coordinates of the model must be wrong'

/**
 * The outline of a room: the outline of the downward faces of its solid, seen from above. A flat floor is one such
 * face. The faces of a stepped or sloping floor join, since the vertical faces between them vanish in the projection.
 * If the downward faces give no outline, the upward ones are used.
 */
export function floorOutline(triangles: Triangles): FloorOutline | null {
  if (triangles.length === 0 || triangles.length > 9 * MAX_TRIANGLES) return null
  if (!triangles.every((value) => Math.abs(value) < MAX_DISTANCE_M)) throw new IfcError(TOO_FAR)
  // The floor of an inverted solid faces up.
  const outward = volume(triangles) < 0 ? -1 : 1
  return facing(triangles, -outward) ?? facing(triangles, outward)
}

function facing(triangles: Triangles, direction: number): FloorOutline | null {
  const edges = new EdgeSet()
  let floorAreaSqm = 0
  for (let at = 0; at < triangles.length; at += 9) {
    const corners = [0, 3, 6].map((step): Point => [triangles[at + step]!, triangles[at + step + 1]!])
    if (direction < 0) corners.reverse()
    const [a, b, c] = corners.map((corner) => edges.corner(corner)) as [number, number, number]
    const area = signedArea([a, b, c].map((corner) => edges.points[corner]!))
    // Seen from above, a vertical face has no area.
    if (area < 1e-6) continue
    floorAreaSqm += area
    edges.add(a, b)
    edges.add(b, c)
    edges.add(c, a)
  }
  const rings = edges.rings()
  if (rings === null) return null
  const largest = rings.map(simplify).sort((one, other) => signedArea(other) - signedArea(one))[0]
  if (largest === undefined || signedArea(largest) < MIN_AREA_SQM || !isSimple(largest)) return null
  return { polygon: fromLowestCorner(largest), floorAreaSqm: Math.min(floorAreaSqm, signedArea(largest)) }
}

/**
 * Six times the volume; positive if the faces point outward. It is computed relative to the first corner, for
 * precision.
 */
function volume(triangles: Triangles): number {
  let sum = 0
  for (let at = 0; at < triangles.length; at += 9) {
    const [ax, ay, az, bx, by, bz, cx, cy, cz] = Array.from(
      triangles.subarray(at, at + 9),
      (value, index) => value - triangles[index % 3]!,
    ) as [number, number, number, number, number, number, number, number, number]
    sum += ax * (by * cz - bz * cy) + ay * (bz * cx - bx * cz) + az * (bx * cy - by * cx)
  }
  return sum
}

/**
 * Starts the ring at the corner with the smallest y, so that the same room always gives the same list. Of several such
 * corners, the one with the smallest x is the first.
 */
function fromLowestCorner(ring: Point[]): Point[] {
  const lowest = ring.toSorted(([ax, ay], [bx, by]) => ay - by || ax - bx)[0]!
  const at = ring.indexOf(lowest)
  return [...ring.slice(at), ...ring.slice(0, at)]
}
