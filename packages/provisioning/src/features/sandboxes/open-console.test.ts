import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Caller } from '../../caller.ts'
import { type KeyService, testKeyService } from '../../testing/key-service.ts'
import { openConsole } from './open-console.ts'
import type { SandboxDeps } from './sandbox-deps.ts'
import type { SandboxRow } from './sandboxes.store.ts'

const expiresAt = new Date('2026-01-01T00:01:00.000Z')
const row = (status: string) =>
  ({ id: 'sbx_1', status, tenantId: 'org_1', slug: 'mall-1', suspendedAt: null }) as SandboxRow
const caller = { developerId: 'dev_1', actor: 'ann@example.com' } as Caller
const request = { caller, clientAddress: '127.0.0.1', headers: {} }

describe('a console session', () => {
  const sessions: object[] = []
  const deps = {
    shellDeployed: true,
    async ownerSession(owner) {
      sessions.push(owner)
      return { url: 'http://localhost:4000/link', expiresAt }
    },
  } as SandboxDeps

  it('[SBX-61] is a link to the shell of the sandbox', async () => {
    expect(await openConsole(deps, request, row('ready'))).toEqual({
      url: 'http://localhost:4000/link',
      expiresAt: expiresAt.toISOString(),
    })
    const origin = { sandbox: { id: 'sbx_1', tenantId: 'org_1' }, actor: 'ann@example.com', request }
    expect(sessions).toEqual([{ developerId: 'dev_1', tenantId: 'org_1', slug: 'mall-1', path: '/', origin }])
    await openConsole(deps, request, row('ready'), '/sandbox/board')
    expect(sessions.pop()).toMatchObject({ path: '/sandbox/board' })
  })

  it('[SBX-61] is refused without the embedded provider, without a console, and while the sandbox is not ready', async () => {
    const refusals: [Partial<SandboxDeps>, string, number][] = [
      [{ ownerSession: undefined }, 'ready', 409],
      [{ shellDeployed: false }, 'ready', 409],
      [{}, 'failed', 409],
      [{}, 'provisioning', 503],
    ]
    for (const [other, state, status] of refusals) {
      const refused = openConsole({ ...deps, ...other } as SandboxDeps, request, row(state))
      await expect(refused).rejects.toMatchObject({ status })
    }
    expect(sessions).toHaveLength(1)
  })
})

describe('the route of console sessions', () => {
  let service: KeyService
  beforeAll(async () => {
    service = await testKeyService()
  })
  afterAll(() => service.drop())

  it('[SBX-61] serves only the owner, and refuses a path that is not a path of the console', async () => {
    const owner = await service.portal(await service.newOrganization())
    const { sandboxId } = await service.create(owner)
    const path = `/api/v1/sandboxes/${sandboxId}/console-session`
    const status = async (key: string) => (await service.call({ key, path, method: 'POST' })).status
    // This service serves no console.
    expect(await status(owner)).toBe(409)
    expect(await status(await service.portal(await service.newOrganization()))).toBe(404)
    expect(await status('svc_nobody')).toBe(401)
    for (const path of ['//evil.example', '/\\evil.example', 'sandbox', '/a%20\n', 'https://evil.example', '']) {
      const query = `?path=${encodeURIComponent(path)}`
      const { status, json } = await service.call({
        key: owner,
        path: `/api/v1/sandboxes/${sandboxId}/console-session${query}`,
        method: 'POST',
      })
      expect({ path, status, code: json.code }).toEqual({ path, status: 400, code: 'VALIDATION_FAILED' })
    }
  })
})
