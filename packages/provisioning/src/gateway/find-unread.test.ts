import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import type { Connection } from './connection.ts'
import type { Connections } from './connections.ts'
import { findUnread } from './find-unread.ts'

interface Client {
  address: string
  unread: number
  readSince?: number
}

/** The indexes of the clients whose connections have to be reset. */
function resetOf(clients: Client[], limits = { perAddress: 100, total: 250 }): number[] {
  const sockets = clients.map(() => new Socket())
  const list = clients.map(({ address }, i) => ({ address, socket: sockets[i] }) as Connection)
  const isProxy = ({ address }: Connection) => address === 'proxy'
  const connections = { all: () => list, isProxy } as Pick<Connections, 'all' | 'isProxy'>
  const of = (socket: Socket) => {
    const { unread, readSince = 0 } = clients[sockets.indexOf(socket)]!
    return { unread, readSince, read: 0, checked: 0 }
  }
  const found = findUnread(connections, { of, isComplete: true }, limits)
  return found.map((socket) => sockets.indexOf(socket)).sort()
}

describe('unread bytes of responses', () => {
  it('[HST-61] within the limits cause no reset', () => {
    expect(
      resetOf([
        { address: 'a', unread: 100 },
        { address: 'b', unread: 100 },
      ]),
    ).toEqual([])
  })

  it('[HST-61] above the limit of an address cause a reset of the clients at this address that would need the most time to read them', () => {
    const slow = { address: 'a', unread: 40, readSince: 10 }
    const quick = { address: 'a', unread: 60, readSince: 1_000 }
    const silent = { address: 'a', unread: 30 }
    expect(resetOf([slow, quick, silent, { address: 'b', unread: 90 }])).toEqual([2])
    expect(resetOf([slow, quick, silent, { ...silent, unread: 50 }, { address: 'b', unread: 90 }])).toEqual([2, 3])
  })

  it('[HST-61] above the total limit cause a reset of the slowest clients of any address', () => {
    const readers = ['a', 'b'].map((address) => ({ address, unread: 90, readSince: 500 }))
    const silent = ['c', 'd'].map((address) => ({ address, unread: 90 }))
    expect(resetOf([...readers, ...silent])).toEqual([2, 3])
  })

  it('[HST-61] of a trusted proxy are limited in total only', () => {
    expect(resetOf([{ address: 'proxy', unread: 200 }])).toEqual([])
    expect(resetOf([{ address: 'proxy', unread: 260 }])).toEqual([0])
  })
})
