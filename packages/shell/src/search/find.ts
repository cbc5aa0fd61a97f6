import { storedName } from '@storey/web'
import type { BuildingModel } from '../building/model.ts'

export interface Hit {
  kind: 'space' | 'element' | 'point'
  id: string
  name: string
  code: string
  /** The location, such as room and storey. */
  place: string
}

interface Entry extends Hit {
  /** The searchable texts, in lower case. */
  text: string
}

const indexes = new WeakMap<BuildingModel, Entry[]>()

/** The search index of a model, built at the first search. */
export function searchIndex(model: BuildingModel): readonly Entry[] {
  const index = indexes.get(model) ?? buildIndex(model)
  indexes.set(model, index)
  return index
}

function buildIndex(model: BuildingModel): Entry[] {
  const of =
    (kind: Hit['kind']) =>
    (node: { id: string; name: string; code: string; externalIds: readonly { externalId: string }[] }): Entry => {
      const owner = kind === 'point' ? model.element(model.point(node.id)!.elementId)?.name : undefined
      const space = kind === 'space' ? undefined : model.spaceOf(node.id)?.name
      const place = [owner, space, model.storeyOf(node.id)?.name].filter((part) => part !== undefined).join(' · ')
      const texts = [
        ...new Set([node.name, storedName(node)]),
        node.code,
        ...node.externalIds.map(({ externalId }) => externalId),
      ]
      return { kind, id: node.id, name: node.name, code: node.code, place, text: texts.join('\n').toLowerCase() }
    }
  return [...model.spaces.map(of('space')), ...model.elements.map(of('element')), ...model.points.map(of('point'))]
}

/**
 * Finds the entries that contain all words of the query. Exact matches come first, then prefix matches, then all
 * others; equal matches are ordered as rooms, equipment, points.
 */
export function find(index: readonly Entry[], query: string, limit = 12): Hit[] {
  const wanted = query.trim().toLowerCase()
  if (wanted === '') return []
  const words = wanted.split(/\s+/)
  const found: { hit: Entry; rank: number }[] = []
  for (const hit of index) {
    if (words.every((word) => hit.text.includes(word))) found.push({ hit, rank: rankOf(hit, wanted) })
  }
  return found
    .sort((a, b) => a.rank - b.rank)
    .slice(0, limit)
    .map(({ hit: { text: _, ...hit } }) => hit)
}

const KIND_RANK = { space: 0, element: 1, point: 2 } as const

function rankOf({ text, kind }: Entry, wanted: string): number {
  const lines = text.split('\n')
  const exact = lines.includes(wanted) ? 0 : lines.some((line) => line.startsWith(wanted)) ? 10 : 20
  return exact + KIND_RANK[kind]
}
