import type { SpaceNode } from '@storey/sdk'

/** One line of a legend, and how many rooms have it. */
export interface Shade {
  key: string
  label: string
  color: string
  count: number
}

/** What the plan is coloured by: asked for each room, also between two renders. */
export interface Colouring {
  /** As it stands in the address: `type`, `layer:<key>` or `live:<signal>`. */
  id: string
  title: string
  /** What the numbers are, such as °C. */
  unit?: string
  /** Undefined where the room has no value, or one outside the legend. */
  shadeOf(space: SpaceNode): { key: string; label: string; color: string } | undefined
  /** The room's value in words. */
  textOf(space: SpaceNode): string | undefined
  /** What is written behind the room's value: nothing where that is a word, such as “fault”. */
  unitOf?(space: SpaceNode): string
  /** When the value was observed or written, in milliseconds. */
  atOf?(space: SpaceNode): number | undefined
  /** The legend, counted over these rooms. */
  legend(spaces: readonly SpaceNode[]): Shade[]
  /** Tells which rooms changed, at most once a frame. */
  watch?(tell: (spaceIds: ReadonlySet<string>) => void): () => void
}

/** Counts how many of the rooms have each shade. */
export function counted(
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
