import { IFC_SOURCE, type SpaceNode, type StoreyNode } from '@storey/contract'
import type { IfcSpace, IfcStorey } from '@storey/ifc'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { matchSpaces, matchStoreys } from './shared-nodes.ts'

const room = (id: string, storeyId: string, name: string, code: string, globalIds: readonly string[]) =>
  ({
    ...{ id, storeyId, name, code },
    externalIds: globalIds.map((externalId) => ({ sourceSystem: IFC_SOURCE, externalId })),
  }) as unknown as SpaceNode
const level = (id: string, name: string, elevationM: number | null) =>
  ({ id, name, elevationM }) as unknown as StoreyNode
const space = (name: string, longName: string | null) => ({ name, longName }) as unknown as IfcSpace
const storey = (name: string, elevationM: number | null) => ({ name, elevationM }) as unknown as IfcStorey

const sameText = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase()

/** The rule of IMP-18, applied to one pair. */
function isSameSpace(there: SpaceNode, one: IfcSpace, labels: ReadonlyMap<string, string>): boolean {
  const known = there.externalIds.flatMap(({ externalId }) => labels.get(externalId) ?? [])
  const numbers = known.length > 0 ? known : [there.code]
  if (numbers.some((number) => sameText(number, one.name))) return true
  return (one.longName === null || one.longName === one.name) && sameText(there.name, one.name)
}

function isSameStorey(there: StoreyNode, { name, elevationM }: IfcStorey): boolean {
  if (!sameText(there.name, name)) return false
  if (there.elevationM === null || elevationM === null) return true
  return Math.abs(there.elevationM - elevationM) <= 0.5
}

/** The first node that is the same and was not found before, by comparing with all nodes. */
function firstOf<N extends { id: string }>(nodes: readonly N[], claimed: ReadonlySet<string>) {
  const taken = new Set(claimed)
  return (isSame: (node: N) => boolean) => {
    const found = nodes.find((node) => !taken.has(node.id) && isSame(node))
    if (found) taken.add(found.id)
    return found?.id
  }
}

const text = fc.constantFrom('1', '2', 'a', 'A ', 'b', ' B')
const storeyId = fc.constantFrom('s1', 's2')
const elevation = fc.constantFrom(null, 0, 0.4, 0.8, 3)
const claimedOf = (count: number) => new Set(Array.from({ length: count }, (_, i) => `${i * 3}`))

describe('a second model', () => {
  it('[IMP-18] finds the same rooms as a comparison with every room', () => {
    const rooms = fc.array(fc.tuple(storeyId, text, text, fc.subarray(['g1', 'g2', 'g3', 'g4'])), { maxLength: 30 })
    const labels = fc.dictionary(fc.constantFrom('g1', 'g2', 'g3'), text).map((of) => new Map(Object.entries(of)))
    const spaces = fc.array(fc.tuple(storeyId, text, fc.option(text)), { maxLength: 30 })
    fc.assert(
      fc.property(rooms, labels, spaces, fc.nat(3), (made, numbers, wanted, count) => {
        const all = made.map(([on, name, code, ids], i) => room(`${i}`, on, name, code, ids))
        const match = matchSpaces(all, numbers, claimedOf(count))
        const first = firstOf(all, claimedOf(count))
        for (const [on, name, longName] of wanted) {
          const one = space(name, longName)
          const expected = first((there) => there.storeyId === on && isSameSpace(there, one, numbers))
          expect(match(one, on)?.id).toBe(expected)
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it('[IMP-18] finds the same storeys as a comparison with every storey', () => {
    const named = fc.array(fc.tuple(text, elevation), { maxLength: 20 })
    fc.assert(
      fc.property(named, named, fc.nat(3), (made, wanted, count) => {
        const all = made.map(([name, elevationM], i) => level(`${i}`, name, elevationM))
        const match = matchStoreys(all, claimedOf(count))
        const first = firstOf(all, claimedOf(count))
        for (const [name, elevationM] of wanted) {
          const one = storey(name, elevationM)
          expect(match(one)?.id).toBe(first((there) => isSameStorey(there, one)))
        }
      }),
      { numRuns: 1_000 },
    )
  })

  it.each([
    ['of different numbers', (i: number) => `${i}`],
    ['of one name', () => 'WC'],
  ])('[IMP-39] finds 20,000 rooms of one storey within seconds: rooms %s', (_, nameOf) => {
    const count = 20_000
    const rooms = Array.from({ length: count }, (_, i) => room(`${i}`, 's', nameOf(i), `c${i}`, [`g${i}`]))
    const labels = new Map(rooms.map(({ id }, i) => [`g${id}`, nameOf(i)]))
    const match = matchSpaces(rooms, labels, [])
    const startedMs = performance.now()
    for (let i = 0; i < count; i++) {
      if (match(space(nameOf(i), null), 's')?.id !== `${i}`) expect.unreachable(`room ${i}`)
      if (performance.now() - startedMs > 10_000) expect.unreachable(`only ${i} rooms within ten seconds`)
    }
  })
})
