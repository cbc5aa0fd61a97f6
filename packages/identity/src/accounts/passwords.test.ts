import { describe, expect, it } from 'vitest'
import { hashPassword, newOneTimePassword, passwordFits, passwordOfNobody } from './passwords.ts'

describe('passwords', () => {
  it('fit their own hash, however the keyboard spells them', async () => {
    const hash = await hashPassword('caf\u00e9 au lait')
    expect(await passwordFits('cafe\u0301 au lait', hash)).toBe(true)
    expect(await passwordFits('cafe au lait', hash)).toBe(false)
    expect(hash).not.toEqual(await hashPassword('caf\u00e9 au lait'))
  })

  it('fit nobody', async () => {
    expect(await passwordOfNobody('')).toBe(false)
  })

  it('that are given out can be read aloud', () => {
    expect(newOneTimePassword()).toMatch(/^([a-hj-km-np-z2-9]{4}-){3}[a-hj-km-np-z2-9]{4}$/)
  })
})
