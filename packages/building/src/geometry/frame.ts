import type { BuildingSpec } from '../building.ts'
import type { Random } from '../random/random.ts'

/**
 * The geometry that all storeys of a building share: the floor plate (the rectangle that a storey covers), the rows of
 * rooms from south to north with a corridor between two rows, and the position of the core.
 */
export interface Frame {
  widthMm: number
  depthMm: number
  corridors: number
  corridorMm: number
  /** Depth of a row between two corridors. The two outer rows share the remaining depth. */
  innerRowMm: number
  coreCentreMm: number
  gridMm: number
}

/** The width of a corridor: `share` times the depth of a row, but at most `baseM` plus `slope` times this depth. */
const CORRIDOR = {
  office: { share: 0.28, baseM: 1.5, slope: 0.04 },
  mall: { share: 0.5, baseM: 6, slope: 0.2 },
}

export function frameFor(spec: BuildingSpec, random: Random): Frame {
  const storeySqm = spec.areaSqm / spec.storeys
  const spaces = (spec.spacesMin + spec.spacesMax) / 2
  const depthM = targetRowDepth(spec.buildingType, storeySqm, spaces)
  const targetAspect = random.between(1.4, 1.9)
  const maxCorridors = Math.max(1, Math.floor((Math.max(spec.spacesMin, spaces * 0.45) - 1) / 4))
  const corridorM = corridorWidth(spec.buildingType, depthM)

  let best = { score: Number.POSITIVE_INFINITY, corridors: 1, aspect: targetAspect }
  for (let corridors = 1; corridors <= maxCorridors; corridors++) {
    for (let step = 0; step <= 10; step++) {
      const aspect = 1.1 + step * 0.16
      const plateDepthM = Math.sqrt(storeySqm / aspect)
      const rowM = Math.max((plateDepthM - corridors * corridorM) / (corridors + 1), plateDepthM * 0.01)
      const score =
        2 * mismatch(rowM, depthM) + 0.8 * mismatch(aspect, targetAspect) + (2 * corridors * corridorM) / plateDepthM
      if (score < best.score) best = { score, corridors, aspect }
    }
  }
  return frameOf(storeySqm, best.aspect, best.corridors, corridorM * 1000, random.between(0.46, 0.54))
}

function frameOf(storeySqm: number, aspect: number, corridors: number, corridorMm: number, coreAt: number): Frame {
  const large = storeySqm > 120
  // The depth is rounded to a coarse grid. The width is then chosen so that the area is still right within 1%.
  const depthStep = large ? 100 : 1
  const depthMm = Math.max(2, Math.round((Math.sqrt(storeySqm / aspect) * 1000) / depthStep) * depthStep)
  const widthStep = large ? 10 : 1
  const widthMm = Math.max(2, Math.round((storeySqm * 1e6) / depthMm / widthStep) * widthStep)
  const gridMm = large ? 50 : 1
  return {
    widthMm,
    depthMm,
    corridors,
    gridMm,
    coreCentreMm: Math.round((widthMm * coreAt) / gridMm) * gridMm,
    ...rowsAndCorridors(depthMm, corridors, corridorMm, gridMm),
  }
}

/** The same plate with another number or width of corridors. The core keeps its position on the x axis. */
export function refitted(frame: Frame, corridors: number, corridorMm: number): Frame {
  if (corridors !== frame.corridors) {
    return { ...frame, corridors, ...rowsAndCorridors(frame.depthMm, corridors, corridorMm, frame.gridMm) }
  }
  // With the same number of corridors, the inner rows keep their depth: wider corridors reduce only the outer rows.
  const max = (0.45 * (frame.depthMm - (corridors - 1) * frame.innerRowMm)) / corridors
  const widened = Math.floor(Math.min(corridorMm, max) / frame.gridMm) * frame.gridMm
  return { ...frame, corridorMm: Math.max(frame.corridorMm, widened) }
}

function rowsAndCorridors(depthMm: number, corridors: number, corridorMm: number, gridMm: number) {
  const max = (depthMm * 0.45) / corridors
  const width = Math.max(1, Math.floor(Math.min(corridorMm, max) / gridMm) * gridMm)
  const rowMm = (depthMm - corridors * width) / (corridors + 1)
  return { corridorMm: width, innerRowMm: Math.max(1, Math.floor((rowMm * 0.94) / gridMm) * gridMm) }
}

/** The south and north edge of every row. The corridors are between the rows. */
export function rowsOf(frame: Frame): { y0: number; y1: number }[] {
  const { depthMm, corridors, corridorMm, innerRowMm } = frame
  const outer = depthMm - corridors * corridorMm - (corridors - 1) * innerRowMm
  const south = Math.round(outer / 2 / frame.gridMm) * frame.gridMm
  const rows = [{ y0: 0, y1: south }]
  for (let i = 1; i < corridors; i++) {
    const y0 = rows[i - 1]!.y1 + corridorMm
    rows.push({ y0, y1: y0 + innerRowMm })
  }
  rows.push({ y0: rows[corridors - 1]!.y1 + corridorMm, y1: depthMm })
  return rows
}

function targetRowDepth(type: BuildingSpec['buildingType'], storeySqm: number, spaces: number): number {
  // In a mall the anchor stores cover much of the floor plate, so the other rooms are smaller than the mean area of a
  // room. Shops are deeper than wide.
  return type === 'office' ? 1.12 * Math.sqrt((storeySqm * 0.8) / spaces) : 1.35 * Math.sqrt((storeySqm * 0.7) / spaces)
}

function corridorWidth(type: BuildingSpec['buildingType'], rowM: number): number {
  const { share, baseM, slope } = CORRIDOR[type]
  return Math.min(share * rowM, baseM + slope * rowM)
}

/** 0 for equal numbers; grows with their ratio. A logarithm is not used: JavaScript engines round it differently. */
const mismatch = (a: number, b: number) => Math.max(a / b, b / a) - 1
