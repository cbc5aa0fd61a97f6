import { describe, expect, it } from 'vitest'
import { createPasswords, newOneTimePassword, verifyPassword } from './passwords.ts'
import { TooManyWaiting } from './task-queue.ts'

describe('passwords', () => {
  const passwords = createPasswords()

  it('match their own hash in every Unicode form', async () => {
    const hash = await passwords.hash('caf\u00e9 au lait')
    expect(await verifyPassword('cafe\u0301 au lait', hash)).toBe(true)
    expect(await verifyPassword('cafe au lait', hash)).toBe(false)
    expect(hash).not.toEqual(await passwords.hash('caf\u00e9 au lait'))
  })

  it('are hashed with scrypt at 32 MB each', async () => {
    expect(await passwords.hash('correct horse')).toMatch(/^scrypt\$32768\$8\$1\$/)
    expect(await createPasswords(2).hash('correct horse')).toMatch(/^scrypt\$2\$8\$1\$/)
  })

  it('do not match the dummy hash', async () => {
    expect(await passwords.verifyDummy('')).toBe(false)
  })

  it('are all hashed, however many wait, if developers or the operator set them', async () => {
    const quick = createPasswords(2)
    const hashes = await Promise.all(Array.from({ length: 200 }, (_, i) => quick.hash(`password ${i}`)))
    expect(new Set(hashes).size).toBe(200)
  })

  it('of one organization are refused if too many of them wait to be hashed', async () => {
    const by = { key: 'organization org_a', isKnown: true }
    const all = await Promise.allSettled(Array.from({ length: 100 }, (_, i) => passwords.hash(`password ${i}`, by)))
    const refused = all.filter(({ status }) => status === 'rejected')
    // Of 100 passwords, two are hashed and 32 wait, so 66 are refused.
    expect(refused).toHaveLength(66)
    expect(refused[0]).toMatchObject({ reason: expect.any(TooManyWaiting) })
  })

  it('for the first sign-in have no characters that look alike', () => {
    expect(newOneTimePassword()).toMatch(/^([a-hj-km-np-z2-9]{4}-){3}[a-hj-km-np-z2-9]{4}$/)
  })
})
