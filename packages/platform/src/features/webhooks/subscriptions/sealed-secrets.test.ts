import { createHmac } from 'node:crypto'
import { sql } from '@storey/kit/database'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Receiver, startReceiver } from '../testing/receiver.ts'
import { startWebhooks, type Webhooks } from '../testing/start-webhooks.ts'
import { createSecretVault } from './secret-vault.ts'
import { newSecret } from './secrets.ts'

let webhooks: Webhooks
let receiver: Receiver
beforeAll(async () => {
  ;[webhooks, receiver] = await Promise.all([startWebhooks(), startReceiver()])
})
afterAll(async () => {
  await Promise.all([webhooks.close(), receiver.close()])
})

const signature = (secret: string, body: Buffer) => createHmac('sha256', secret).update(body).digest('hex')

/** Every row of every table as text, as in a dump. */
async function dump(): Promise<string> {
  const { db } = webhooks.stack
  const tables = await db.rows<{ name: string }>(sql`
    select quote_ident(relname) as name from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace`)
  const texts: string[] = []
  await db.transaction(async (tx) => {
    for (const { name } of tables) {
      const { rows } = await tx.client.query(`select coalesce(string_agg(t::text, ' '), '') as text from ${name} t`)
      texts.push(rows[0].text)
    }
  })
  return texts.join('\n')
}

describe('secrets of webhooks', () => {
  it('[WHK-45] are not readable in the database, and the current and the previous secret sign deliveries', async () => {
    const { id, secret } = await webhooks.subscribe(receiver.url)
    const rotated = (await webhooks.send('POST', `/${id.toUpperCase()}/rotate-secret`)).body.secret
    await webhooks.observe()
    const text = await dump()
    expect(text).toContain(id)
    for (const part of ['whsec_', secret.slice(6), rotated.slice(6)]) expect(text).not.toContain(part)
    const { headers, body } = receiver.received.at(-1)!
    expect(headers['x-svc-signature']).toBe(signature(rotated, body))
    expect(headers['x-svc-signature-previous']).toBe(signature(secret, body))
    expect((await webhooks.read(id)).secret).toBe(`${rotated.slice(0, 8)}…`)
    await webhooks.send('DELETE', `/${id}`)
  })

  it('[WHK-45] are sealed at the next start if an earlier version stored them as text, and still sign deliveries', async () => {
    const { db } = webhooks.stack
    const { id } = await webhooks.subscribe(receiver.url)
    const [secret, previous] = [newSecret(), newSecret()]
    await db.run(sql`update webhooks set secret = ${secret}, previous_secret = ${previous},
      previous_secret_until = ${new Date(webhooks.clock.now().getTime() + 3_600_000)}, sealed_secret = null,
      secret_start = null where id = ${id}`)
    expect(await dump()).toContain(secret)
    const file = sql`select encode(pg_read_binary_file(pg_relation_filepath('webhooks')), 'escape') as bytes`
    const onDisk = async () => {
      await db.run(sql`checkpoint`)
      return (await db.row<{ bytes: string }>(file))!.bytes
    }
    expect(await onDisk()).toContain(secret)
    await db.transaction(async (tx) => {
      // On a server of many sandboxes there is always an open transaction, for which a vacuum would keep the old rows.
      await tx.run(sql`select pg_current_xact_id()`)
      await webhooks.stack.restart()
    })
    expect(await dump()).not.toContain('whsec_')
    expect(await onDisk()).not.toContain(secret)
    expect((await webhooks.read(id)).secret).toBe(`${secret.slice(0, 8)}…`)
    await webhooks.observe()
    const { headers, body } = receiver.received.at(-1)!
    expect(headers['x-svc-signature']).toBe(signature(secret, body))
    expect(headers['x-svc-signature-previous']).toBe(signature(previous, body))
    await webhooks.send('DELETE', `/${id}`)
  })

  it('[WHK-45] sign nothing if they were sealed with another key: attempts fail until the secret is rotated', async () => {
    const { id } = await webhooks.subscribe(receiver.url)
    const other = createSecretVault('b2'.repeat(32)).seal(id, newSecret())
    await webhooks.stack.db.run(sql`update webhooks set sealed_secret = ${other} where id = ${id}`)
    const before = receiver.received.length
    await webhooks.observe()
    expect(receiver.received).toHaveLength(before)
    expect((await webhooks.attempts(id))[0]).toMatchObject({
      status: 'failed',
      error: expect.stringContaining('rotate'),
    })
    const { secret } = (await webhooks.send('POST', `/${id}/rotate-secret`)).body
    await webhooks.observe()
    const { headers, body } = receiver.received.at(-1)!
    expect(headers['x-svc-signature']).toBe(signature(secret, body))
  })

  it('[WHK-45] can be opened for their own webhook only', () => {
    const vault = createSecretVault('c3'.repeat(32))
    const sealedSecret = vault.seal('one', 'whsec_x')
    const rest = { sealedPreviousSecret: null, previousSecretUntil: null }
    expect(
      vault
        .open('one', { sealedSecret, ...rest })!
        .current.whole.export()
        .toString(),
    ).toBe('whsec_x')
    expect(vault.open('two', { sealedSecret, ...rest })).toBeNull()
    expect(vault.open('one', { sealedSecret: null, ...rest })).toBeNull()
  })
})
