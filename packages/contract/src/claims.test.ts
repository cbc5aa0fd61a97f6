import { describe, expect, it } from 'vitest'
import { claimAt, renameClaims, rolesAt } from './claims.ts'

const namespaced = 'https://storey.example.com/org_id'

describe('claims under other names', () => {
  it('[IDN-43] are found by their name, or by a path into an object', () => {
    const claims = { [namespaced]: 'org_1', ext: { org_id: 'org_2', list: ['a'] }, 'a.b': 1, a: { b: 2 } }
    expect(claimAt(claims, namespaced)).toBe('org_1')
    expect(claimAt(claims, 'ext.org_id')).toBe('org_2')
    expect(claimAt(claims, 'a.b')).toBe(1)
    for (const missing of ['ext.tenant_id', 'ext.list.0', 'ext.list.length', 'ext.org_id.length', 'x.y', 'constructor'])
      expect(claimAt(claims, missing), missing).toBeUndefined()
  })

  it('[IDN-43] are used instead of the claims under default names, which are ignored even if a renamed claim is missing', () => {
    const names = { org_id: namespaced, roles: 'ext.roles', email: 'upn' }
    const claims = { sub: 's', org_id: 'chosen by the user', email: 'a@b.c', realm_access: { roles: ['admin'] } }
    expect(renameClaims(claims, names)).toEqual({ sub: 's', realm_access: { roles: [] } })
    expect(renameClaims({ ...claims, [namespaced]: 'org_1', ext: { roles: ['user'] } }, names)).toMatchObject({
      org_id: 'org_1',
      realm_access: { roles: ['user'] },
    })
    expect(renameClaims(claims, {})).toEqual(claims)
  })

  it('can have a single role as a text instead of a list; the default claim must have a list', () => {
    expect(rolesAt({ realm_access: { roles: ['user', 3, ''] } })).toEqual(['user'])
    expect(rolesAt({ realm_access: { roles: 'user' } })).toEqual([])
    expect(rolesAt({ groups: 'manager' }, 'groups')).toEqual(['manager'])
    expect(rolesAt({}, 'groups')).toEqual([])
  })
})
