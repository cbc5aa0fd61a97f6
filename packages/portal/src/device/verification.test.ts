import { describe, expect, it } from 'vitest'
import { userCodeOf, verificationAddress } from './verification.ts'

describe('the code of a device', () => {
  it('is taken as people type it', () => {
    for (const text of ['BCDF-GHJK', 'bcdfghjk', ' bcdf ghjk ', 'BCDF–GHJK'.replace('–', '-')]) {
      expect(userCodeOf(text)).toBe('BCDF-GHJK')
    }
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
