import { describe, expect, it } from 'vitest'
import { holds, PERMISSIONS, type Permission, PLATFORM_ADMINISTRATOR, ROLES, type Role } from './permissions.ts'

const COLUMNS: readonly Role[] = ['user', 'accountant', 'manager', 'admin', 'building-graph-writer']

/**
 * The permissions of the interface, and those of the routes `/people` and `/accounts`, which are not in the interface.
 * They are written by hand and not derived from the code. Each column of the text is a role; `x` means that the role
 * has the permission.
 */
const MATRIX: [permission: Permission, held: string][] = [
  ['building.graph:read', 'xxxxx'],
  ['building.layers:read', 'xxxxx'],
  ['building.faults:read', 'xxxxx'],
  ['service-desk.requests:read', 'xxxxx'],
  ['service-desk.requests:create', 'xxxxx'],
  ['building.graph:write', '  xxx'],
  ['building.layers:write', '  x x'],
  ['building.changesets:write', '  xx '],
  ['building.changesets:review', '  xx '],
  ['building.faults:write', '  xx '],
  ['data-import.sync:read', ' xxx '],
  ['data-import.sync:write', ' xxx '],
  ['service-desk.requests:manage', '  xx '],
  ['platform.webhooks:write', '  x  '],
  ['platform.webhooks:read', '  xx '],
  ['platform.people:read', 'xxxxx'],
  ['platform.people:write', '   x '],
  ['platform.registry:write', '     '],
  ['platform.licenses:write', '     '],
  ['building.simulation:write', '     '],
]

describe('the permission matrix', () => {
  it('has exactly these roles and permissions', () => {
    expect([...ROLES].sort()).toEqual([...COLUMNS].sort())
    expect(Object.keys(PERMISSIONS).sort()).toEqual(MATRIX.map(([permission]) => permission).sort())
  })

  it.each(MATRIX)(
    '[PRM-06, PRM-07, PRM-08, PRM-09, PRM-10, PRM-11, PRM-12, PRM-13, PRM-14] gives %s to exactly the roles of the matrix',
    (permission, held) => {
      const drawn = COLUMNS.map((role) => (holds([role], permission) ? 'x' : ' ')).join('')
      expect(drawn).toBe(held)
    },
  )

  it.each(MATRIX)(
    '[PRM-05] gives %s to the platform administrator, and not to a caller without a known role',
    (permission) => {
      expect(holds([PLATFORM_ADMINISTRATOR], permission)).toBe(true)
      expect(holds([], permission)).toBe(false)
      expect(holds(['User', 'manager ', 'constructor'], permission)).toBe(false)
    },
  )

  it('combines the permissions of several roles', () => {
    expect(holds(['accountant', 'building-graph-writer'], 'data-import.sync:write')).toBe(true)
    expect(holds(['accountant', 'building-graph-writer'], 'building.layers:write')).toBe(true)
    expect(holds(['accountant', 'building-graph-writer'], 'building.faults:write')).toBe(false)
  })
})
