import { describe, expect, it } from 'vitest'
import { isServiceAccount, shortId } from './actor.ts'

describe('an actor', () => {
  it('is a service account if it has the form of a client id', () => {
    expect(isServiceAccount('sa-OECgh1l0Zq8ynWm2rT4b')).toBe(true)
    for (const name of ['anna@example.com', 'sandbox', 'sa-', 'sa-anna@example.com', 'xsa-OECgh1l0Zq8ynWm2rT4b'])
      expect(isServiceAccount(name)).toBe(false)
  })

  it('has a short id: the beginning of its client id', () => {
    expect(shortId('sa-OECgh1l0Zq8ynWm2rT4b')).toBe('sa-OECg…')
  })
})
