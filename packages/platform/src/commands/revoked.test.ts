import { uptime } from 'node:os'
import { readMigrations } from '@storey/kit/database'
import { startTestRealm, type TestDatabase, type TestRealm, testDatabase } from '@storey/kit/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from '../migrations.ts'
import { type StackProcess, startProcess } from '../testing/stack-process.ts'
import { serveConfig } from '../testing/test-stack.ts'
import { ORGANIZATION_ID } from '../testing/tokens.ts'

describe('tokens of a removed account', () => {
  let test: TestDatabase
  let realm: TestRealm
  let stack: StackProcess
  beforeAll(async () => {
    test = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
    realm = await startTestRealm('/realms/sandboxes')
  })
  afterEach(async () => {
    stack.child.kill('SIGKILL')
    await stack.ended
  })
  afterAll(async () => {
    await realm.stop()
    await test.drop()
  })

  const tokenOf = (sub: string) => realm.sign({ sub, tenant_id: ORGANIZATION_ID, realm_access: { roles: ['user'] } })

  /** Starts a stack, and returns a function that gives the status of a request with a token. */
  async function serve(changes: object): Promise<(token: string) => Promise<number>> {
    stack = startProcess('serve', serveConfig(test.url, { sandboxesIssuer: realm.issuer, ...changes }))
    const { port } = await stack.waitFor('listening')
    return async (token) => {
      const headers = { authorization: `Bearer ${token}` }
      return (await fetch(`http://127.0.0.1:${port}/api/v1/buildings`, { headers })).status
    }
  }

  it('are refused when the control plane revokes them, and tokens of other accounts are not', async () => {
    const answer = await serve({})
    const [ann, ben] = [await tokenOf('ann'), await tokenOf('ben')]
    expect([await answer(ann), await answer(ben)]).toEqual([200, 200])
    stack.child.send({ type: 'revoked', issuer: realm.issuer, subject: 'ann' })
    stack.child.send({ type: 'revoked', issuer: 'http://another.example', subject: 'ben' })
    await expect.poll(() => answer(ann)).toBe(401)
    expect(await answer(ben)).toBe(200)
  })

  it('[STK-37] are refused even if they were issued after the clock jumped ahead', async () => {
    const clockAnchor = { wallMs: Date.now() - 30 * 60_000, sinceBootMs: uptime() * 1000 }
    const answer = await serve({ clockAnchor })
    const ann = await tokenOf('ann')
    expect(await answer(ann)).toBe(200)
    stack.child.send({ type: 'revoked', issuer: realm.issuer, subject: 'ann' })
    await expect.poll(() => answer(ann)).toBe(401)
  })

  it('are refused from the start if they were revoked while the stack was stopped', async () => {
    const ann = await tokenOf('ann')
    const answer = await serve({ revoked: [{ issuer: realm.issuer, subject: 'ann', at: new Date().toISOString() }] })
    expect([await answer(ann), await answer(await tokenOf('ben'))]).toEqual([401, 200])
  })
})
