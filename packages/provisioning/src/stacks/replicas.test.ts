import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { addressFor, createReplicas } from './replicas.ts'

const at = (n: number) => ({ host: `10.0.0.${n}`, port: 8080 })
const [one, two, three] = [at(1), at(2), at(3)]
const open = (avoidMs?: number) =>
  createReplicas([one, two, three], { end: async () => undefined, ...(avoidMs === undefined ? {} : { avoidMs }) })

describe('the replicas of a stack', () => {
  it('[KUB-21] get requests in turn', () => {
    const replicas = open()
    const chosen = Array.from({ length: 6 }, () => replicas.choose())
    expect(chosen).toEqual([one, two, three, one, two, three])
  })

  it('[KUB-21] get requests by affinity: all requests with the same affinity go to the same replica, until that replica ends', () => {
    const replicas = open()
    const clients = Array.from({ length: 60 }, (_, i) => `client ${i}`)
    const before = new Map(clients.map((client) => [client, replicas.choose(client)]))
    expect(new Set(before.values()).size).toBe(3)
    const elsewhere = createReplicas(
      [three, one, two].map((address) => ({ ...address })),
      { end: async () => undefined },
    )
    for (const client of clients) expect(elsewhere.choose(client)).toEqual(before.get(client))
    replicas.set([one, three])
    for (const client of clients) {
      const was = before.get(client)
      if (was !== two) expect(replicas.choose(client)).toBe(was)
      else expect([one, three]).toContain(replicas.choose(client))
    }
  })

  it('[KUB-21] that were not reached get no requests for a while, unless none was reached', async () => {
    const replicas = open(50)
    const before = replicas.list()
    replicas.avoid(two)
    expect(replicas.list()).not.toBe(before)
    expect(replicas.list()).toEqual([one, three])
    expect(replicas.all()).toEqual([one, two, three])
    replicas.avoid(one)
    replicas.avoid(three)
    expect(replicas.list()).toEqual([one, two, three])
    await sleep(100)
    expect(replicas.list()).toEqual([one, two, three])
    // A request that failed on a replica that is gone changes nothing.
    replicas.avoid(at(9))
    expect(replicas.list()).toEqual([one, two, three])
  })

  it('[KUB-21] keep their address objects when the list is set again, and stay in the list if the new list is empty', () => {
    const replicas = open()
    replicas.set([at(3), at(4)])
    expect(replicas.list()[0]).toBe(three)
    expect(replicas.list()).toEqual([three, at(4)])
    replicas.set([])
    expect(replicas.list()).toEqual([three, at(4)])
  })

  it('[KUB-21] determine the address for a request; a stack without replicas has one address', () => {
    expect(addressFor({ ...at(7) })).toEqual(at(7))
    expect(addressFor({ ...at(7), replicas: open() })).toBe(one)
  })
})
