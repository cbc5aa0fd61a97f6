import type { TestDatabase } from '@storey/kit/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { identityDatabase, type ServedIdentity, serveIdentity } from '../testing/serve.ts'

describe('the people of a sandbox', () => {
  let test: TestDatabase
  let identity: ServedIdentity
  beforeAll(async () => {
    test = await identityDatabase()
    identity = await serveIdentity({ database: test.database })
  })
  afterAll(async () => {
    await identity.stop()
    await test.drop()
  })

  it('[PPL-03] keep an administrator who can sign in, even if the disabled account of the owner has the role', async () => {
    const tenantId = 'org_mall'
    const rules = { check: () => undefined, record: async () => undefined }
    await identity.developers.create({ id: 'dev_owner', email: 'owner@example.com', organizationId: 'org_1' })
    await identity.shellClients.register({ tenantId, clientId: 'shell-mall' })
    await identity.ownerSession({ developerId: 'dev_owner', tenantId, clientId: 'shell-mall' })
    const { id } = await identity.accounts.create({ tenantId, email: 'ann@example.com', roles: ['admin'] })
    const setDisabled = (isDisabled: boolean) =>
      test.database.transaction((tx) => identity.developers.setDisabled(tx, 'dev_owner', isDisabled))

    await setDisabled(true)
    const refusal = { code: 'CONFLICT', message: expect.stringContaining('the last administrator') }
    await expect(identity.people.setRoles(tenantId, id, ['user'], rules)).rejects.toMatchObject(refusal)
    await expect(identity.people.remove(tenantId, id, rules)).rejects.toMatchObject(refusal)
    await setDisabled(false)
    expect(await identity.people.setRoles(tenantId, id, ['user'], rules)).toMatchObject({ roles: ['user'] })
  })
})
