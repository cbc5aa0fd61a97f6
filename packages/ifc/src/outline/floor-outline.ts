import { IfcError } from '../ifc-error.ts'
import { EdgeSet } from './edge-set.ts'
import { isSimple, type Point, signedArea, tidy } from './ring.ts'

/** Corners as x, y, z triples, three to a triangle, in metres. */
export type Triangles = Float64Array

export interface FloorOutline {
  polygon: Point[]
  /** Without holes, so it can be less than the polygon's. */
  floorAreaSqm: number
}

const MIN_AREA_SQM = 0.01
const MAX_TRIANGLES = 200_000
/** From the origin of the storey: beyond it a number is wrong, and who knows which. */
const FURTHEST_M = 1e6
const ASTRAY = 'A room lies more than 1,000 km from its storey: the numbers of the model cannot be right'

/**
 * The outline of a room from its solid: what its downward faces cover, seen from above. A flat floor is one such face;
 * of a stepped or sloping one the faces join, since the sides between them vanish in the projection.
 */
export function floorOutline(triangles: Triangles): FloorOutline | null {
  if (triangles.length === 0 || triangles.length > 9 * MAX_TRIANGLES) return null
  if (!triangles.every((value) => Math.abs(value) < FURTHEST_M)) throw new IfcError(ASTRAY)
  // A solid that is turned inside out has its floor facing up.
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
    // What is left of a vertical face after the corners were joined.
    if (area < 1e-6) continue
    floorAreaSqm += area
    edges.add(a, b)
    edges.add(b, c)
    edges.add(c, a)
  }
  const rings = edges.rings()
  if (rings === null) return null
  const largest = rings.map(tidy).sort((one, other) => signedArea(other) - signedArea(one))[0]
  if (largest === undefined || signedArea(largest) < MIN_AREA_SQM || !isSimple(largest)) return null
  return { polygon: fromLowestCorner(largest), floorAreaSqm: Math.min(floorAreaSqm, signedArea(largest)) }
}

/** Six times the volume, positive when the faces look outward. Measured from the first corner, to keep the digits. */
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

/** The same room gives the same list, wherever its solid begins. */
function fromLowestCorner(ring: Point[]): Point[] {
  const lowest = ring.toSorted(([ax, ay], [bx, by]) => ay - by || ax - bx)[0]!
  const at = ring.indexOf(lowest)
  return [...ring.slice(at), ...ring.slice(0, at)]
}
