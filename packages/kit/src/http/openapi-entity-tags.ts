import type { RouteOptions } from 'fastify'
import type { ApiDocument, ApiOperation } from './reference-page.ts'

/** A field of an operation: how the operation uses entity tags. `addEntityTagHeaders` turns the field into headers. */
const MARK = 'x-entity-tags'

type Use = 'reads' | 'creates' | 'changes'

export function entityTagsOf({ method, config }: Pick<RouteOptions, 'method' | 'config'>): Record<string, Use> {
  const isRead = [method].flat().every((name) => name === 'GET' || name === 'HEAD')
  if (isRead && (config?.record || config?.revalidates)) return { [MARK]: 'reads' }
  if (config?.newRecord) return { [MARK]: 'creates' }
  return config?.record ? { [MARK]: 'changes' } : {}
}

const etag = { description: 'The entity tag of this response', schema: { type: 'string' } }

const parameter = (name: string, description: string) => ({
  ...({ name, in: 'header', required: false, description } as const),
  schema: { type: 'string' },
})
const IF_MATCH = parameter(
  'If-Match',
  'Entity tags of the record, or *. If none of them matches its current version, nothing is changed and the response is 412.',
)
const IF_NONE_MATCH = parameter(
  'If-None-Match',
  'Entity tags of earlier responses. If one still matches, the response is 304.',
)

/** Adds If-Match, If-None-Match, ETag and 304 to the document. */
export function addEntityTagHeaders(document: ApiDocument): ApiDocument {
  for (const methods of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(methods)) describe(operation)
  }
  return document
}

function describe(operation: ApiOperation & { [MARK]?: Use }): void {
  const use = operation[MARK]
  delete operation[MARK]
  if (use === undefined) return
  const responses = operation.responses ?? {}
  for (const [status, response] of Object.entries(responses)) {
    if (/^20[012]$/.test(status)) response.headers = { ...response.headers, ETag: etag }
  }
  if (use === 'creates') return
  operation.parameters = [...(operation.parameters ?? []), use === 'reads' ? IF_NONE_MATCH : IF_MATCH]
  if (use === 'reads') {
    operation.responses = {
      ...responses,
      304: { description: 'The client has this response already', headers: { ETag: etag } },
    }
  }
}
