import { describe, expect, it } from 'vitest'
import { createPasswords, newOneTimePassword, passwordFits } from './passwords.ts'

describe('passwords', () => {
  const passwords = createPasswords()

  it('fit their own hash, however the keyboard spells them', async () => {
    const hash = await passwords.hash('caf\u00e9 au lait')
    expect(await passwordFits('cafe\u0301 au lait', hash)).toBe(true)
    expect(await passwordFits('cafe au lait', hash)).toBe(false)
    expect(hash).not.toEqual(await passwords.hash('caf\u00e9 au lait'))
  })

  it('cost a guesser 32 MB each', async () => {
    expect(await passwords.hash('correct horse')).toMatch(/^scrypt\$32768\$8\$1\$/)
    expect(await createPasswords(2).hash('correct horse')).toMatch(/^scrypt\$2\$8\$1\$/)
  })

  it('fit nobody', async () => {
    expect(await passwords.fitsNobody('')).toBe(false)
  })

  it('that are given out can be read aloud', () => {
    expect(newOneTimePassword()).toMatch(/^([a-hj-km-np-z2-9]{4}-){3}[a-hj-km-np-z2-9]{4}$/)
  })
})
