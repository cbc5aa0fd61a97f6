import { describe, expect, it } from 'vitest'
import { createVault } from '../vault.ts'
import { createKnownDevices } from './known-devices.ts'

describe('the cookie of a known browser', () => {
  const devices = createKnownDevices(createVault('master'))

  it('is valid for the last eight accounts that signed in with that browser', () => {
    let cookie: string | undefined
    for (let i = 0; i < 12; i++) cookie = devices.remember(cookie, `account ${i % 10}`)
    const known = Array.from({ length: 10 }, (_, i) => devices.deviceOf(cookie, `account ${i}`) !== undefined)
    expect(known).toEqual([true, true, false, false, true, true, true, true, true, true])
    expect(cookie!.length).toBeLessThan(256)
  })

  it('keeps the id of the browser', () => {
    const first = devices.remember(undefined, 'ada')
    const second = devices.remember(first, 'bob')
    expect(devices.deviceOf(second, 'ada')).toBe(devices.deviceOf(first, 'ada'))
    expect(devices.remember(second, 'bob')).toBe(second)
  })

  it('cannot be forged', () => {
    const cookie = devices.remember(undefined, 'ada')
    const elsewhere = createKnownDevices(createVault('another')).remember(undefined, 'ada')
    const [id, proof] = cookie.split('.')
    const other = devices.remember(undefined, 'bob').split('.')[0]
    const forged = [
      undefined,
      '',
      'x',
      id,
      `${id}.`,
      `${other}.${proof}`,
      elsewhere,
      `${cookie}x`,
      `${cookie}.${'é'.repeat(22)}`,
    ]
    for (const text of forged) expect(devices.deviceOf(text, 'ada'), text).toBeUndefined()
    expect(devices.deviceOf(cookie, 'bob')).toBeUndefined()
  })
})
