import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { silentLog } from '@storey/kit/log'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { testControlPlane } from '../../testing/control-plane.ts'
import type { Directory, Members } from './directory.ts'

const ISSUER = 'http://localhost:4000/realms/sandboxes'
const DAY_MS = 86_400_000

/** A minimal identity provider that has accounts with these ids and cannot create accounts. */
function membersNamed(present: Set<string>): Members<never, never, never> {
  return {
    create: () => Promise.reject(new Error('not in this test')),
    list: async () => [...present].map((id) => ({ id, roles: [] })) as never[],
    find: async (_tenantId, id) => (present.has(id) ? ({ id, roles: [] } as never) : undefined),
    remove: async (_tenantId, id) => present.delete(id),
  }
}

describe('the removal of an account', () => {
  const [accounts, serviceAccounts] = [new Set(['ann']), new Set(['gateway', 'importer'])]
  const directory: Directory = {
    accounts: membersNamed(accounts),
    serviceAccounts: membersNamed(serviceAccounts),
    people: {} as never,
    openTenant: async () => undefined,
    ownerSession: async () => ({ url: 'http://x/', expiresAt: new Date() }),
    removeTenant: async () => undefined,
  }
  let test: Awaited<ReturnType<typeof testControlPlane>>
  let key: string
  let sandboxId: string
  let host: string
  beforeAll(async () => {
    test = await testControlPlane({}, silentLog, { directory })
    test.config.stack.sandboxesIssuer = ISSUER
    key = await test.newKey()
    const made = await test.create(key)
    sandboxId = made.sandboxId
    host = `${made.slug}.localhost`
    await test.waitWhileProvisioning(key, sandboxId)
  })
  afterAll(() => test.drop())

  const remove = async (member: string, by = key) =>
    (await test.call({ key: by, path: `/api/v1/sandboxes/${sandboxId}/${member}`, method: 'DELETE' })).status
  const reportedRevocations = () => {
    const file = join(test.folder, sandboxId, 'revoked')
    return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []
  }
  const startedWith = async () => {
    const { text } = await test.call({ host, path: '/environment' })
    return JSON.parse(JSON.parse(text).STACK_CONFIG).revoked
  }

  it('is reported to the running stack, and to every stack that starts within a day', async () => {
    await test.restart()
    expect(await remove('accounts/ann')).toBe(204)
    expect(test.runtime.status(sandboxId)).toBe('stopped')
    const at = test.clock.now().toISOString()
    expect(await startedWith()).toEqual([{ issuer: ISSUER, subject: 'ann', at }])
    expect(reportedRevocations()).toEqual([])

    expect(await remove('service-accounts/gateway')).toBe(204)
    await expect.poll(reportedRevocations).toEqual([`${ISSUER} gateway`])
    test.clock.advance(DAY_MS - 1)
    await test.restart()
    expect((await startedWith()).map(({ subject }: { subject: string }) => subject)).toEqual(['ann', 'gateway'])
    test.clock.advance(1)
    await test.restart()
    expect(await startedWith()).toEqual([])
  })

  it('[STK-37] is recorded with the time of the machine’s clock while that clock is ahead of the clock of the service', async () => {
    const ahead = new Date(test.clock.now().getTime() + DAY_MS / 2)
    Object.assign(test.clock, { latest: () => ahead })
    serviceAccounts.add('meter')
    expect(await remove('service-accounts/meter')).toBe(204)
    await test.restart()
    expect(await startedWith()).toEqual([{ issuer: ISSUER, subject: 'meter', at: ahead.toISOString() }])
    Object.assign(test.clock, { latest: undefined })
    test.clock.advance(2 * DAY_MS)
    await test.restart()
  })

  it('is not reported if the account does not exist, or if another developer attempts the removal', async () => {
    const before = reportedRevocations()
    expect(await remove('accounts/nobody')).toBe(404)
    expect(await remove('service-accounts/importer', await test.newKey())).toBe(404)
    expect(await startedWith()).toEqual([])
    expect(reportedRevocations()).toEqual(before)
  })
})
