import { BASE62, keyText } from '@storey/contract'
import { sql } from '@storey/kit/database'
import { randomText } from '@storey/kit/secrets'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type KeyService, testKeyService } from '../../testing/key-service.ts'

describe('[AUD-07, KEY-02] the text of a key', () => {
  let service: KeyService
  const logged: string[] = []
  beforeAll(async () => {
    service = await testKeyService(pino({ level: 'trace' }, { write: (line: string) => logged.push(line) }))
  })
  afterAll(() => service.drop())

  it('is in no log, response or audit row, whether the key is accepted or refused', async () => {
    const org = await service.newOrganization()
    const session = await service.portal(org)
    const mint = async () => (await service.mint(session, { scope: 'full', expiresInDays: 1 })).json
    const [revoked, expired] = [await mint(), await mint()]
    await service.revoke(session, revoked.keyId)
    service.clock.advance(2 * 86_400_000)
    const publish = (await service.operatorKey(org, 'publish')).plaintext
    const good = (await service.operatorKey(org, 'full')).plaintext
    const unknown = keyText(randomText(BASE62, 40))
    const typo = `${unknown.slice(0, -1)}${unknown.endsWith('0') ? '1' : '0'}`

    const texts = [revoked.plaintext, expired.plaintext, publish, good, unknown, typo]
    const answers: string[] = []
    for (const key of texts) {
      for (const call of [
        { path: '/api/v1/sandboxes' },
        { path: '/api/v1/keys' },
        { path: '/api/v1/keys', body: { label: 'x' } },
        { path: '/api/v1/keys/audit' },
        { path: `/api/v1/keys/${key}`, method: 'DELETE' },
        { path: '/api/v1/sandboxes?limit=x', headers: { 'user-agent': `tool (${key})`, 'x-forwarded-for': key } },
        { path: '/nowhere' },
      ]) {
        const { text, headers } = await service.call({ key, ...call })
        answers.push(text, JSON.stringify(headers))
      }
    }
    // Without the table, the check of a key fails with an internal error.
    await service.control.run(sql`alter table api_keys rename to mislaid`)
    for (const key of texts) answers.push((await service.call({ key, path: '/api/v1/sandboxes' })).text)
    await service.control.run(sql`alter table mislaid rename to api_keys`)
    expect(logged.join('')).toContain('request failed')

    await service.stop()
    const tables = await service.control.rows<{ text: string }>(
      sql`select key_audit::text as text from key_audit union all select api_keys::text from api_keys`,
    )
    await service.start()
    expect(tables.length).toBeGreaterThan(30)
    const everything = [...logged, ...answers, ...tables.map((row) => row.text)].join('\n')
    for (const text of texts) expect(everything).not.toContain(text.slice(4, -6))
  })
})
