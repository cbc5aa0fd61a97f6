import type { TestStack } from './test-stack.ts'

export const NODE_PATHS = ['storeys', 'spaces', 'elements', 'points'] as const
export type NodePath = (typeof NODE_PATHS)[number]

/** For each kind of node, a valid body to create a node below the first nodes of the seeded building. */
export function nodeBodies({ building, idOf }: TestStack): Record<NodePath, Record<string, unknown>> {
  return {
    storeys: { name: 'New', index: 40 },
    spaces: { name: 'New', storeyId: idOf(building.storeys[0]!.key), spaceTypeSlug: 'meeting-room' },
    elements: { name: 'New', spaceId: idOf(building.spaces[0]!.key), elementTypeSlug: 'sensor' },
    points: {
      ...{ name: 'New', elementId: idOf(building.elements[0]!.key), pointType: 'SENSOR' },
      ...{ quantityKind: 'Temperature', unit: 'DEG_C' },
    },
  }
}
