import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { redocly } from './redocly.ts'
import { schemaViolations } from './schemas.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document with any defect.
type Document = any

/** A document without violations. */
const complete = (): Document => ({
  openapi: '3.1.0',
  info: {
    ...{ title: 'Rooms', description: 'Rooms of a building', version: '1' },
    contact: { name: 'The operator' },
    license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
  },
  servers: [{ url: '/' }],
  tags: [{ name: 'Rooms', description: 'What is inside of walls' }],
  components: {
    securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    schemas: {
      Room: {
        type: 'object',
        properties: {
          doors: { type: 'array', items: { type: 'string' } },
          floor: { type: 'integer', default: 1 },
          use: { type: 'string', enum: ['office', 'shop'] },
        },
      },
    },
  },
  paths: {
    '/rooms/{id}': {
      get: {
        ...{ operationId: 'getRoom', summary: 'Read a room', description: 'Returns the room.', tags: ['Rooms'] },
        security: [{ bearer: [] }],
        parameters: [{ name: 'id', in: 'path', required: true, description: 'The id', schema: { type: 'string' } }],
        responses: {
          200: {
            description: 'Success',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Room' }, example: { floor: 1 } } },
          },
          ...Object.fromEntries([400, 500, 503].map((status) => [status, { description: 'A problem' }])),
        },
      },
    },
  },
})

const path = '/rooms/{id}'
const operation = (document: Document) => document.paths[path].get
const id = (document: Document) => operation(document).parameters[0]
const ok = (document: Document) => operation(document).responses[200]
const media = (document: Document) => ok(document).content['application/json']
const fields = (document: Document) => document.components.schemas.Room.properties
function move(document: Document, to: string): void {
  document.paths = { [to]: document.paths[path] }
}

type Row = [spectral: string, rule: string, damage: (document: Document) => unknown]

/**
 * The rules of Spectral for OpenAPI 3.1, each with the rule of Redocly's tool that reports the same, and a defect. The
 * names of our own rules begin with `rule/`.
 */
const ROWS: Row[] = [
  ['operation-success-response', 'operation-2xx-response', (d) => delete operation(d).responses[200]],
  [
    'operation-operationId-unique',
    'operation-operationId-unique',
    (d) => Object.assign(d.paths, { '/other': { get: { ...operation(d), parameters: [] } } }),
  ],
  ['operation-parameters', 'operation-parameters-unique', (d) => operation(d).parameters.push(id(d))],
  ['operation-tag-defined', 'operation-tag-defined', (d) => Object.assign(operation(d), { tags: ['Doors'] })],
  ['path-params', 'path-parameters-defined', (d) => delete operation(d).parameters],
  ['path-params', 'path-parameters-defined', (d) => operation(d).parameters.push({ ...id(d), name: 'other' })],
  ['path-params', 'rule/path-parameter-required', (d) => delete id(d).required],
  ['path-params', 'rule/path-parameter-required', (d) => Object.assign(id(d), { required: false })],
  ['path-params', 'rule/path-parameter-once', (d) => move(d, '/rooms/{id}/{id}')],
  [
    'path-params',
    'no-identical-paths',
    (d) => Object.assign(d.paths, { '/rooms/{x}': { get: { ...operation(d), operationId: 'x' } } }),
  ],
  ['duplicated-entry-in-enum', 'no-duplicated-enum-values', (d) => fields(d).use.enum.push('office')],
  ['info-contact', 'info-contact', (d) => delete d.info.contact],
  ['info-description', 'rule/info-description', (d) => delete d.info.description],
  ['info-description', 'rule/info-description', (d) => Object.assign(d.info, { description: '' })],
  ['info-license', 'info-license', (d) => delete d.info.license],
  ['license-url', 'info-license-strict', (d) => delete d.info.license.identifier],
  ['no-eval-in-markdown', 'rule/no-eval', (d) => Object.assign(operation(d), { description: 'eval(1)' })],
  ['no-eval-in-markdown', 'rule/no-eval', (d) => Object.assign(fields(d).use, { title: 'eval(1)' })],
  ['no-script-tags-in-markdown', 'no-unsafe-markdown', (d) => Object.assign(id(d), { description: '<script>' })],
  ['no-script-tags-in-markdown', 'rule/no-script-in-title', (d) => Object.assign(fields(d).use, { title: '<script>' })],
  ['openapi-tags-uniqueness', 'no-duplicated-tag-names', (d) => d.tags.push(d.tags[0])],
  ['openapi-tags', 'operation-tag-defined', (d) => delete d.tags],
  ['operation-description', 'operation-description', (d) => Object.assign(operation(d), { description: '' })],
  ['operation-operationId', 'operation-operationId', (d) => delete operation(d).operationId],
  [
    'operation-operationId-valid-in-url',
    'operation-operationId-url-safe',
    (d) => Object.assign(operation(d), { operationId: 'get room' }),
  ],
  ['operation-singular-tag', 'operation-singular-tag', (d) => operation(d).tags.push('Rooms')],
  ['operation-tags', 'operation-tag-defined', (d) => delete operation(d).tags],
  ['operation-tags', 'rule/operation-tags', (d) => Object.assign(operation(d), { tags: [] })],
  ['path-declarations-must-exist', 'path-declaration-must-exist', (d) => move(d, '/rooms/{}')],
  ['path-keys-no-trailing-slash', 'no-path-trailing-slash', (d) => move(d, '/rooms/{id}/')],
  ['path-not-include-query', 'path-not-include-query', (d) => move(d, '/rooms/{id}?all=true')],
  ['tag-description', 'tag-description', (d) => delete d.tags[0].description],
  ['typed-enum', 'no-enum-type-mismatch', (d) => fields(d).use.enum.push(1)],
  ['oas3-api-servers', 'no-empty-servers', (d) => Object.assign(d, { servers: [] })],
  [
    'oas3-examples-value-or-externalValue',
    'no-example-value-and-externalValue',
    (d) => Object.assign(id(d), { examples: { x: { value: 'x', externalValue: 'http://localhost/x' } } }),
  ],
  [
    'oas3-examples-value-or-externalValue',
    'rule/example-value',
    (d) => Object.assign(id(d), { examples: { x: { summary: 'x' } } }),
  ],
  [
    'oas3-operation-security-defined',
    'security-defined',
    (d) => Object.assign(operation(d), { security: [{ x: [] }] }),
  ],
  ['oas3-parameter-description', 'parameter-description', (d) => delete id(d).description],
  ['oas3-parameter-description', 'parameter-description', (d) => Object.assign(id(d), { description: '' })],
  [
    'oas3-server-not-example.com',
    'no-server-example.com',
    (d) => Object.assign(d.servers[0], { url: '//example.com' }),
  ],
  ['oas3-server-trailing-slash', 'no-server-trailing-slash', (d) => Object.assign(d.servers[0], { url: '//x.org/' })],
  ['oas3-server-variables', 'no-undefined-server-variable', (d) => Object.assign(d.servers[0], { url: '//{x}.org' })],
  [
    'oas3-valid-media-example',
    'no-invalid-media-type-examples',
    (d) => Object.assign(media(d).example, { floor: 'x' }),
  ],
  ['oas3-valid-media-example', 'no-invalid-parameter-examples', (d) => Object.assign(id(d), { example: 1 })],
  [
    'oas3-valid-media-example',
    'rule/no-header-example',
    (d) => Object.assign(ok(d), { headers: { Age: { schema: { type: 'integer' }, example: 'x' } } }),
  ],
  ['oas3-valid-schema-example', 'no-invalid-schema-examples', (d) => Object.assign(fields(d).floor, { example: 'x' })],
  ['oas3-schema', 'struct', (d) => delete ok(d).description],
  ['oas3-unused-component', 'no-unused-components', (d) => Object.assign(d.components.schemas, { Door: {} })],
]

describe('the rules for the API documents', () => {
  it('[ERR-33] report what the rules of Spectral report', () => {
    const folder = temporaryFolder('storey-api-rules')
    const write = (name: string, damage: Row[2]) => {
      const document = complete()
      damage(document)
      const file = join(folder, `${name}.json`)
      writeFileSync(file, JSON.stringify(document))
      return file
    }
    const files = [write('complete', () => undefined), ...ROWS.map(([, , damage], i) => write(String(i), damage))]
    const { stdout } = redocly('lint', '--config=scripts/api/redocly.yaml', '--format=json', ...files)
    // The tool writes an object for each file, one after the other.
    const results: { problems: { ruleId: string; location: { source: { ref: string } }[] }[] }[] = JSON.parse(
      `[${stdout.trim().replaceAll(/^\}\{$/gm, '},{')}]`,
    )
    const reported = Map.groupBy(
      results.flatMap(({ problems }) => problems),
      ({ location }) => basename(location[0]!.source.ref, '.json'),
    )
    const missed = ROWS.filter(([, rule], i) => !reported.get(String(i))?.some(({ ruleId }) => ruleId === rule))
    expect(missed.map(([spectral, rule]) => `${spectral}: ${rule}`)).toEqual([])
    expect(reported.get('complete') ?? []).toEqual([])
  }, 60_000)

  it('[ERR-33] report defaults that their schema refuses, and arrays without items', () => {
    expect(schemaViolations(complete())).toEqual([])
    const violations = (damage: (document: Document) => unknown) => {
      const document = complete()
      damage(document)
      return schemaViolations(document)
    }
    const at = '#/components/schemas/Room/properties'
    expect(violations((d) => Object.assign(fields(d).floor, { maximum: 0 }))).toEqual([
      `${at}/floor/default: the body must be <= 0`,
    ])
    expect(violations((d) => Object.assign(fields(d).use, { default: 'home' }))).toEqual([
      `${at}/use/default: the body must be one of office, shop`,
    ])
    expect(violations((d) => delete fields(d).doors.items)).toEqual([`${at}/doors is an array without items`])
    expect(violations((d) => Object.assign(fields(d).doors, { type: ['array', 'null'], items: undefined }))).toEqual([
      `${at}/doors is an array without items`,
    ])
    // Names of fields and statuses, not keywords of a schema.
    expect(violations((d) => Object.assign(fields(d), { default: { type: 'string' }, type: { enum: [1] } }))).toEqual(
      [],
    )
    expect(violations((d) => Object.assign(operation(d).responses, { default: { description: 'Other' } }))).toEqual([])
  })
})
