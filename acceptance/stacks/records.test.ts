import { beforeAll, describe, expect, it } from 'vitest'
import { call } from '../system/call.ts'
import { api, newDeveloper, newSandbox, systemUrl } from '../system/shared.ts'

// biome-ignore lint/suspicious/noExplicitAny: documents as a client sees them
type Json = any

const EXCEPTIONS = ['sandboxId', 'keyId', 'licenseId', 'deliveryId', 'importId']

describe('records', () => {
  let apiUrl: string
  let record: Json
  let connection: Json
  beforeAll(async () => {
    const created = await newSandbox((await newDeveloper()).key)
    record = created.record
    connection = created.connection
    apiUrl = connection.apiUrl
  })

  it('[ERR-03] have an id, in the field `id` or in one of five other fixed fields', async () => {
    const seen: Record<string, string | undefined> = {}
    for (const base of [systemUrl, apiUrl]) {
      const { json: document } = await call(`${base}/api/v1/openapi.json`)
      for (const [path, { post }] of Object.entries<Json>(document.paths)) {
        const content = (post?.responses[201] ?? post?.responses[202])?.content?.['application/json']
        if (content === undefined) continue
        const { $ref } = content.schema
        const schema = $ref ? document.components.schemas[$ref.split('/').at(-1)] : content.schema
        const fields = Object.keys(schema.properties ?? {})
        seen[path] = ['id', ...EXCEPTIONS].find((name) => fields.includes(name))
      }
    }
    expect(Object.keys(seen).length).toBeGreaterThan(10)
    // Observations and console sessions have no record; a module is identified by its slug.
    const withoutId = Object.keys(seen).filter((path) => seen[path] === undefined)
    expect(withoutId.sort()).toEqual([
      '/api/v1/buildings/{buildingId}/telemetry/observations',
      '/api/v1/registry/modules/ingest',
      '/api/v1/sandboxes/{id}/console-session',
    ])
  })

  it('[HST-03] of a sandbox have the same host for its API and its console', async () => {
    const { host } = new URL(record.apiUrl)
    expect(new URL(record.consoleUrl).host).toBe(host)
    expect(new URL(connection.consoleUrl).host).toBe(host)
    const page = await fetch(`${systemUrl}/`, { headers: { accept: 'text/html' } })
    expect(page.headers.get('content-type')).toContain('text/html')
    expect((await api(undefined, '/config.json')).json.publicUrl).toBe(systemUrl)
  })
})
