import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KeyService, testKeyService } from '../../testing/key-service.ts'

describe('a revocation', () => {
  let service: KeyService
  beforeAll(async () => {
    service = await testKeyService()
  })
  afterAll(() => service.drop())

  it('[KEY-21] takes effect at once: no request that begins after the response to the revocation succeeds, even under load', async () => {
    const session = await service.portal(await service.newOrganization())
    const { keyId, plaintext } = (await service.mint(session)).json
    const seen: { begunAfter: boolean; status: number }[] = []
    let revoked = false
    const until = () => seen.filter((one) => one.begunAfter).length >= 200
    const worker = async () => {
      while (!until()) {
        const begunAfter = revoked
        const { status } = await service.call({ key: plaintext, path: '/api/v1/sandboxes' })
        seen.push({ begunAfter, status })
      }
    }
    const flood = Promise.all(Array.from({ length: 24 }, worker))
    await expect.poll(() => seen.length).toBeGreaterThan(100)
    expect((await service.revoke(session, keyId)).status).toBe(204)
    revoked = true
    await flood
    expect(seen.filter((one) => !one.begunAfter && one.status === 200).length).toBeGreaterThan(50)
    expect(new Set(seen.filter((one) => one.begunAfter).map((one) => one.status))).toEqual(new Set([401]))
  })

  it('[KEY-16] of a key with the scope full can be requested with the key itself', async () => {
    const org = await service.newOrganization()
    const { key, plaintext } = await service.operatorKey(org, 'full')
    expect((await service.revoke(plaintext, key.id)).status).toBe(204)
    expect((await service.revoke(plaintext, key.id)).json.code).toBe('KEY_REVOKED')
    const [row] = (await service.rows(org)).filter((one) => one.action === 'key.revoked')
    expect(row).toMatchObject({ keyId: key.id, actor: key.id, outcome: 'allowed', status: 204 })
  })

  it('[AUD-03] that is repeated concurrently writes one audit row', async () => {
    const org = await service.newOrganization()
    const session = await service.portal(org)
    const { keyId } = (await service.mint(session)).json
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.revoke(session, keyId)))
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(204))
    expect((await service.rows(org)).filter((row) => row.action === 'key.revoked')).toHaveLength(1)
  })
})
