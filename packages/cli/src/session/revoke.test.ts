import { describe, expect, it } from 'vitest'
import { mayEndTogether } from './revoke.ts'

const SERVICE = 'https://storey.example.com'
const at = (issuer: string) => ({ issuer, accessToken: 'a', expiresAt: 0, refreshToken: 'r' })

describe('a new session', () => {
  it('[CLI-05] could be ended by the revocation of the previous one only if the same external provider issued both', () => {
    const keycloak = at('https://id.example.com/realms/developers')
    const embedded = at(`${SERVICE}/realms/developers`)
    expect(mayEndTogether(keycloak, keycloak, SERVICE)).toBe(true)
    expect(mayEndTogether(keycloak, embedded, SERVICE)).toBe(false)
    expect(mayEndTogether(embedded, keycloak, SERVICE)).toBe(false)
    expect(mayEndTogether(embedded, embedded, SERVICE)).toBe(false)
  })
})
