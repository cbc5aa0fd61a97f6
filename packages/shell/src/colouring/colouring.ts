import type { SpaceNode } from '@storey/sdk'

/** An entry of the legend, with its number of rooms. */
export interface Shade {
  key: string
  label: string
  color: string
  count: number
}

/** How the plan is coloured. The plan calls these functions when it is rendered, and whenever values change. */
export interface Colouring {
  /** The value of the URL parameter: `type`, `layer:<key>` or `live:<signal>`. */
  id: string
  title: string
  /** The unit of the numbers, such as °C. */
  unit?: string
  /** Undefined if the room has no value, or a value that is not in the legend. */
  shadeOf(space: SpaceNode): { key: string; label: string; color: string } | undefined
  /** The room's value as text. */
  textOf(space: SpaceNode): string | undefined
  /** The room's value as a number, if it is one. */
  numberOf?(space: SpaceNode): number | undefined
  /** The unit after the room's value; empty if the value is shown as a text such as “fault” or “yes”. */
  unitOf?(space: SpaceNode): string
  /** When the value was measured or written, in milliseconds since the epoch. */
  atOf?(space: SpaceNode): number | undefined
  /** The legend, with counts over these rooms. */
  legend(spaces: readonly SpaceNode[]): Shade[]
  /** Calls the listener with the rooms that changed, at most once per frame. */
  watch?(listener: (spaceIds: ReadonlySet<string>) => void): () => void
}

/** Counts the rooms per shade. */
export function countShades(
  shades: readonly { key: string; label: string; color: string }[],
  spaces: readonly SpaceNode[],
  shadeOf: Colouring['shadeOf'],
): Shade[] {
  const counts = new Map<string, number>()
  for (const space of spaces) {
    const key = shadeOf(space)?.key
    if (key !== undefined) counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  return shades.map((shade) => ({ ...shade, count: counts.get(shade.key) ?? 0 }))
}
