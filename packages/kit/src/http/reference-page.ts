import type { ApiTable } from './api-tables.ts'

interface Schema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  default?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  description?: string
  format?: string
  minimum?: number
  maximum?: number
  minLength?: number
  maxLength?: number
}

export interface ApiOperation {
  summary?: string
  description?: string
  tags?: string[]
  parameters?: { name: string; in: string; required?: boolean; description?: string; schema?: Schema }[]
  requestBody?: { content?: Record<string, { schema?: Schema }> }
  responses?: Record<string, ApiResponse>
  'x-access'?: string
  'x-roles'?: string[]
  'x-problems'?: string[]
}

export interface ApiResponse {
  $ref?: string
  description?: string
  headers?: Record<string, { description: string; schema: Schema }>
  content?: Record<string, { schema?: Schema }>
}

export interface ApiDocument {
  info: { title: string; version: string; description?: string }
  paths?: Record<string, Record<string, ApiOperation>>
  tags?: { name: string; description: string }[]
  components?: { schemas?: Record<string, Schema>; responses?: Record<string, ApiResponse> }
}

/**
 * The reference viewer that the gateway serves. It replaces the plain page, which stays for browsers without scripts
 * and for installations without a built viewer.
 */
const VIEWER = '/docs/reference.js'

/** The content security policy of the page. Inline styles are allowed, since the page and the viewer have some. */
export const referencePolicy = (signInOrigin: string | undefined): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src ${["'self'", signInOrigin].filter(Boolean).join(' ')}`,
    "form-action 'none'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ')

/** Renders the API reference from the document as one page, which loads nothing from other origins. */
export function referencePage(document: ApiDocument, lead: string, tables: readonly ApiTable[]): string {
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
  )
  const byTag = Map.groupBy(operations, ({ operation }) => operation.tags?.[0] ?? 'Other')
  const meaning = new Map(document.tags?.map(({ name, description }) => [name, description]))
  const index = [
    ...[...byTag].map(([tag, list]) => `<li><a href="#${slug(tag)}">${text(tag)}</a> <small>${list.length}</small>`),
    ...[...tables.map(({ title }) => title), 'Records'].map(
      (title) => `<li><a href="#${slug(title)}">${text(title)}</a>`,
    ),
  ]
  const sections = [...byTag].map(
    ([tag, list]) =>
      `<section id="${slug(tag)}"><h2>${text(tag)}</h2><p>${text(meaning.get(tag) ?? '')}</p>${list
        .map(({ path, method, operation }) => renderOperation(document, method, path, operation))
        .join('')}</section>`,
  )
  const records = Object.entries(document.components?.schemas ?? {}).map(
    ([name, schema]) => `<article id="record-${slug(name)}"><h3>${text(name)}</h3>${renderFields(schema)}</article>`,
  )
  const { title, version } = document.info
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${text(title)}</title><link rel="icon" href="/favicon.svg" type="image/svg+xml"><style id="plain-style">${STYLE}</style>
<script type="module" src="${VIEWER}"></script>
<div id="plain"><header><h1>${text(title)} <small>${text(version)}</small></h1><p>${text(lead)}</p>
<p><a href="/api/v1/openapi.json">openapi.json</a></p></header>
<nav aria-label="Sections"><ul>${index.join('')}</ul></nav>
<main>${sections.join('')}${tables.map(renderTable).join('')}<section id="records"><h2>Records</h2>${records.join('')}</section></main></div></html>`
}

function renderTable({ title, intro, columns, rows }: ApiTable): string {
  const cells = rows.map(
    ([first = '', ...rest]) =>
      `<tr><td><code class="f">${text(first)}</code>${rest.map((cell) => `<td>${text(cell)}`).join('')}`,
  )
  return `<section id="${slug(title)}"><h2>${text(title)}</h2><p>${text(intro)}</p><table><thead><tr>${columns
    .map((column) => `<th>${text(column)}`)
    .join('')}</thead><tbody>${cells.join('')}</tbody></table></section>`
}

function renderOperation(document: ApiDocument, method: string, path: string, operation: ApiOperation): string {
  const parameters = (operation.parameters ?? []).map((p) =>
    row(p.name, `${p.in}, ${describeType(p.schema)}`, p.required, p.description ?? p.schema?.description),
  )
  const body = operation.requestBody?.content?.['application/json']?.schema
  const responses = Object.entries(operation.responses ?? {}).map(([status, answer]) => {
    const shared = answer.$ref && document.components?.responses?.[answer.$ref.split('/').pop()!]
    const response = shared || answer
    const schema = Object.values(response.content ?? {})[0]?.schema
    return `<li><code>${status}</code> ${text(response.description ?? '')} ${schema ? describeType(schema) : ''}`
  })
  return `<article><h3><code class="m ${method}">${method}</code> <code>${text(path)}</code></h3>
<p>${text(operation.summary ?? '')}</p>${operation.description ? `<p>${text(operation.description)}</p>` : ''}
<p>${renderAccess(operation)}</p>
${parameters.length > 0 ? `<h4>Parameters</h4>${table(parameters)}` : ''}
${body ? `<h4>Body</h4>${renderFields(body)}` : ''}
<h4>Responses</h4><ul>${responses.join('')}</ul></article>`
}

function renderAccess({ 'x-access': access, 'x-roles': roles }: ApiOperation): string {
  if (access === undefined) return 'Open to everyone'
  if (access === 'tenant') return 'Needs a token of the sandbox, valid for this building, with any role or none'
  if (!roles) return `Needs the access level <code>${text(access)}</code>`
  return `Needs the permission <code>${text(access)}</code>. Roles with this permission: ${roles.map(text).join(', ')}`
}

function renderFields(schema: Schema): string {
  if (!schema.properties) return `<p>${describeType(schema)}</p>`
  const rows = Object.entries(schema.properties).map(([name, field]) =>
    row(name, describeType(field), schema.required?.includes(name), field.description),
  )
  return table(rows)
}

function describeType(schema: Schema | undefined): string {
  if (!schema) return 'any'
  if (schema.$ref) {
    const name = schema.$ref.split('/').pop()!
    return `<a href="#record-${slug(name)}">${text(name)}</a>`
  }
  if (schema.enum) {
    const values = schema.enum.map((value) => `<code>${text(String(value))}</code>`).join(' ')
    return schema.default === undefined ? values : `${values}, default ${text(String(schema.default))}`
  }
  if (schema.anyOf) return schema.anyOf.map(describeType).join(' or ')
  if (schema.type === 'array') return `array of ${describeType(schema.items)}`
  if (schema.properties)
    return `{ ${Object.entries(schema.properties)
      .map(([k, v]) => `${text(k)}: ${describeType(v)}`)
      .join(', ')} }`
  const defaultText = schema.default === undefined ? '' : `default ${String(schema.default)}`
  return text([String(schema.type ?? 'any'), schema.format, bounds(schema), defaultText].filter(Boolean).join(', '))
}

function bounds({ minimum, maximum, minLength, maxLength }: Schema): string {
  const [low, high] = minLength === undefined && maxLength === undefined ? [minimum, maximum] : [minLength, maxLength]
  if (low === undefined && high === undefined) return ''
  return high === undefined || high === Number.MAX_SAFE_INTEGER ? `from ${low}` : `${low ?? ''} to ${high}`
}

const table = (rows: string[]) =>
  `<table><thead><tr><th>Field<th>Type<th>Meaning</thead><tbody>${rows.join('')}</tbody></table>`
const row = (name: string, type: string, required?: boolean, description = '') =>
  `<tr><td><code class="f">${text(name)}</code>${required ? ' <b>required</b>' : ''}<td>${type}<td>${text(description)}`
const slug = (name: string) => name.toLowerCase().replace(/[^a-z0-9]+/g, '-')
const text = (raw: string) => raw.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`)

const STYLE = `
:root{color-scheme:light dark;--line:color-mix(in srgb,currentColor 18%,transparent)}
body{margin:0}#plain{font:16px/1.5 system-ui,sans-serif;margin:0 auto;max-width:68rem;padding:1.5rem;display:grid;grid-template-columns:12rem 1fr;gap:0 2rem}
#plain header{grid-column:1/-1;border-bottom:1px solid var(--line)}
nav{position:sticky;top:0;align-self:start;padding-top:1rem}nav ul{list-style:none;padding:0}
main{min-width:0}article{border:1px solid var(--line);border-radius:.5rem;padding:0 1rem .5rem;margin:1rem 0}
h1 small,nav small{opacity:.6;font-weight:400}h4{margin:.75rem 0 .25rem}
code{font:14px ui-monospace,monospace;overflow-wrap:anywhere}.f{overflow-wrap:normal}.m{padding:.15rem .5rem;border-radius:.3rem;border:1px solid;font-weight:700}
.GET{color:#0a7d4f}.POST{color:#1558c0}.PATCH,.PUT{color:#9a5b00}.DELETE{color:#b3261e}
table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;padding:.3rem .5rem;border-top:1px solid var(--line)}
@media(prefers-color-scheme:dark){.GET{color:#5fd3a2}.POST{color:#8ab4f8}.PATCH,.PUT{color:#f0b35a}.DELETE{color:#f28b82}a{color:#8ab4f8}}
@media(max-width:48rem){#plain{display:block}nav{position:static}}
@media(scripting:enabled){#plain{visibility:hidden;box-sizing:border-box;max-height:100vh;overflow:hidden;animation:show 0s 8s forwards}}
@keyframes show{to{visibility:visible;max-height:none;overflow:visible}}
`
