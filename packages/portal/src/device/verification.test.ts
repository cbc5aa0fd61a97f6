import { describe, expect, it } from 'vitest'
import { codeIn, userCodeOf, verificationAddress } from './verification.ts'

describe('the code of a device', () => {
  it('is taken as people type it', () => {
    for (const text of ['BCDF-GHJK', 'bcdfghjk', ' bcdf ghjk ', 'BCDF–GHJK'.replace('–', '-')]) {
      expect(userCodeOf(text)).toBe('BCDF-GHJK')
    }
  })

  it('comes with a link, or back from the sign-out of another account', () => {
    for (const text of ['user_code=BCDF-GHJK', 'state=BCDF-GHJK', 'user_code=BCDF-GHJK&state=x']) {
      expect(codeIn(new URLSearchParams(text))).toBe('BCDF-GHJK')
    }
    expect(codeIn(new URLSearchParams())).toBe('')
  })

  it('is refused where it cannot be one', () => {
    for (const text of ['', 'BCDF', 'BCDF-GHJK-L', 'BCDF-GH<K']) expect(userCodeOf(text)).toBeUndefined()
  })

  it('goes to the page of the realm, and nowhere else', () => {
    expect(verificationAddress('http://localhost:4000/realms/developers', 'BCDF-GHJK', 'ru')).toBe(
      'http://localhost:4000/realms/developers/device?user_code=BCDF-GHJK&ui_locales=ru',
    )
  })
})
