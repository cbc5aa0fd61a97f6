import { describe, expect, it } from 'vitest'
import { tokenSnippet } from './token-snippet.ts'

describe('the snippet for a service account', () => {
  it('contains the token URL, the client credentials and the API URL', () => {
    const text = tokenSnippet({
      tokenUrl: 'http://localhost:4000/realms/sandboxes/token',
      clientId: 'sa-1',
      clientSecret: 'hush',
      apiUrl: 'http://tower-ab12c.localhost:4000',
    })
    for (const part of ["-u 'sa-1:hush'", 'sandboxes/token', 'grant_type=client_credentials', 'tower-ab12c']) {
      expect(text).toContain(part)
    }
    expect(text.split('hush')).toHaveLength(2)
  })
})
