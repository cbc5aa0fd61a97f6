import type { Socket } from 'node:net'
import { sql, type Tx } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { detachValues } from './move-values.store.ts'
import { type LayersApi, startLayersApi } from './testing/layers-api.ts'

let api: LayersApi
beforeAll(async () => {
  api = await startLayersApi()
})
afterAll(() => api.stack.close())

const socketOf = (tx: Tx) => (tx.client as unknown as { connection: { stream: Socket } }).connection.stream

describe('the layer values of replaced spaces', () => {
  it('[IMP-41] are moved to the new spaces within the database, however long they are', async () => {
    const [texts, numbers, empty] = [await api.layer('STRING'), await api.layer('NUMBER'), await api.layer('NUMBER')]
    const [first, second, new1, new2, stays] = api.spaces.map(({ id }) => id) as [string, ...string[]] & string[]
    const long = 'ä'.repeat(30_000)
    await api.put(texts, { [first]: long, [second!]: `${long}2`, [stays!]: 'stays' }, { keyBy: 'id' })
    await api.put(numbers, { [second!]: 2.5 }, { keyBy: 'id' })
    await api.put(empty, { [stays!]: 1 }, { keyBy: 'id' })
    const times = async () =>
      new Map(
        (await api.stack.get(api.path)).body.data.map((layer: { id: string; valuesUpdatedAt: string }) => [
          layer.id,
          Date.parse(layer.valuesUpdatedAt),
        ]),
      )
    const before = await times()
    const bytes = await api.stack.db.transaction(async (tx) => {
      const socket = socketOf(tx)
      const count = () => socket.bytesRead + socket.bytesWritten
      const beforeBytes = count()
      const successors = new Map([
        [first, new1!],
        [second!, new2!],
      ])
      const attach = await detachValues(tx, successors)
      await tx.run(sql`delete from layer_values where space_id = any(${[...successors.keys()]}::uuid[])`)
      await attach()
      return count() - beforeBytes
    })
    expect(Object.fromEntries(await api.values(texts))).toEqual({
      [new1!]: long,
      [new2!]: `${long}2`,
      [stays!]: 'stays',
    })
    expect(Object.fromEntries(await api.values(numbers))).toEqual({ [new2!]: 2.5 })
    const after = await times()
    expect([texts, numbers, empty].map((id) => Number(after.get(id)) - Number(before.get(id)))).toEqual([1, 1, 0])
    expect(bytes).toBeLessThan(10_000)
  })
})
