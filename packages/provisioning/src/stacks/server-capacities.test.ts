import { describe, expect, it } from 'vitest'
import { createServerCapacities } from './server-capacities.ts'

const sandbox = (id: string, serverId: string) => ({ id, organizationId: id, serverId })

function testCapacities(maxStacks: number) {
  const asked: (string | undefined)[] = []
  const capacities = createServerCapacities({
    connectionsOf: (serverId) => (serverId === 'srv_small' ? 3 : 100),
    maxStacks,
    waitMs: 1_000,
    isVerified: () => true,
    stopOne: (_owner, _coming, serverId) => void asked.push(serverId) as undefined,
  })
  return { capacities, asked }
}

describe('the capacity of several database servers', () => {
  it('[HST-82] has a budget for each server: a server without free connections delays no stack of another server', async () => {
    const { capacities, asked } = testCapacities(0)
    await capacities.acquire(sandbox('a', 'srv_small'))
    const waiting = capacities.acquire(sandbox('b', 'srv_small'))
    expect(await capacities.acquire(sandbox('c', 'srv_large'))).toBe(6)
    expect(new Set(asked)).toEqual(new Set(['srv_small']))
    expect(capacities.state()).toContainEqual({ serverId: 'srv_small', connections: 3, used: 3, waiting: 1 })
    capacities.release('a')
    expect(await waiting).toBe(3)
  })

  it('[HST-82] has one maximum number of stacks for all servers: a stack of any server can be stopped for another', async () => {
    const { capacities, asked } = testCapacities(1)
    await capacities.acquire(sandbox('a', 'srv_large'))
    const waiting = capacities.acquire(sandbox('b', 'srv_small'))
    expect(asked).toContain(undefined)
    capacities.release('a')
    expect(await waiting).toBe(3)
  })
})
