import { describe, expect, it } from 'vitest'
import { createBackOff } from './back-off.ts'
import { createConnections, type UnauthenticatedClient } from './connections.ts'

const LIMITS = { unauthenticated: 10, unauthenticatedOfAddress: 4, signedIn: 6, signedInOfAddress: 3 }

function testConnections(limits = LIMITS) {
  const connections = createConnections(limits)
  const cut: string[] = []
  const enter = (group: string, name = group, hasSentConnect = false): UnauthenticatedClient => {
    const client = { group, hasSentConnect, disconnect: () => void cut.push(name) }
    connections.enter(client)
    return client
  }
  return { connections, cut, enter }
}

describe('connections that are not authenticated', () => {
  it('[MQT-14] of an address at its limit are closed: first those without CONNECT, and of these the oldest', () => {
    const { cut, enter, connections } = testConnections()
    enter('a', 'a1', true)
    for (const name of ['a2', 'a3', 'a4', 'a5', 'a6']) enter('a', name)
    expect(cut).toEqual(['a2', 'a3'])
    enter('b', 'b1')
    expect(cut).toEqual(['a2', 'a3'])
    expect(connections.unauthenticated()).toBe(5)
  })

  it('[MQT-14] of the address that has the most of them are closed when the total limit is exceeded', () => {
    const { cut, enter, connections } = testConnections()
    for (let i = 0; i < 4; i++) enter('many', `many${i}`)
    for (let i = 0; i < 6; i++) enter(`one${i}`)
    enter('device')
    expect(cut).toEqual(['many0'])
    expect(connections.unauthenticated()).toBe(10)
  })

  it('[MQT-14] leave capacity for authenticated ones, which are counted separately, in total and by address', () => {
    const { enter, connections } = testConnections()
    const signIn = (group: string, isProxy = false) => connections.signIn(enter(group), isProxy)
    const leaves = ['a', 'a', 'a'].map((group) => signIn(group)!)
    expect(signIn('a')).toBeUndefined()
    expect(signIn('a', true)).toBeDefined()
    expect(signIn('b')).toBeDefined()
    expect(signIn('c')).toBeDefined()
    expect(signIn('d')).toBeUndefined()
    leaves[0]!()
    expect(signIn('d')).toBeDefined()
  })
})

describe('failed sign-ins', () => {
  it('[MQT-10] are delayed longer after each failure of the same user name from the same address', async () => {
    const waits: number[] = []
    const backOff = createBackOff(undefined, async (ms) => void waits.push(ms))
    const fail = async (name: string, address: string) => expect(await backOff.afterFailure(name, address)).toBe(true)
    for (let i = 0; i < 9; i++) await fail('owner', 'attacker')
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000])
    await fail('owner', 'home')
    await fail('other', 'attacker')
    expect(waits.slice(-2)).toEqual([100, 100])
  })

  it('[MQT-14] of one address get no response if twenty of them wait already', async () => {
    const backOff = createBackOff()
    const tries = Array.from({ length: 30 }, (_, i) => backOff.afterFailure(`user${i}`, 'attacker'))
    expect(await backOff.afterFailure('user', 'home')).toBe(true)
    expect((await Promise.all(tries)).filter((answered) => !answered)).toHaveLength(10)
  })
})
