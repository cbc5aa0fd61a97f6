import { holds, PERMISSIONS, type Permission, ROLES, type Role } from '@storey/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { type CallOptions, call } from '../system/call.ts'
import { signedIn } from '../system/service-accounts.ts'
import { newDeveloper, newSandbox } from '../system/shared.ts'

const NOBODY = '0191b6a0-0000-7000-8000-000000000000'
const IFC = { 'content-type': 'application/x-step' }

/** A call for each permission on the graph, made so that whoever may make it changes nothing. */
const CALLS: readonly [Permission, string, string, CallOptions, number][] = [
  ['building.graph:read', 'read the graph', '/graph?at=1', {}, 200],
  ['building.graph:read', 'read history', '/history', {}, 200],
  ['building.graph:read', 'read changesets', '/changesets', {}, 200],
  ['building.graph:write', 'change nodes', `/spaces/${NOBODY}`, { method: 'DELETE' }, 404],
  ['building.graph:write', 'create nodes', '/storeys', { body: {} }, 400],
  ['building.graph:write', 'name snapshots', '/snapshots', { body: { name: '1' } }, 400],
  ['building.changesets:write', 'draft changesets', '/changesets', { body: {} }, 400],
  ['building.changesets:write', 'apply changesets', `/changesets/${NOBODY}/apply`, { method: 'POST' }, 404],
  ['building.changesets:review', 'review', `/changesets/${NOBODY}/review`, { body: { decision: 'approve' } }, 404],
  ['data-import.sync:write', 'import elements', '/import/elements', { body: { sourceSystem: 'x', elements: [] } }, 200],
  ['data-import.sync:write', 'import points', '/import/points', { body: { sourceSystem: 'x', points: [] } }, 200],
  ['data-import.sync:write', 'import models', '/import/ifc?replace=x', { body: '', method: 'POST', headers: IFC }, 400],
  ['data-import.sync:read', 'read imports', '/imports', {}, 200],
]

describe('what each role may do with the graph, through the running system', () => {
  let base: string
  const tokens = new Map<Role, string>()
  let administrator: string
  beforeAll(async () => {
    const { key } = await newDeveloper()
    const { record, connection } = await newSandbox(key)
    base = `${connection.apiUrl}/api/v1/buildings/${connection.buildingId}`
    administrator = connection.token
    for (const role of ROLES) tokens.set(role, await signedIn(key, record.sandboxId, role))
  })

  it.each(CALLS)('[PRM-02, PRM-07, PRM-09, PRM-11, PRM-16] %s: %s', async (permission, _, path, options, status) => {
    expect((await call(base + path, { token: administrator, ...options })).status).toBe(status)
    for (const [role, token] of tokens) {
      const answer = await call(base + path, { token, ...options })
      const may = holds([role], permission)
      expect({ role, status: answer.status }).toEqual({ role, status: may ? status : 403 })
      if (!may) expect(answer.json).toMatchObject({ code: 'PERMISSION_DENIED' })
    }
    expect((await call(base + path, options)).status).toBe(401)
  })

  it('covers every permission on the graph', () => {
    const tried = new Set(CALLS.map(([permission]) => permission))
    const onGraph = Object.keys(PERMISSIONS).filter((p) => /^(building\.(graph|changesets)|data-import)/.test(p))
    expect([...tried].sort()).toEqual(onGraph.sort())
  })
})
