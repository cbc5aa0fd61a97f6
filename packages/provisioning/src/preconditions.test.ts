import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Directory, Members } from './features/accounts/index.ts'
import { type KeyService, testKeyService } from './testing/key-service.ts'

const ANN = { id: 'ann', roles: ['user'] }
const members = (present = new Set([ANN.id])): Members<never, never, never> => ({
  create: () => Promise.reject(new Error('not in this test')),
  list: async () => [ANN] as never[],
  find: async (_tenantId, id) => (id === ANN.id ? (ANN as never) : undefined),
  remove: async (_tenantId, id) => present.delete(id),
})
const directory: Directory = {
  accounts: members(),
  serviceAccounts: members(),
  people: {} as never,
  openTenant: async () => undefined,
  ownerSession: async () => ({ url: 'http://x/', expiresAt: new Date() }),
  removeTenant: async () => undefined,
}

describe('preconditions of the control plane', () => {
  let service: KeyService
  let session: string
  let sandbox: string
  beforeAll(async () => {
    service = await testKeyService(undefined, { directory })
    session = await service.portal(await service.newOrganization())
    const { sandboxId } = await service.create(session)
    await service.waitWhileProvisioning(session, sandboxId)
    sandbox = `/api/v1/sandboxes/${sandboxId}`
  })
  afterAll(() => service.drop())

  const read = (path: string, headers = {}) => service.call({ key: session, path, headers })
  const send = (method: string, path: string, etag: string, body?: object) =>
    service.call({ key: session, path, method, headers: { 'if-match': etag }, ...(body ? { body } : {}) })
  const versionIn = (etag: unknown) => String(etag).split('.')[0]
  const tagAt = async (path: string) => String((await read(path)).headers.etag)

  it('[PRE-11] allow only one of two extensions that expect the same version', async () => {
    const etag = await tagAt(sandbox)
    expect((await read(sandbox, { 'if-none-match': etag })).status).toBe(304)
    const both = await Promise.all([1, 2].map(() => send('POST', `${sandbox}/extend`, etag, { days: 1 })))
    expect(both.map(({ status }) => status).sort()).toEqual([200, 412])
    const extended = both.find(({ status }) => status === 200)!
    expect(versionIn(extended.headers.etag)).toBe(versionIn(await tagAt(sandbox)))
    expect(extended.json.extensionsRemaining).toBe(1)
  })

  it('[PRE-11] prevent a reset or delete that expects another version of the sandbox, such as the one before a reset', async () => {
    const etag = await tagAt(sandbox)
    expect((await send('POST', `${sandbox}/reset`, '"x.y"')).json).toMatchObject({ code: 'PRECONDITION_FAILED' })
    expect((await send('POST', `${sandbox}/reset`, etag)).status).toBe(202)
    await service.waitWhileProvisioning(session, sandbox.split('/').at(-1)!)
    for (const call of [() => send('POST', `${sandbox}/reset`, etag), () => send('DELETE', sandbox, etag)]) {
      expect((await call()).status).toBe(412)
    }
    expect((await read(sandbox)).json.status).toBe('ready')
    const refused = await send('DELETE', sandbox, 'unquoted')
    expect(refused.json).toMatchObject({ status: 400, errors: [{ pointer: '/if-match', in: 'header' }] })
  })

  it('[PRE-11] apply to accounts, service accounts and keys', async () => {
    for (const kind of ['accounts', 'service-accounts']) {
      const path = `${sandbox}/${kind}/${ANN.id}`
      const etag = await tagAt(path)
      expect((await send('DELETE', path, '"x.y"')).status).toBe(412)
      expect((await send('DELETE', path, etag)).status).toBe(204)
      expect((await send('DELETE', path, etag)).status).toBe(404)
    }
    const minted = await service.mint(session)
    const [key, etag] = [`/api/v1/keys/${minted.json.keyId}`, String(minted.headers.etag)]
    expect(etag).toMatch(/^"[\w-]+\."$/)
    expect((await send('DELETE', key, '"x.y"')).status).toBe(412)
    expect((await send('DELETE', key, etag)).status).toBe(204)
    expect((await send('DELETE', key, etag)).status).toBe(412)
  })

  it('[PRE-05] are accepted by every PATCH, PUT and DELETE', async () => {
    const { paths } = (await read('/api/v1/openapi.json')).json
    const operations = Object.entries<Record<string, { parameters?: { name: string }[] }>>(paths).flatMap(
      ([path, methods]) =>
        Object.entries(methods).map(([method, { parameters = [] }]) => ({ path, method, parameters })),
    )
    const without = operations.filter(
      ({ method, parameters }) =>
        /patch|put|delete/.test(method) && !parameters.some(({ name }) => name === 'If-Match'),
    )
    expect(without).toEqual([])
  })
})
