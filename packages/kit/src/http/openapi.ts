import swagger from '@fastify/swagger'
import { VERSION } from '@storey/contract'
import type { FastifyInstance, FastifySchema } from 'fastify'
import Type from 'typebox'
import { type ApiTable, asMarkdown } from './api-tables.ts'
import { BODIES, type BodyRule } from './body-rule.ts'
import { addEntityTagHeaders, entityTagsOf } from './openapi-entity-tags.ts'
import { addRefusals } from './openapi-refusals.ts'
import { type ApiDocument, referencePage, referencePolicy } from './reference-page.ts'

export interface Described {
  title: string
  /** A short description, with which the reference page begins. */
  description: string
  tables?: readonly ApiTable[]
  /** The address of this API for clients. Absent: the origin that serves the document. */
  url?: string
  /** Further addresses of this API. */
  otherServers?: readonly { url: string; description: string }[]
  /** The tags of the document, in order, with a description of each. */
  tags?: Readonly<Record<string, string>>
  rolesThatHold?(access: string): readonly string[] | undefined
  /** The origin of the identity provider, where a visitor of the reference page signs in. */
  signInOrigin?: string
}

const MEANINGS: Record<string, string> = {
  200: 'Success',
  201: 'Created',
  202: 'Accepted',
  204: 'Done',
}

/** Adds a description to each success response. */
function described(response: unknown): Record<string, unknown> {
  const entries = Object.entries((response ?? {}) as Record<string, object>)
  return Object.fromEntries(
    entries.map(([status, schema]) => [status, { description: MEANINGS[status] ?? 'A response', ...schema }]),
  )
}

function needs({ rolesThatHold }: Described, access: string | undefined): Record<string, unknown> {
  if (access === undefined || access === 'public') return { security: [] }
  const roles = rolesThatHold?.(access)
  return { security: [{ bearer: [] }], 'x-access': access, ...(roles ? { 'x-roles': roles } : {}) }
}

function takes(body: BodyRule | undefined): Record<string, unknown> {
  return body === undefined || body === BODIES.none ? {} : { 'x-max-body-bytes': body.maxBytes }
}

/** The header of a compressed body. */
function codings(body: BodyRule | undefined): Record<string, unknown> {
  if (body?.codings === undefined) return {}
  const header = Type.Enum([...body.codings], { description: 'The compression of the body. Absent: none' })
  return { headers: Type.Object({ 'content-encoding': Type.Optional(header) }) }
}

/** Marks bodies whose schema allows null as optional, because the generator marks every body as required. */
function optionalBodies(key: string, value: unknown): unknown {
  if (key !== 'requestBody') return value
  const body = value as { content?: Record<string, { schema?: { type?: unknown } }> }
  const types = Object.values(body.content ?? {}).map(({ schema }) => schema?.type)
  return types.some((type) => Array.isArray(type) && type.includes('null')) ? { ...body, required: false } : body
}

/** `GET /api/v1/sandboxes/:id/connection` becomes `getSandboxesIdConnection`, the method name in generated clients. */
function operationId(method: string, url: string): string {
  const words = url
    .replace(/^\/api(\/v1)?(?=\/)/, '')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
}

/** Serves the OpenAPI document, generated from the schemas that validate requests, and a page that shows it. */
export async function serveApiDocument(app: FastifyInstance, options: Described): Promise<void> {
  const { title, description, tables = [], url: server = '/', otherServers = [], tags = {} } = options
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title,
        description: [description, ...tables.map(asMarkdown)].join('\n\n'),
        version: VERSION,
        // Every installation has an operator of its own, whose address is not known here.
        contact: { name: 'The operator of this service' },
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as never,
      },
      servers: [{ url: server }, ...otherServers],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `schema-${i}`) },
    transform: ({ schema, url, route }) => {
      const documented = {
        operationId: operationId(String(route.method), url),
        ...schema,
        ...(route.config?.describedBody === undefined ? {} : { body: route.config.describedBody }),
        response: described(schema?.response),
        // The problems of the route. `addRefusals` turns them into error responses in the document.
        'x-problems': [...(route.config?.answers ?? [])].sort(),
        ...needs(options, route.config?.access),
        ...takes(route.config?.body),
        ...codings(route.config?.body),
        ...entityTagsOf(route),
      }
      return { schema: documented as FastifySchema, url }
    },
  })
  const createDocument = (): ApiDocument => {
    const written = JSON.parse(JSON.stringify(app.swagger(), optionalBodies)) as ApiDocument
    const used = new Set(
      Object.values(written.paths ?? {}).flatMap((methods) => Object.values(methods).flatMap((one) => one.tags ?? [])),
    )
    const sections = Object.entries(tags).filter(([name]) => used.has(name))
    return addRefusals(
      addEntityTagHeaders({ ...written, tags: sections.map(([name, text]) => ({ name, description: text })) }),
    )
  }
  // Kept as bytes, which all responses share. A string would be encoded for each response.
  let document: Buffer | undefined
  let page: Buffer | undefined
  const hidden = { config: { access: 'public', ignoresQuery: true }, schema: { hide: true } }
  app.get('/api/v1/openapi.json', hidden, async (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(createDocument()))
    return reply.type('application/json').send(document)
  })
  app.get('/docs', hidden, async (_request, reply) => {
    page ??= Buffer.from(referencePage(createDocument(), description, tables))
    return reply
      .headers({
        'content-security-policy': referencePolicy(options.signInOrigin),
        'x-content-type-options': 'nosniff',
      })
      .type('text/html; charset=utf-8')
      .send(page)
  })
}
