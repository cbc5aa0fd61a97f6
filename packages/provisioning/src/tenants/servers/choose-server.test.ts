import { describe, expect, it } from 'vitest'
import { chooseServer } from './choose-server.ts'
import type { Load } from './servers.store.ts'

const load = (sandboxes: number, bytes = 0, awake = 0): Load => ({ sandboxes, bytes, awake })

describe('[HST-79] the server of a new sandbox', () => {
  it('is the server with the fewest sandboxes, and of equal servers the first by id', () => {
    expect(chooseServer(['srv_b', 'srv_a'], new Map())).toBe('srv_a')
    expect(chooseServer(['srv_a', 'srv_b'], new Map([['srv_a', load(1)]]))).toBe('srv_b')
    expect(chooseServer([], new Map([['srv_a', load(1)]]))).toBeUndefined()
  })

  it('is not the server with fewer sandboxes if that server has much more data or many more awake stacks', () => {
    const large = new Map([
      ['srv_a', load(2, 900)],
      ['srv_b', load(3, 100)],
    ])
    expect(chooseServer(['srv_a', 'srv_b'], large)).toBe('srv_b')
    const awake = new Map([
      ['srv_a', load(2, 0, 5)],
      ['srv_b', load(3, 0, 1)],
    ])
    expect(chooseServer(['srv_a', 'srv_b'], awake)).toBe('srv_b')
  })
})
