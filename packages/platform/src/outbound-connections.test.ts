import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { join } from 'node:path'
import { generateBuilding } from '@storey/building'
import { readMigrations } from '@storey/kit/database'
import { startTestRealm, testDatabase } from '@storey/kit/testing'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { afterAll, expect, it } from 'vitest'
import { MIGRATIONS_DIRECTORY } from './migrations.ts'
import { place, seedBuilding } from './seed/seed-building.ts'
import { startSmallNats } from './testing/small-nats.ts'
import { startProcess } from './testing/stack-process.ts'
import { seedRequest, serveConfig } from './testing/test-stack.ts'
import { ORGANIZATION_ID, sandboxToken } from './testing/tokens.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads the OpenAPI document without a schema.
type Json = any

const recorder = new URL('./testing/record-connections.ts', import.meta.url)

const ends: (() => unknown)[] = []
afterAll(async () => {
  for (const end of ends.reverse()) await end()
})

/** A server on loopback, its address, and the number of connections to it. */
async function listening(): Promise<{ address: string; visits(): number }> {
  let visits = 0
  const server = createServer((_request, response) => response.end()).on('connection', () => visits++)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ends.push(() => server.close())
  return { address: `127.0.0.1:${(server.address() as { port: number }).port}`, visits: () => visits }
}

/** A value that fits a schema. Every string in it is a URL, except ids, times and fixed values. */
function valueFor(schema: Json, document: Json, texts: (name: string) => string, name = ''): Json {
  const inner = (part: Json, of = name) => valueFor(part, document, texts, of)
  if (schema.$ref) return inner(document.components.schemas[schema.$ref.split('/').at(-1)])
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  const [choice] = schema.anyOf ?? schema.oneOf ?? []
  if (choice) return inner(choice)
  if (schema.type === 'array') return [inner(schema.items ?? {})]
  if (schema.type === 'integer' || schema.type === 'number') return schema.minimum ?? 1
  if (schema.type === 'boolean') return true
  if (schema.format === 'uuid') return randomUUID()
  if (schema.format === 'date-time') return new Date().toISOString()
  if (schema.type !== 'object') return texts(name)
  const fields = Object.entries<Json>(schema.properties ?? {}).map(([field, part]) => [field, inner(part, field)])
  return Object.fromEntries(fields)
}

it('[STK-12] a stack connects only to its database, bus, identity provider and webhook receivers, whatever is requested', async () => {
  const test = await testDatabase({ migrations: readMigrations(MIGRATIONS_DIRECTORY) })
  ends.push(test.drop)
  const request = seedRequest()
  const { buildingId } = await seedBuilding(test.database, request, () => undefined)
  const pointId = place(request).idOf(generateBuilding(request.building).points[0]!.key)
  const realm = await startTestRealm('/realms/sandboxes')
  const nats = await startSmallNats()
  ends.push(realm.stop, nats.close)
  const [receiver, trap] = [await listening(), await listening()]
  const folder = temporaryFolder('storey-outgoing')
  const record = join(folder, 'record')
  const config = serveConfig(test.url, { sandboxesIssuer: realm.issuer, natsUrls: [nats.url] })
  const stack = startProcess('serve', config, ['--import', `${recorder.href}?to=${encodeURIComponent(record)}`])
  ends.push(async () => {
    stack.child.kill('SIGKILL')
    await stack.ended
  })
  const { port } = await stack.waitFor('listening')
  const token = await sandboxToken()

  const call = (method: string, path: string, body?: Json, authorization = token) =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${authorization}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
  const url = `http://${trap.address}/`
  /** The stack may connect to the URL of a webhook only, so every other text is the URL of the trap. */
  const texts = (name: string) => (name === 'url' ? `http://${receiver.address}/` : url)

  const member = await realm.sign({ tenant_id: ORGANIZATION_ID, realm_access: { roles: ['manager'] } })
  expect((await call('get', '/api/v1/buildings', undefined, member)).status).toBe(200)
  const webhook = { url: `http://${receiver.address}/`, events: ['building.point.updated'] }
  expect((await call('post', '/api/v1/webhooks', webhook)).status).toBe(201)
  const observations = `/api/v1/buildings/${buildingId}/telemetry/observations`
  expect((await call('post', observations, { observations: [{ pointId, value: '1', source: url }] })).status).toBe(202)
  await expect.poll(receiver.visits).toBeGreaterThan(0)
  for (const valueSchema of [{ $ref: url }, { $schema: url, type: 'string' }, { $id: url, type: 'string' }]) {
    const layer = {
      key: `layer-${Math.random().toString(36).slice(2, 8)}`,
      name: 'x',
      valueType: 'STRING',
      valueSchema,
    }
    await (await call('post', `/api/v1/buildings/${buildingId}/data-layers`, layer)).text()
  }

  const document: Json = await (await call('get', '/api/v1/openapi.json')).json()
  const answers: number[] = []
  for (const [path, operations] of Object.entries<Json>(document.paths)) {
    for (const [method, { requestBody, parameters = [] }] of Object.entries<Json>(operations)) {
      const filled = path.replace('{buildingId}', buildingId).replace(/\{\w+\}/g, () => randomUUID())
      const asked = parameters.filter((parameter: Json) => parameter.in === 'query')
      const query = new URLSearchParams(
        asked.map(({ name, schema }: Json) => [name, String(valueFor(schema, document, texts, name))]),
      )
      const schema = requestBody?.content?.['application/json']?.schema
      const body = schema === undefined ? undefined : valueFor(schema, document, texts)
      const answer = await call(method, `${filled}?${query}`, body)
      await answer.text()
      answers.push(answer.status)
    }
  }
  expect(answers.length).toBeGreaterThan(60)
  expect(answers.filter((status) => status < 300).length).toBeGreaterThan(10)
  expect(answers.filter((status) => status >= 500)).toEqual([])

  const connected = new Set(readFileSync(record, 'utf8').trim().split('\n'))
  const database = new URL(test.url)
  expect([...connected].sort()).toEqual(
    [database.host, new URL(realm.issuer).host, `127.0.0.1:${nats.port}`, receiver.address]
      .map((address) => `tcp ${address}`)
      .sort(),
  )
  expect(trap.visits()).toBe(0)
})
