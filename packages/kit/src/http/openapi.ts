import swagger from '@fastify/swagger'
import { VERSION } from '@storey/contract'
import type { FastifyInstance, FastifySchema } from 'fastify'
import { BODIES, type BodyRule } from './body-rule.ts'
import { addEntityTagHeaders, entityTagsOf } from './openapi-entity-tags.ts'
import { addRefusals } from './openapi-refusals.ts'
import { type ApiDocument, referencePage } from './reference-page.ts'

export interface Described {
  title: string
  description: string
  /** The address at which clients reach this API. Absent: that of the document itself. */
  url?: string
  /** The sections of the document, in their order, with a sentence on each. */
  tags?: Readonly<Record<string, string>>
  rolesThatHold?(access: string): readonly string[] | undefined
}

const MEANINGS: Record<string, string> = {
  200: 'What was asked for',
  201: 'Created',
  202: 'Accepted; the work continues in the background',
  204: 'Done',
}

/** Each good answer with a word on what it means. */
function described(response: unknown): Record<string, unknown> {
  const entries = Object.entries((response ?? {}) as Record<string, object>)
  return Object.fromEntries(
    entries.map(([status, schema]) => [status, { description: MEANINGS[status] ?? 'An answer', ...schema }]),
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

/** A body that may be absent is one whose schema lets it be null; the generator calls every body required. */
function optionalBodies(key: string, value: unknown): unknown {
  if (key !== 'requestBody') return value
  const body = value as { content?: Record<string, { schema?: { type?: unknown } }> }
  const types = Object.values(body.content ?? {}).map(({ schema }) => schema?.type)
  return types.some((type) => Array.isArray(type) && type.includes('null')) ? { ...body, required: false } : body
}

/** `GET /api/v1/sandboxes/:id/connection` is `getSandboxesIdConnection`: clients are generated from these. */
function operationId(method: string, url: string): string {
  const words = url
    .replace(/^\/api(\/v1)?(?=\/)/, '')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  return method.toLowerCase() + words.map((word) => word[0]!.toUpperCase() + word.slice(1)).join('')
}

/** The API's own description, from the same schemas that check its requests, and a page to read it on. */
export async function serveApiDocument(app: FastifyInstance, options: Described): Promise<void> {
  const { title, description, url: server = '/', tags = {} } = options
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title,
        description,
        version: VERSION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } as never,
      },
      servers: [{ url: server }],
      components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } },
    },
    refResolver: { buildLocalReference: (json, _base, _fragment, i) => String(json.$id ?? `schema-${i}`) },
    transform: ({ schema, url, route }) => {
      const told = {
        operationId: operationId(String(route.method), url),
        ...schema,
        ...(route.config?.describedBody === undefined ? {} : { body: route.config.describedBody }),
        response: described(schema?.response),
        // What it can answer besides, from which the refusals of the document are written.
        'x-problems': [...(route.config?.answers ?? [])].sort(),
        ...needs(options, route.config?.access),
        ...takes(route.config?.body),
        ...entityTagsOf(route),
      }
      return { schema: told as FastifySchema, url }
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
  // As bytes: all answers that wait for their readers share them, where a text would be encoded for each.
  let document: Buffer | undefined
  let page: Buffer | undefined
  const hidden = { config: { access: 'public', ignoresQuery: true }, schema: { hide: true } }
  app.get('/api/v1/openapi.json', hidden, async (_request, reply) => {
    document ??= Buffer.from(JSON.stringify(createDocument()))
    return reply.type('application/json').send(document)
  })
  app.get('/docs', hidden, async (_request, reply) => {
    page ??= Buffer.from(referencePage(createDocument()))
    return reply
      .headers({
        'content-security-policy':
          "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
        'x-content-type-options': 'nosniff',
      })
      .type('text/html; charset=utf-8')
      .send(page)
  })
}
