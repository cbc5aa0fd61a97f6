import { describe, expect, it } from 'vitest'
import { codeIn, userCodeOf, verificationAddress } from './verification.ts'

describe('a user code', () => {
  it('is accepted in upper or lower case, with or without a dash of any kind', () => {
    for (const text of ['BCDF-GHJK', 'bcdfghjk', ' bcdf ghjk ', 'BCDF–GHJK', 'BCDF‑GHJK']) {
      expect(userCodeOf(text)).toBe('BCDF-GHJK')
    }
  })

  it('is read from `user_code` in the address, or from `state`, in which the provider returns it after a sign-out', () => {
    for (const text of ['user_code=BCDF-GHJK', 'state=BCDF-GHJK', 'user_code=BCDF-GHJK&state=x']) {
      expect(codeIn(new URLSearchParams(text))).toBe('BCDF-GHJK')
    }
    expect(codeIn(new URLSearchParams())).toBe('')
  })

  it('is refused in another format', () => {
    for (const text of ['', 'BCDF', 'BCDF-GHJK-L', 'BCDF-GH<K']) expect(userCodeOf(text)).toBeUndefined()
  })

  it('is sent to the device page of the realm', () => {
    expect(verificationAddress('http://localhost:4000/realms/developers', 'BCDF-GHJK', 'ru')).toBe(
      'http://localhost:4000/realms/developers/device?user_code=BCDF-GHJK&ui_locales=ru',
    )
  })
})
