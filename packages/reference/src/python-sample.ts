import { type ApiDocument, addressOf } from './document.ts'
import { exampleOf } from './example-of.ts'
import { type Call, hasBody } from './type-script-sample.ts'

/** The source code of a call in Python. It uses only the standard library. */
export function pythonSample(document: ApiDocument, { method, path, operation }: Call): string {
  const address = addressOf(document) + path
  const variables = [...address.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
  const body = operation.requestBody?.content?.['application/json']?.schema
  const needsToken = operation.security === undefined || operation.security.length > 0
  const hasAnswer = hasBody(operation)
  const headers = [
    ...(needsToken ? ['"Authorization": f"Bearer {token}"'] : []),
    ...(body ? ['"Content-Type": "application/json"'] : []),
  ]
  return [
    ...(body || hasAnswer ? ['import json'] : []),
    'import urllib.request',
    '',
    ...(needsToken ? ['token = "YOUR_SECRET_TOKEN"'] : []),
    ...variables.map((name) => `${name} = "…"`),
    ...(needsToken || variables.length > 0 ? [''] : []),
    'request = urllib.request.Request(',
    `    ${variables.length === 0 ? '' : 'f'}"${address}",`,
    `    method="${method.toUpperCase()}",`,
    ...(headers.length === 0 ? [] : [`    headers={${headers.join(', ')}},`]),
    ...(body ? [`    data=json.dumps(${pythonValue(exampleOf(document, body), 1)}).encode(),`] : []),
    ')',
    'with urllib.request.urlopen(request) as response:',
    ...(hasAnswer ? ['    result = json.load(response)', 'print(result)'] : ['    print(response.status)']),
  ].join('\n')
}

function pythonValue(value: unknown, depth: number): string {
  if (value === null || value === undefined) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const items = Array.isArray(value)
    ? value.map((one) => pythonValue(one, depth + 1))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${pythonValue(one, depth + 1)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  if (items.length === 0) return `${open}${close}`
  const indent = '    '.repeat(depth)
  return `${open}\n${items.map((item) => `${indent}    ${item},\n`).join('')}${indent}${close}`
}
