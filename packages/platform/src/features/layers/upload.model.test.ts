import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type LayersApi, startLayersApi } from './testing/layers-api.ts'

let api: LayersApi
/** Room ids by each identifier of the room: its id, its GlobalId, and two other external ids. */
const names = { id: new Map<string, string>(), externalId: new Map<string, string>() }
beforeAll(async () => {
  api = await startLayersApi()
  const spaces = `/api/v1/buildings/${api.stack.seeded.buildingId}/spaces`
  for (const [i, room] of api.spaces.slice(0, 5).entries()) {
    names.id.set(room.id, room.id)
    names.externalId.set(room.externalId, room.id)
    for (const externalId of [`${i}`, `m${i}`]) {
      names.externalId.set(externalId, room.id)
      const body = { sourceSystem: `of ${externalId}`, externalId }
      await api.stack.send('POST', `${spaces}/${room.id}/external-ids`, body)
    }
  }
})
afterAll(() => api.stack.close())

describe('a layer after uploads', () => {
  it('[LAY-29, LAY-30, LAY-31, LAY-33, LAY-34, LAY-35] has the same values as a simple model', async () => {
    const entry = fc.tuple(fc.nat(29), fc.integer())
    const upload = fc.record({
      keyBy: fc.constantFrom('id' as const, 'externalId' as const),
      replace: fc.boolean(),
      entries: fc.array(entry, { maxLength: 12 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(upload, { minLength: 1, maxLength: 5 }), async (uploads) => {
        const id = await api.layer('NUMBER')
        const model = new Map<string, number>()
        for (const { keyBy, replace, entries } of uploads) {
          const known = [...names[keyBy].keys(), 'x', '99', '__proto__', 'constructor']
          const given = entries.map(([n, value]) => [known[n % known.length]!, value] as const)
          const text = `{${given.map(([key, value]) => `${JSON.stringify(key)}:${value}`).join()}}`
          const { status, body } = await api.put(id, text, { keyBy, replace })
          const keys = given.map(([key]) => key)
          const distinct = keys.filter((key, i) => keys.lastIndexOf(key) === i)
          const deleted = replace ? model.size : 0
          if (replace) model.clear()
          const written = new Set<string>()
          for (const [key, value] of given) {
            const room = names[keyBy].get(key)
            if (room === undefined) continue
            model.set(room, value)
            written.add(room)
          }
          const unmatched = distinct.filter((key) => !names[keyBy].has(key))
          const matched = distinct.length - unmatched.length
          const none = matched === 0 && distinct.length > 0
          const diagnostics = none ? { diagnostics: { reason: 'IDENTIFIERS_NOT_IN_BUILDING' } } : {}
          expect({ status, body }).toEqual({
            status: 200,
            body: { written: written.size, matched, unmatched, deleted, ...diagnostics },
          })
        }
        expect(await api.values(id)).toEqual(model)
        await api.stack.send('DELETE', `${api.path}/${id}`)
      }),
      { numRuns: 30 },
    )
  })
})
