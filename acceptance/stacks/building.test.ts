import { fingerprint, generateBuilding, resolveSpec } from '@storey/building'
import { unitsOf } from '@storey/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { newDeveloper, newSandbox } from '../system/shared.ts'

// biome-ignore lint/suspicious/noExplicitAny: records as a client sees them
type Row = any

async function graphOf({ apiUrl, token, buildingId }: Row): Promise<Record<string, Row[]>> {
  const read = async (kind: string) => {
    const rows: Row[] = []
    for (;;) {
      const limit = kind === 'storeys' ? 200 : 1000
      const url = `${apiUrl}/api/v1/buildings/${buildingId}/${kind}?limit=${limit}&offset=${rows.length}`
      const { json } = await call(url, { token })
      rows.push(...json.data)
      if (rows.length >= json.total) return rows
    }
  }
  const kinds = ['storeys', 'spaces', 'elements', 'points']
  return Object.fromEntries(await Promise.all(kinds.map(async (kind) => [kind, await read(kind)])))
}

describe.each(['office', 'mall'] as const)('the building of a new %s sandbox', (buildingType) => {
  const parameters = { buildingType, storeys: 4, areaSqm: 9_000, spacesMin: 12, spacesMax: 20, seed: 'acceptance' }
  let record: Row
  let building: Row
  let graph: Record<string, Row[]>
  let twin: Record<string, Row[]>
  beforeAll(async () => {
    const { key } = await newDeveloper()
    const first = await newSandbox(key, parameters)
    record = first.record
    graph = await graphOf(first.connection)
    const url = `${first.connection.apiUrl}/api/v1/buildings/${record.buildingId}`
    building = (await call(url, { token: first.connection.token })).json
    twin = await graphOf((await newSandbox(key, parameters)).connection)
  })

  it('[GEN-02, GEN-03, GEN-15, GEN-21, GRF-02] has nodes of all kinds, the requested storeys, the time zone of Berlin and revision 1', () => {
    expect(building).toMatchObject({ buildingType, siteId: record.siteId, timezone: 'Europe/Berlin', revision: 1 })
    expect(building.organizationId).toBe(record.organizationId)
    expect(graph.storeys).toHaveLength(4)
    for (const rows of Object.values(graph)) expect(rows.length).toBeGreaterThan(0)
  })

  it('[GEN-04, GEN-05] has the requested number of rooms on every storey, and all rooms together have the requested area', () => {
    const byStorey = Map.groupBy(graph.spaces!, (space) => space.storey.id)
    expect(byStorey.size).toBe(4)
    for (const spaces of byStorey.values()) {
      expect(spaces.length).toBeGreaterThanOrEqual(12)
      expect(spaces.length).toBeLessThanOrEqual(20)
    }
    const area = graph.spaces!.reduce((sum, space) => sum + space.areaSqm, 0)
    expect(Math.abs(area / 9_000 - 1)).toBeLessThan(0.02)
  })

  it('[GEN-11, GEN-12, GRF-04] gives every node an id and a GlobalId of the source system ifc', () => {
    const nodes = Object.values(graph).flat()
    for (const { id, externalId, externalIds, sourceSystem } of nodes) {
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/)
      expect(externalId).toMatch(/^[0-3][0-9A-Za-z_$]{21}$/)
      expect(sourceSystem).toBe('ifc')
      expect(externalIds).toEqual([{ sourceSystem, externalId }])
    }
    for (const field of ['id', 'externalId', 'code']) {
      expect(new Set(nodes.map((node) => node[field])).size).toBe(nodes.length)
    }
  })

  it('[GEN-13, GEN-14] has points of all six types, each with a unit of its quantity, on existing equipment', () => {
    expect(new Set(graph.points!.map((point) => point.pointType)).size).toBe(6)
    const elements = new Set(graph.elements!.map((element) => element.id))
    const spaces = new Set(graph.spaces!.map((space) => space.id))
    for (const { quantityKind, unit, elementId } of graph.points!) {
      expect(unitsOf(quantityKind), quantityKind).toContain(unit)
      expect(elements.has(elementId)).toBe(true)
    }
    for (const { spaceId } of graph.elements!) expect(spaceId === null || spaces.has(spaceId)).toBe(true)
  })

  it('[GEN-16, GEN-01] shares its GlobalIds, but no id, with a building of the same parameters', () => {
    for (const [kind, rows] of Object.entries(graph)) {
      const others = twin[kind]!
      expect(others.map(({ externalId }) => externalId)).toEqual(rows.map(({ externalId }) => externalId))
      const ids = new Set(rows.map(({ id }) => id))
      expect(others.some(({ id }) => ids.has(id))).toBe(false)
    }
  })

  it('[GEN-17] has the fingerprint that the generator gives for the same parameters', () => {
    expect(record.fingerprint).toBe(fingerprint(generateBuilding(resolveSpec(parameters))))
  })
})
