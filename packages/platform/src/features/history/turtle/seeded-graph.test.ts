import { Parser, Store } from 'n3'
import { expect, it } from 'vitest'
import { startTestStack } from '../../../testing/test-stack.ts'
import { PREFIXES } from './terms.ts'

it('[REV-13] the Turtle of a seeded building has every node and every relation, in Brick and REC', async () => {
  const stack = await startTestStack()
  const { buildingId } = stack.seeded
  const { body } = await stack.get(`/api/v1/buildings/${buildingId}/graph?format=turtle`)
  await stack.close()
  const store = new Store(new Parser({ format: 'text/turtle' }).parse(body))
  const { storeys, spaces, elements, points } = stack.building
  const count = (predicate: string) => store.countQuads(null, predicate, null, null)
  expect(count(`${PREFIXES.rec}levelNumber`)).toBe(storeys.length)
  expect(count(`${PREFIXES.rec}isPartOf`)).toBe(1 + storeys.length + spaces.length)
  expect(count(`${PREFIXES.brick}hasLocation`)).toBe(elements.length)
  expect(count(`${PREFIXES.brick}feeds`)).toBe(elements.flatMap(({ serves }) => serves).length)
  expect(count(`${PREFIXES.brick}isPointOf`)).toBe(points.length)
  const known = new Set(store.getSubjects(`${PREFIXES.rdfs}label`, null, null).map(({ value }) => value))
  for (const { object } of store.getQuads(null, `${PREFIXES.brick}feeds`, null, null))
    expect(known).toContain(object.value)
  for (const node of [...storeys, ...spaces, ...elements, ...points]) {
    const subject = `urn:storey:building:${buildingId}:${stack.idOf(node.key)}`
    expect(store.getObjects(subject, `${PREFIXES.rdfs}label`, null).map(({ value }) => value)).toEqual([node.name])
  }
})
