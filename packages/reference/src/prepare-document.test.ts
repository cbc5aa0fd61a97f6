import { expect, it } from 'vitest'
import type { ApiDocument } from './document.ts'
import { prepareDocument } from './prepare-document.ts'

const document: ApiDocument = {
  info: { title: 'An API', version: '1' },
  servers: [{ url: 'http://tower.localhost:4000/' }],
  paths: {
    '/api/v1/healthz': { get: { security: [] } },
    '/api/v1/rooms/{id}': {
      patch: {
        description: 'Changes a room.',
        'x-access': 'graph:write',
        'x-roles': ['manager', 'admin'],
        requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Room' } } } },
        responses: { 200: { content: { 'application/json': {} } } },
      },
    },
  },
  components: {
    schemas: {
      Room: {
        type: 'object',
        required: ['name', 'tags', 'kind', 'since', 'floor'],
        properties: {
          name: { type: 'string' },
          note: { type: 'string' },
          tags: { type: 'array', items: { type: 'string' } },
          kind: { enum: ['office', 'hall'] },
          since: { anyOf: [{ type: 'null' }, { type: 'string', format: 'date' }] },
          floor: { type: ['integer', 'null'], minimum: 0 },
        },
      },
    },
  },
}

const samplesOf = (path: string, method: string, described = document) =>
  Object.fromEntries(
    prepareDocument(described).paths![path]![method]!['x-codeSamples']!.map(({ label, source }) => [label, source]),
  )
const sampleOf = (path: string, method: string) => samplesOf(path, method).TypeScript

it('adds a call in TypeScript with an example of the required fields', () => {
  expect(sampleOf('/api/v1/rooms/{id}', 'patch')).toBe(`const token = 'YOUR_SECRET_TOKEN'
const id = '…'

const response = await fetch(\`http://tower.localhost:4000/api/v1/rooms/\${id}\`, {
  method: 'PATCH',
  headers: { Authorization: \`Bearer \${token}\`, 'Content-Type': 'application/json' },
  body: JSON.stringify({
    name: "text",
    tags: [
      "text"
    ],
    kind: "office",
    since: "2026-11-16",
    floor: 0
  }),
})
if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`)
const result = await response.json()`)
})

it('adds no token to a call that needs none', () => {
  expect(
    sampleOf('/api/v1/healthz', 'get'),
  ).toBe(`const response = await fetch('http://tower.localhost:4000/api/v1/healthz')
if (!response.ok) throw new Error(\`\${response.status}: \${await response.text()}\`)`)
})

it('adds a call in Python that needs only the standard library of Python', () => {
  expect(samplesOf('/api/v1/rooms/{id}', 'patch').Python).toBe(`import json
import urllib.request

token = "YOUR_SECRET_TOKEN"
id = "…"

request = urllib.request.Request(
    f"http://tower.localhost:4000/api/v1/rooms/{id}",
    method="PATCH",
    headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
    data=json.dumps({
        "name": "text",
        "tags": [
            "text",
        ],
        "kind": "office",
        "since": "2026-11-16",
        "floor": 0,
    }).encode(),
)
with urllib.request.urlopen(request) as response:
    result = json.load(response)
print(result)`)
  expect(samplesOf('/api/v1/healthz', 'get').Python).toBe(`import urllib.request

request = urllib.request.Request(
    "http://tower.localhost:4000/api/v1/healthz",
    method="GET",
)
with urllib.request.urlopen(request) as response:
    print(response.status)`)
})

it('adds samples that call the address that every program can resolve', () => {
  const servers = [...document.servers!, { url: 'http://localhost:4000/s/tower' }]
  const samples = samplesOf('/api/v1/healthz', 'get', { ...document, servers })
  expect(Object.keys(samples)).toEqual(['TypeScript', 'JavaScript', 'Python'])
  for (const source of Object.values(samples))
    expect(source).toMatch(/["']http:\/\/localhost:4000\/s\/tower\/api\/v1\/healthz["']/)
})

it('ends each description with a sentence about who can call the operation', () => {
  const { paths } = prepareDocument(document)
  expect(paths!['/api/v1/rooms/{id}']!.patch!.description).toBe(
    'Changes a room.\n\nNeeds the permission `graph:write`. Roles with this permission: manager, admin.',
  )
  expect(paths!['/api/v1/healthz']!.get!.description).toBe('Open to everyone.')
})
