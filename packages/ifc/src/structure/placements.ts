import type { Entities } from '../step/entities.ts'

type Vector = [number, number, number]

/** A position and orientation in space. The axes are unit vectors. */
interface Frame {
  origin: Vector
  x: Vector
  y: Vector
  z: Vector
}

/** The position and rotation of a storey in the model, seen from above. */
export interface StoreyFrame {
  xM: number
  yM: number
  zM: number
  /** Counter-clockwise about the vertical, in radians. */
  rotation: number
}

const WORLD: Frame = { origin: [0, 0, 0], x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] }
const MAX_STEPS = 50
const MAX_DISTANCE_M = 1e8

/** Computes the frame of a storey from its placement. Returns null if the frame is implausible. */
export function storeyFrame(entities: Entities, placement: number | null, lengthM: number): StoreyFrame | null {
  const frame = worldFrame(entities, placement)
  if (frame === null) return null
  const [xM, yM, zM] = frame.origin.map((value) => value * lengthM) as Vector
  const rotation = Math.atan2(frame.x[1], frame.x[0])
  const isPlausible = [xM, yM, zM].every((value) => Math.abs(value) < MAX_DISTANCE_M) && Number.isFinite(rotation)
  return isPlausible ? { xM, yM, zM, rotation } : null
}

function worldFrame(entities: Entities, placement: number | null): Frame | null {
  let frame = WORLD
  let at = entities.get(placement)
  for (let step = 0; at !== null; step++) {
    if (step === MAX_STEPS) return null
    frame = compose(relativeFrame(entities, at.reference('RelativePlacement')), frame)
    at = entities.get(at.reference('PlacementRelTo'))
  }
  return frame
}

function relativeFrame(entities: Entities, id: number | null): Frame {
  const placement = entities.get(id)
  if (placement === null) return WORLD
  const [x = 0, y = 0, z = 0] = entities.get(placement.reference('Location'))?.numbers('Coordinates') ?? []
  const zAxis = direction(entities, placement.reference('Axis')) ?? WORLD.z
  const reference = direction(entities, placement.reference('RefDirection')) ?? WORLD.x
  // The reference direction may be any vector in the plane of the x and z axes, so its z component is removed.
  const xAxis = unit(minus(reference, times(zAxis, dot(reference, zAxis)))) ?? WORLD.x
  return { origin: [x, y, z], x: xAxis, y: cross(zAxis, xAxis), z: zAxis }
}

function direction(entities: Entities, id: number | null): Vector | null {
  const [x, y, z = 0] = entities.get(id)?.numbers('DirectionRatios') ?? []
  return x === undefined || y === undefined ? null : unit([x, y, z])
}

function compose(outer: Frame, inner: Frame): Frame {
  const rotated = ([a, b, c]: Vector): Vector => [
    outer.x[0] * a + outer.y[0] * b + outer.z[0] * c,
    outer.x[1] * a + outer.y[1] * b + outer.z[1] * c,
    outer.x[2] * a + outer.y[2] * b + outer.z[2] * c,
  ]
  const [x, y, z] = rotated(inner.origin)
  const origin: Vector = [x + outer.origin[0], y + outer.origin[1], z + outer.origin[2]]
  return { origin, x: rotated(inner.x), y: rotated(inner.y), z: rotated(inner.z) }
}

function unit(vector: Vector): Vector | null {
  const length = Math.hypot(...vector)
  return length > 1e-9 && Number.isFinite(length) ? times(vector, 1 / length) : null
}

function times([x, y, z]: Vector, factor: number): Vector {
  return [x * factor, y * factor, z * factor]
}

function minus(a: Vector, b: Vector): Vector {
  return [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

function dot(a: Vector, b: Vector): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

function cross(a: Vector, b: Vector): Vector {
  return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}
