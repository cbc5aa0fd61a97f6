/** The parts of an OpenAPI document that the viewer reads. */
export interface ApiDocument {
  info: { title: string; version: string; description?: string }
  servers?: { url: string; description?: string }[]
  paths?: Record<string, Record<string, Operation>>
  components?: { schemas?: Record<string, Schema> }
}

export interface Operation {
  description?: string
  parameters?: { name: string; in: string; required?: boolean; schema?: Schema }[]
  requestBody?: { content?: Record<string, { schema?: Schema }> }
  responses?: Record<string, { content?: Record<string, { schema?: Schema }> }>
  security?: unknown[]
  'x-access'?: string
  'x-roles'?: string[]
  'x-codeSamples'?: { lang: string; label: string; source: string }[]
}

export interface Schema {
  $ref?: string
  type?: string | string[]
  const?: unknown
  enum?: unknown[]
  default?: unknown
  examples?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  format?: string
  minimum?: number
  minItems?: number
}

/** The address in samples is the last of `servers`, because some programs cannot resolve the host name of the first. */
export const addressOf = ({ servers = [] }: ApiDocument): string => (servers.at(-1)?.url ?? '').replace(/\/$/, '')

/** The schema that a reference leads to. */
export function resolve(document: ApiDocument, schema: Schema): Schema {
  const name = schema.$ref?.split('/').pop()
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {})
}
