import {
  elementTypes,
  type Graph,
  type GraphNode,
  type NodeKind,
  type NodeOf,
  POINT_TYPES,
  quantityKinds,
  spaceTypes,
} from '@storey/contract'
import fc from 'fast-check'
import { Parser, type Quad, Store } from 'n3'
import { describe, expect, it } from 'vitest'
import { PREFIXES } from './terms.ts'
import { type TurtleBuilding, turtleHead, turtleOf } from './write-turtle.ts'

const BASE = 'urn:storey:building:0191b6a0-0000-7000-8000-b00000000000:'
const AT = '2026-03-01T08:00:00.000Z'
const BUILDING: TurtleBuilding = {
  id: '0191b6a0-0000-7000-8000-b00000000000',
  code: 'B',
  name: 'House',
  siteId: '0191b6a0-0000-7000-8000-a00000000000',
  siteName: 'Yard',
  buildingType: 'office',
  address: null,
  location: null,
  timezone: 'Europe/Berlin',
  externalIds: [],
}
const IN_ORDER = ['storeys', 'spaces', 'elements', 'points'] as const
const KIND_OF = { storeys: 'storey', spaces: 'space', elements: 'element', points: 'point' } as const

type Nodes = Pick<Graph, (typeof IN_ORDER)[number]>
const EMPTY: Nodes = { storeys: [], spaces: [], elements: [], points: [] }

function written(nodes: Partial<Nodes>, building: TurtleBuilding = BUILDING, base = BASE): string {
  const all = { ...EMPTY, ...nodes }
  const text = IN_ORDER.flatMap((list) => (all[list] as GraphNode[]).map((n) => turtleOf(KIND_OF[list], n as never)))
  return turtleHead(building, { revision: 7, at: AT }, base) + text.join('')
}

const read = (turtle: string) => new Store(new Parser({ format: 'text/turtle' }).parse(turtle))
const full = (short: string) => {
  const [prefix, name] = short.split(':') as [keyof typeof PREFIXES, string]
  return PREFIXES[prefix] + name
}
const one = (store: Store, subject: string | Quad['subject'], predicate: string): Quad['object'] => {
  const found = store.getObjects(subject, full(predicate), null)
  expect(found, predicate).toHaveLength(1)
  return found[0]!
}

const identity = (id: string, name = 'n', externalIds: GraphNode['externalIds'] = []) => ({
  ...{ id, name, code: `code of ${name}`, externalIds, createdAt: AT, updatedAt: AT },
  ...{ externalId: externalIds[0]?.externalId ?? null, sourceSystem: externalIds[0]?.sourceSystem ?? null },
})
const ids = (n: number) => `0191b6a0-0000-7000-8000-${n.toString(16).padStart(12, '0')}`

const storey = (n: number, changes: Partial<NodeOf['storey']> = {}): NodeOf['storey'] => ({
  ...identity(ids(n)),
  ...{ index: 0, elevationM: null, areaSqm: null, polygon: null },
  ...changes,
})
const space = (n: number, changes: Partial<NodeOf['space']> = {}): NodeOf['space'] => ({
  ...identity(ids(n)),
  ...{ storeyId: ids(1), spaceTypeSlug: 'meeting-room', areaSqm: null, status: 'active', isLeasable: false },
  ...{ capacity: null, polygon: null },
  ...changes,
})
const element = (n: number, changes: Partial<NodeOf['element']> = {}): NodeOf['element'] => ({
  ...identity(ids(n)),
  ...{ spaceId: ids(2), storeyId: null, elementTypeSlug: 'ahu', status: 'active', serves: [] },
  ...changes,
})
const point = (n: number, changes: Partial<NodeOf['point']> = {}): NodeOf['point'] => ({
  ...identity(ids(n)),
  ...{ elementId: ids(3), pointType: 'SENSOR', quantityKind: 'Temperature', unit: 'DEG_C' },
  ...changes,
})

const hostile = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 40 }),
  fc.constantFrom(
    '"""',
    '\\',
    '\\"',
    '> . <urn:x> a <urn:y> .',
    "'''",
    '\r\n',
    '\u0000',
    '🏢 «Ü»',
    '\\u0041',
    '@en',
    '#',
  ),
)
const pairs = fc.array(fc.record({ sourceSystem: fc.oneof(fc.constant('ifc'), hostile), externalId: hostile }), {
  maxLength: 3,
})
const figure = fc.oneof(fc.constant(null), fc.double({ noDefaultInfinity: true, noNaN: true }))
const outline = fc.option(
  fc.array(fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 2 }), { minLength: 3 }),
)

/** An arbitrary graph in which nodes refer to earlier nodes. */
const graphs: fc.Arbitrary<Nodes> = fc
  .record({
    names: fc.array(fc.tuple(hostile, pairs), { minLength: 4, maxLength: 20 }),
    ...{ figure, outline, index: fc.integer({ min: -1000, max: 10_000 }), capacity: fc.option(fc.nat()) },
    ...{ spaceType: fc.constantFrom(...spaceTypes), elementType: fc.constantFrom(...elementTypes) },
    ...{ pointType: fc.constantFrom(...POINT_TYPES), quantity: fc.constantFrom(...quantityKinds) },
  })
  .map(({ names, figure, outline, index, capacity, spaceType, elementType, pointType, quantity }) => {
    const nodes: Nodes = { storeys: [], spaces: [], elements: [], points: [] }
    for (const [i, [name, externalIds]] of names.entries()) {
      const who = identity(ids(i), name, externalIds)
      const list = IN_ORDER[i % 4]!
      if (list === 'storeys') nodes.storeys.push(storey(i, { ...who, index, elevationM: figure, polygon: outline }))
      if (list === 'spaces') {
        const of = { storeyId: ids(i - 1), spaceTypeSlug: spaceType.slug, areaSqm: figure, capacity, polygon: outline }
        nodes.spaces.push(space(i, { ...who, ...of }))
      }
      if (list === 'elements') {
        const where = i % 8 < 4 ? { spaceId: ids(i - 1), storeyId: null } : { spaceId: null, storeyId: ids(i - 2) }
        const serves = nodes.elements.map(({ id }) => id).concat(ids(i - 1))
        nodes.elements.push(element(i, { ...who, ...where, elementTypeSlug: elementType.slug, serves }))
      }
      if (list === 'points') {
        const of = { elementId: ids(i - 1), pointType, quantityKind: quantity.name, unit: quantity.units[0]! }
        nodes.points.push(point(i, { ...who, ...of }))
      }
    }
    return nodes
  })

const RELATIONS = ['rec:isPartOf', 'brick:hasLocation', 'brick:feeds', 'brick:isPointOf']

describe('a graph in Turtle', () => {
  it('preserves every name, code and external id, whatever characters they have', () => {
    fc.assert(
      fc.property(graphs, (nodes) => {
        const store = read(written(nodes))
        for (const state of IN_ORDER.flatMap((list): GraphNode[] => nodes[list])) {
          const subject = BASE + state.id
          expect(one(store, subject, 'rdfs:label').value).toBe(state.name)
          expect(one(store, subject, 'dcterms:identifier').value).toBe(state.code)
          const shown = store.getObjects(subject, full('ref:hasExternalReference'), null).map((reference) => {
            const global = store.getObjects(reference, full('ref:ifcGlobalID'), null)[0]
            if (global) return { sourceSystem: 'ifc', externalId: global.value }
            const sourceSystem = store.getObjects(reference, full('storey:sourceSystem'), null)[0]!.value
            const externalId = store.getObjects(reference, full('dcterms:identifier'), null)[0]!.value
            return { sourceSystem, externalId }
          })
          expect(shown).toEqual(state.externalIds)
        }
      }),
    )
  })

  it('has every relation once, and refers to existing nodes only', () => {
    fc.assert(
      fc.property(graphs, (nodes) => {
        const store = read(written(nodes))
        const typed = new Set(
          store.getSubjects('http://www.w3.org/1999/02/22-rdf-syntax-ns#type', null, null).map((s) => s.value),
        )
        for (const relation of RELATIONS) {
          for (const { object } of store.getQuads(null, full(relation), null, null))
            expect(typed).toContain(object.value)
        }
        const count = (relation: string) => store.countQuads(null, full(relation), null, null)
        expect(count('rec:isPartOf')).toBe(1 + nodes.storeys.length + nodes.spaces.length)
        expect(count('brick:hasLocation')).toBe(nodes.elements.length)
        expect(count('brick:feeds')).toBe(nodes.elements.flatMap(({ serves }) => serves).length)
        expect(count('brick:isPointOf')).toBe(nodes.points.length)
      }),
    )
  })

  it('preserves numbers and outlines exactly', () => {
    fc.assert(
      fc.property(figure, outline, fc.integer(), (areaSqm, polygon, index) => {
        const store = read(written({ storeys: [storey(1, { areaSqm, polygon, index })] }))
        const [area] = store.getObjects(BASE + ids(1), full('brick:area'), null)
        const [value] = area ? store.getObjects(area, full('brick:value'), null) : []
        expect(value === undefined ? null : Number(value.value)).toBe(areaSqm === 0 ? 0 : areaSqm)
        const [geometry] = store.getObjects(BASE + ids(1), full('rec:geometry'), null)
        const [ring] = geometry ? store.getObjects(geometry, full('rec:coordinates'), null) : []
        const corners = ring === undefined ? null : JSON.parse(ring.value)
        expect(corners).toEqual(polygon && JSON.parse(JSON.stringify([...polygon, polygon[0]])))
        expect(one(store, BASE + ids(1), 'rec:levelNumber')).toMatchObject({ value: String(index) })
      }),
    )
  })

  it('has the same statements in whatever order its nodes are written', () => {
    const parts = [
      turtleOf('point', point(4)),
      turtleOf('element', element(3, { serves: [ids(2)] })),
      turtleOf('space', space(2, { capacity: 8 })),
      turtleOf('storey', storey(1)),
    ]
    for (const part of parts) expect(part).toMatch(/ \.\n$/)
    const head = turtleHead(BUILDING, { revision: 7, at: AT }, BASE)
    const [forth, back] = [parts, parts.toReversed()].map((order) => read(head + order.join('')))
    expect(forth!.size).toBeGreaterThan(20)
    expect(forth!.size).toBe(back!.size)
    for (const quad of forth!) expect(back!.has(quad)).toBe(true)
  })
})

describe('the statements', () => {
  const typesOf = (kind: NodeKind, state: GraphNode) => {
    const store = read(turtleHead(BUILDING, { revision: 7, at: AT }, BASE) + turtleOf(kind, state as never))
    const types = store.getObjects(BASE + state.id, 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type', null)
    return types.map(({ value }) => value.replace(PREFIXES.rec, 'rec:').replace(PREFIXES.brick, 'brick:'))
  }

  it('have the classes of Brick and REC', () => {
    expect(typesOf('storey', storey(1))).toEqual(['rec:Level'])
    expect(typesOf('space', space(2))).toEqual(['rec:Room', 'rec:ConferenceRoom'])
    expect(typesOf('space', space(2, { spaceTypeSlug: 'terrace' }))).toEqual(['rec:OutdoorSpace'])
    expect(typesOf('space', space(2, { spaceTypeSlug: 'other' }))).toEqual(['rec:Room'])
    expect(typesOf('element', element(3))).toEqual(['brick:AHU'])
    expect(typesOf('element', element(3, { elementTypeSlug: 'of an older catalog' }))).toEqual(['brick:Equipment'])
  })

  it.each([
    ['SENSOR', 'Temperature', 'Temperature_Sensor'],
    ['SENSOR', 'SoundPressureLevel', 'Sensor'],
    ['SETPOINT', 'Temperature', 'Temperature_Setpoint'],
    ['SETPOINT', 'Voltage', 'Setpoint'],
    ['COMMAND', 'Temperature', 'Command'],
    ['ALARM', 'Temperature', 'Alarm'],
    ['STATUS', 'Dimensionless', 'Status'],
    ['PARAMETER', 'Time', 'Parameter'],
  ] as const)('of a %s of %s have the class brick:%s', (pointType, quantityKind, name) => {
    expect(typesOf('point', point(4, { pointType, quantityKind }))).toEqual([`brick:${name}`])
  })

  it('of points include the quantity and the unit', () => {
    const store = read(written({ points: [point(4)] }))
    expect(one(store, BASE + ids(4), 'brick:hasQuantity').value).toBe('http://qudt.org/vocab/quantitykind/Temperature')
    expect(one(store, BASE + ids(4), 'brick:hasUnit').value).toBe('http://qudt.org/vocab/unit/DEG_C')
  })

  it('include external ids; if a node has several, the first is marked as preferred', () => {
    const externalIds = ['a', 'b'].map((externalId) => ({ sourceSystem: 'ifc', externalId }))
    const [two, single] = [externalIds, externalIds.slice(0, 1)].map((pairs) =>
      read(written({ storeys: [storey(1, identity(ids(1), 'n', pairs))] })),
    )
    const preferred = two!.getQuads(null, full('ref:preferred'), null, null)
    expect(preferred).toHaveLength(1)
    expect(one(two!, preferred[0]!.subject, 'ref:ifcGlobalID').value).toBe('a')
    expect(single!.countQuads(null, full('ref:preferred'), null, null)).toBe(0)
  })
})

describe('the head', () => {
  it('describes the building, its site and the revision', () => {
    const address = '1 "Main" St\n> Berlin'
    const building = {
      ...BUILDING,
      name: 'Ü"',
      buildingType: 'mall',
      address,
      location: { latitude: 52.5, longitude: 13 },
    }
    const store = read(written({ storeys: [storey(1)] }, building))
    expect(one(store, BASE, 'storey:revision').value).toBe('7')
    expect(one(store, BASE, 'dcterms:issued').value).toBe(AT)
    const subject = BASE + BUILDING.id
    expect(one(store, BASE + ids(1), 'rec:isPartOf').value).toBe(subject)
    expect(one(store, subject, 'rdfs:label').value).toBe('Ü"')
    const site = one(store, subject, 'rec:isPartOf').value
    expect(site).toBe(BASE + BUILDING.siteId)
    expect(one(store, site, 'rdfs:label').value).toBe('Yard')
    expect(one(store, one(store, subject, 'rec:address').value, 'rec:addressLine1').value).toBe(address)
    const types = store.getObjects(subject, 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type', null)
    expect(types.map(({ value }) => value)).toEqual([full('rec:Building'), full('rec:ShoppingMall')])
  })

  it('escapes characters of the base IRI that an IRI must not have', () => {
    const base = 'http://x.localhost:4000/a b>c"d\\e\n/'
    const store = read(written({ storeys: [storey(1)] }, BUILDING, base))
    const subject = `http://x.localhost:4000/a%20b%3Ec%22d%5Ce%0A/${ids(1)}`
    expect(one(store, subject, 'rdfs:label').value).toBe('n')
  })
})
