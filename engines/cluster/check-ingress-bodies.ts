import assert from 'node:assert/strict'
import { request } from 'node:https'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Suite } from '../suite.ts'
import type { IngressSandbox, IngressWorld } from './ingress-world.ts'

const MEGABYTE = 1024 * 1024
const MAX_BODY = 10 * MEGABYTE
const CHUNKS = 40
const CHUNK_PAUSE_MS = 100

/** Checks that large and chunked bodies are stored, and that only Storey limits them, not the ingress controller. */
export async function checkIngressBodies(
  suite: Suite,
  world: IngressWorld,
  { connection, host, path, pointId }: IngressSandbox,
): Promise<void> {
  const { apiUrl, token } = connection
  const ingest = `${path}/telemetry/observations`
  let minutesAgo = 60
  function observation(value: string): { text: string; isStored(): Promise<void> } {
    const at = Date.now() - minutesAgo-- * 60_000
    const timestamp = new Date(at).toISOString()
    return {
      text: JSON.stringify({ observations: [{ pointId, value, timestamp }] }),
      async isStored() {
        const range = `from=${timestamp}&to=${new Date(at + 1).toISOString()}`
        const { json } = await world.call(`${apiUrl}${ingest}?pointId=${pointId}&${range}`, { token })
        assert.equal(json.data[0]?.value, value)
      },
    }
  }

  for (const [version, open] of [
    ['HTTP/1.1', world.http1],
    ['HTTP/2', world.http2],
  ] as const) {
    await suite.check(`${version}: a body of 10 MB is stored, and one byte more gets 413 of Storey`, async () => {
      const { text, isStored } = observation('7')
      const client = open()
      const body = text + ' '.repeat(MAX_BODY - text.length)
      const stored = await client.send(host, ingest, { token, body })
      assert.equal(stored.status, 202, stored.body.toString())
      await isStored()
      const refused = await client.send(host, ingest, { token, body: `${body} ` })
      assert.deepEqual([refused.status, refused.json?.code], [413, 'BODY_TOO_LARGE'])
      client.close()
    })
  }
  await suite.check('a chunked body that takes a while is stored', async () => {
    const { text, isStored } = observation('8')
    const answer = new Promise<number>((resolve, reject) => {
      const asked = request(`${apiUrl}${ingest}`, {
        ...{ method: 'POST', agent: world.agent },
        headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      })
      asked.on('error', reject).on('response', (response) => {
        response.resume()
        resolve(response.statusCode!)
      })
      void (async () => {
        for (let i = 0; i < CHUNKS; i++) {
          asked.write(' '.repeat(1_000))
          await sleep(CHUNK_PAUSE_MS)
        }
        asked.end(text)
      })().catch(reject)
    })
    assert.equal(await answer, 202)
    await isStored()
  })
}
