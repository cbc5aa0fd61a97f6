import { holds, PERMISSIONS, type Permission, ROLES, type Role } from '@storey/contract'
import { beforeAll, describe, expect, it } from 'vitest'
import { type CallOptions, call } from '../system/call.ts'
import { signedIn } from '../system/service-accounts.ts'
import { newDeveloper, newSandbox } from '../system/shared.ts'

const UNKNOWN_ID = '0191b6a0-0000-7000-8000-000000000000'
const IFC = { 'content-type': 'application/x-step' }
const POST = { method: 'POST' }
const NO_BODY = { body: {} }

type Call = readonly [Permission, what: string, path: string, CallOptions, status: number]

/** Calls for each permission. They change nothing, even if the caller has the permission. `~` is the building. */
const CALLS: readonly Call[] = [
  ['building.graph:read', 'read the graph', '~/graph?at=1', {}, 200],
  ['building.graph:read', 'read history', '~/history', {}, 200],
  ['building.graph:read', 'read changesets', '~/changesets', {}, 200],
  ['building.graph:write', 'change nodes', `~/spaces/${UNKNOWN_ID}`, { method: 'DELETE' }, 404],
  ['building.graph:write', 'create nodes', '~/storeys', NO_BODY, 400],
  ['building.graph:write', 'name snapshots', '~/snapshots', { body: { name: '1' } }, 400],
  ['building.changesets:write', 'draft changesets', '~/changesets', NO_BODY, 400],
  ['building.changesets:write', 'apply changesets', `~/changesets/${UNKNOWN_ID}/apply`, POST, 404],
  ['building.changesets:review', 'review', `~/changesets/${UNKNOWN_ID}/review`, { body: { decision: 'approve' } }, 404],
  [
    'data-import.sync:write',
    'import elements',
    '~/import/elements',
    { body: { sourceSystem: 'x', elements: [] } },
    200,
  ],
  ['data-import.sync:write', 'import spaces', '~/import/spaces', { body: { sourceSystem: 'x', spaces: [] } }, 200],
  ['data-import.sync:write', 'import points', '~/import/points', { body: { sourceSystem: 'x', points: [] } }, 200],
  ['data-import.sync:write', 'import models', '~/import/ifc?replace=x', { body: '', ...POST, headers: IFC }, 400],
  ['data-import.sync:read', 'read imports', '~/imports', {}, 200],
  ['building.layers:read', 'list layers', '~/data-layers', {}, 200],
  ['building.layers:read', 'read values', `~/data-layers/${UNKNOWN_ID}/values`, {}, 404],
  ['building.layers:read', 'read a legend', `~/data-layers/${UNKNOWN_ID}/legend`, {}, 404],
  ['building.layers:write', 'create a layer', '~/data-layers', NO_BODY, 400],
  ['building.layers:write', 'delete a layer', `~/data-layers/${UNKNOWN_ID}`, { method: 'DELETE' }, 404],
  [
    'building.layers:write',
    'upload',
    `~/data-layers/${UNKNOWN_ID}/values`,
    { method: 'PUT', body: { values: {} } },
    404,
  ],
  ['building.faults:read', 'read faults', '~/faults', {}, 200],
  ['building.faults:read', 'read fault rules', '~/fault-rules', {}, 200],
  ['building.faults:write', 'create fault rules', '~/fault-rules', NO_BODY, 400],
  ['building.faults:write', 'acknowledge a fault', `~/faults/${UNKNOWN_ID}/acknowledge`, POST, 404],
  ['building.graph:read', 'read the simulation', '~/simulation', {}, 200],
  ['building.simulation:write', 'run the simulation', '~/simulation', NO_BODY, 400],
  ['building.simulation:write', 'inject a fault', '~/simulation/inject', NO_BODY, 400],
  ['platform.people:read', 'list people', '/api/v1/people', {}, 200],
  ['platform.people:write', 'list accounts', '/api/v1/accounts', {}, 200],
  ['platform.people:write', 'create an account', '/api/v1/accounts', NO_BODY, 400],
  ['platform.people:write', 'reset a password', `/api/v1/accounts/${UNKNOWN_ID}/reset-password`, POST, 404],
  ['platform.people:write', 'remove an account', `/api/v1/accounts/${UNKNOWN_ID}`, { method: 'DELETE' }, 404],
  ['platform.webhooks:read', 'list webhooks', '/api/v1/webhooks', {}, 200],
  ['platform.webhooks:read', 'read deliveries', `/api/v1/webhooks/${UNKNOWN_ID}/deliveries`, {}, 404],
  ['platform.webhooks:write', 'register a webhook', '/api/v1/webhooks', NO_BODY, 400],
  ['platform.webhooks:write', 'reset failures', `/api/v1/webhooks/${UNKNOWN_ID}/reset-failures`, POST, 404],
  ['building.graph:read', 'read the registry', '/api/v1/registry/modules', {}, 200],
  ['building.graph:read', 'read a module', '/api/v1/registry/modules/nobody', {}, 404],
  ['platform.registry:write', 'register a module', '/api/v1/registry/modules/ingest', NO_BODY, 400],
  ['platform.registry:write', 'remove a module', '/api/v1/registry/modules/nobody', { method: 'DELETE' }, 404],
  ['building.graph:read', 'read licences', '/api/v1/licenses', {}, 200],
  ['platform.licenses:write', 'license a module', '/api/v1/licenses', NO_BODY, 400],
  ['platform.licenses:write', 'withdraw a licence', `/api/v1/licenses/${UNKNOWN_ID}`, { method: 'DELETE' }, 404],
  ['service-desk.requests:read', 'read requests', '/api/service-desk/requests', {}, 200],
  ['service-desk.requests:create', 'create a request', '/api/service-desk/requests', NO_BODY, 400],
  [
    'service-desk.requests:manage',
    'change the state of a request',
    `/api/service-desk/requests/${UNKNOWN_ID}/transition`,
    { body: { state: 'closed' } },
    404,
  ],
]

describe('what each role may do, through the running system', () => {
  let address: (path: string) => string
  let administrator: string
  const tokens = new Map<Role, string>()
  beforeAll(async () => {
    const { key } = await newDeveloper()
    const { record, connection } = await newSandbox(key)
    const { apiUrl, buildingId, token } = connection
    address = (path) => apiUrl + path.replace(/^~/, `/api/v1/buildings/${buildingId}`)
    administrator = token
    for (const role of ROLES) tokens.set(role, await signedIn(key, record.sandboxId, role))
  })

  it.each(CALLS)(
    '[PRM-02, PRM-05, PRM-16, PRM-18, PRM-19] a role needs %s to %s',
    async (permission, _, path, options, status) => {
      const url = address(path)
      expect((await call(url, { token: administrator, ...options })).status).toBe(status)
      for (const [role, token] of tokens) {
        const answer = await call(url, { token, ...options })
        const may = holds([role], permission)
        expect({ role, status: answer.status }).toEqual({ role, status: may ? status : 403 })
        if (!may) expect(answer.json).toMatchObject({ code: 'PERMISSION_DENIED' })
      }
      expect((await call(url, options)).status).toBe(401)
    },
  )

  it('[PRM-06, PRM-07, PRM-08, PRM-09, PRM-10, PRM-11, PRM-12, PRM-13, PRM-14, PRM-15] the calls cover every permission', () => {
    const tried = new Set(CALLS.map(([permission]) => permission))
    expect([...tried].sort()).toEqual(Object.keys(PERMISSIONS).sort())
  })
})
