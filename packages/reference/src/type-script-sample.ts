import { type ApiDocument, addressOf, type Operation } from './document.ts'
import { exampleOf } from './example-of.ts'

export interface Call {
  method: string
  path: string
  operation: Operation
}

/** A call in TypeScript with `fetch`, which runs in Node, Deno, Bun and browsers. */
export function typeScriptSample(document: ApiDocument, { method, path, operation }: Call): string {
  const address = addressOf(document) + path
  const variables = [...address.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const quoted = variables.length === 0 ? `'${address}'` : `\`${address.replaceAll('{', '${')}\``
  const body = operation.requestBody?.content?.['application/json']?.schema
  const needsToken = operation.security === undefined || operation.security.length > 0
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code of the sample
    ...(needsToken ? ['Authorization: `Bearer ${token}`'] : []),
    ...(body ? ["'Content-Type': 'application/json'"] : []),
  ]
  const init = [
    ...(method === 'get' ? [] : [`  method: '${method.toUpperCase()}',`]),
    ...(headers.length === 0 ? [] : [`  headers: { ${headers.join(', ')} },`]),
    ...(body ? [`  body: JSON.stringify(${indented(exampleOf(document, body))}),`] : []),
  ]
  return [
    ...(needsToken ? ["const token = 'YOUR_SECRET_TOKEN'"] : []),
    ...variables.map((name) => `const ${name} = '…'`),
    '',
    `const response = await fetch(${quoted}${init.length === 0 ? '' : `, {\n${init.join('\n')}\n}`})`,
    // biome-ignore lint/suspicious/noTemplateCurlyInString: it is code of the sample
    'if (!response.ok) throw new Error(`${response.status}: ${await response.text()}`)',
    ...(hasBody(operation) ? ['const result = await response.json()'] : []),
  ]
    .join('\n')
    .trimStart()
}

/** A value as code, indented as an option of `fetch`. */
const indented = (value: unknown): string =>
  JSON.stringify(value, null, 2)
    .replace(/^(\s*)"(\w+)":/gm, '$1$2:')
    .replaceAll('\n', '\n  ')

export const hasBody = ({ responses = {} }: Operation): boolean =>
  Object.entries(responses).some(([status, { content }]) => status.startsWith('2') && content?.['application/json'])
