import { describe, expect, it } from 'vitest'
import { createLeastLoaded } from './least-loaded.ts'
import type { Load } from './servers.store.ts'

describe('[HST-79] the least loaded server', () => {
  const loads = () =>
    new Map<string, Load>([
      ['srv_a', { sandboxes: 4, bytes: 400, awake: 0 }],
      ['srv_b', { sandboxes: 2, bytes: 200, awake: 0 }],
    ])

  it('is chosen for many sandboxes from loads that are read once', async () => {
    let reads = 0
    const { choose } = createLeastLoaded(async () => {
      reads++
      return loads()
    }, 60_000)
    const chosen = await Promise.all(Array.from({ length: 6 }, () => choose(['srv_a', 'srv_b', 'srv_c'])))
    expect(chosen.filter((id) => id === 'srv_c')).toHaveLength(4)
    expect(chosen.filter((id) => id === 'srv_b')).toHaveLength(2)
    expect(reads).toBe(1)
  })

  it('is chosen from loads that are read again after a while, and after a failure', async () => {
    const answers = [Promise.reject(new Error('no answer')), loads(), new Map()]
    const { choose } = createLeastLoaded(async () => await answers.shift()!, 0)
    await expect(choose(['srv_a'])).rejects.toThrow('no answer')
    expect(await choose(['srv_a', 'srv_b'])).toBe('srv_b')
    await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await choose(['srv_a', 'srv_b'])).toBe('srv_a')
  })
})
