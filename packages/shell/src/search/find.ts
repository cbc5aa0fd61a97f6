import type { BuildingModel } from '../building/model.ts'

export interface Hit {
  kind: 'space' | 'element' | 'point'
  id: string
  name: string
  code: string
  /** Where it is: the room and storey, or the storey. */
  place: string
}

interface Entry extends Hit {
  /** All that it may be found by, in lower case. */
  text: string
}

const indexes = new WeakMap<BuildingModel, Entry[]>()

/** Everything that can be found, prepared when a model is first searched. */
export function searchIndex(model: BuildingModel): readonly Entry[] {
  const index = indexes.get(model) ?? makeIndex(model)
  indexes.set(model, index)
  return index
}

function makeIndex(model: BuildingModel): Entry[] {
  const of =
    (kind: Hit['kind']) =>
    (node: { id: string; name: string; code: string; externalIds: readonly { externalId: string }[] }): Entry => {
      const owner = kind === 'point' ? model.element(model.point(node.id)!.elementId)?.name : undefined
      const space = kind === 'space' ? undefined : model.spaceOf(node.id)?.name
      const place = [owner, space, model.storeyOf(node.id)?.name].filter((part) => part !== undefined).join(' · ')
      const texts = [node.name, node.code, ...node.externalIds.map(({ externalId }) => externalId)]
      return { kind, id: node.id, name: node.name, code: node.code, place, text: texts.join('\n').toLowerCase() }
    }
  return [...model.spaces.map(of('space')), ...model.elements.map(of('element')), ...model.points.map(of('point'))]
}

/** All words must be in it. What begins with the question, or is named by it exactly, comes first; then rooms. */
export function find(index: readonly Entry[], question: string, limit = 12): Hit[] {
  const wanted = question.trim().toLowerCase()
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
