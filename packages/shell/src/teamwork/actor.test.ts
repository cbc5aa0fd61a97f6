import { describe, expect, it } from 'vitest'
import { isServiceAccount, shortened } from './actor.ts'

describe('who did something', () => {
  it('is a service account where it has the id of one', () => {
    expect(isServiceAccount('sa-OECgh1l0Zq8ynWm2rT4b')).toBe(true)
    for (const name of ['anna@example.com', 'sandbox', 'sa-', 'sa-anna@example.com', 'xsa-OECgh1l0Zq8ynWm2rT4b'])
      expect(isServiceAccount(name)).toBe(false)
  })

  it('has the beginning of the id, which tells two of them apart', () => {
    expect(shortened('sa-OECgh1l0Zq8ynWm2rT4b')).toBe('sa-OECg…')
  })
})
