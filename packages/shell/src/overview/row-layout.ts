import type { SpaceNode, StoreyNode } from '@storey/sdk'
import { boxOf, type Outline } from '../plan/geometry.ts'

/** A room in the row of its storey: `from` and `to` are from 0 at the west end of the building to 1 at its east end. */
export interface Cell {
  space: SpaceNode
  from: number
  to: number
}

export interface StoreyRow {
  storey: StoreyNode
  spaces: readonly SpaceNode[]
  cells: readonly Cell[]
}

interface Source {
  storeys: readonly StoreyNode[]
  spacesOf(storeyId: string): readonly SpaceNode[]
}

/**
 * The building seen from its front, the highest storey first. A storey is as wide as its outline, or as its rooms if it
 * has no outline, and is at its actual position from west to east. Its rooms are in their order from west to east, each
 * as wide as its share of the area.
 */
export function storeyRows({ storeys, spacesOf }: Source): StoreyRow[] {
  const extents = storeys.map((storey) => extentOf(storey, spacesOf(storey.id)))
  const known = extents.filter((extent) => extent !== undefined)
  const left = Math.min(...known.map(({ from }) => from))
  const width = Math.max(...known.map(({ to }) => to)) - left
  const rows = storeys.map((storey, i) => {
    const spaces = spacesOf(storey.id)
    const extent = extents[i]
    const [from, to] = extent && width > 0 ? [(extent.from - left) / width, (extent.to - left) / width] : [0, 1]
    return { storey, spaces, cells: cellsOf(spaces, from, to) }
  })
  return rows.reverse()
}

const isDrawn = (outline: Outline | null | undefined): outline is Outline => !!outline && outline.length > 2

/** The west and the east end of a storey, in metres. */
function extentOf(storey: StoreyNode, spaces: readonly SpaceNode[]): { from: number; to: number } | undefined {
  const outlines: Outline[] = (isDrawn(storey.polygon) ? [storey] : spaces).flatMap(({ polygon }) =>
    isDrawn(polygon) ? [polygon] : [],
  )
  if (outlines.length === 0) return undefined
  const { x, width } = boxOf(outlines)
  return { from: x, to: x + width }
}

function cellsOf(spaces: readonly SpaceNode[], from: number, to: number): Cell[] {
  const placed = spaces
    .map((space) => ({ space, x: centreOf(space), area: Math.max(space.areaSqm ?? 0, 1) }))
    .sort((a, b) => a.x - b.x || (a.space.code < b.space.code ? -1 : 1))
  const total = placed.reduce((sum, { area }) => sum + area, 0)
  let at = from
  return placed.map(({ space, area }) => {
    const cell = { space, from: at, to: at + ((to - from) * area) / total }
    at = cell.to
    return cell
  })
}

/** Rooms without an outline come last. */
function centreOf({ polygon }: SpaceNode): number {
  if (!isDrawn(polygon)) return Number.MAX_VALUE
  const { x, width } = boxOf([polygon])
  return x + width / 2
}
