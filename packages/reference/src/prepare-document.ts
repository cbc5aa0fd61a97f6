import type { ApiDocument, Operation } from './document.ts'
import { pythonSample } from './python-sample.ts'
import { typeScriptSample } from './type-script-sample.ts'

/** Describes the permitted callers of each operation, and adds samples in TypeScript, JavaScript and Python. */
export function prepareDocument(document: ApiDocument): ApiDocument {
  const paths = Object.entries(document.paths ?? {}).map(([path, methods]) => {
    const operations = Object.entries(methods).map(([method, operation]) => {
      const call = { method, path, operation }
      const source = typeScriptSample(document, call)
      const samples = [
        { lang: 'typescript', label: 'TypeScript', source },
        { lang: 'javascript', label: 'JavaScript', source },
        { lang: 'python', label: 'Python', source: pythonSample(document, call) },
      ]
      return [method, { ...operation, description: described(operation), 'x-codeSamples': samples }]
    })
    return [path, Object.fromEntries(operations)]
  })
  return { ...document, paths: Object.fromEntries(paths) }
}

const described = (operation: Operation): string =>
  [operation.description, accessOf(operation)].filter((part) => part !== undefined).join('\n\n')

function accessOf({ 'x-access': access, 'x-roles': roles }: Operation): string {
  if (access === undefined) return 'Open to everyone.'
  if (access === 'tenant') return 'Needs a token of the sandbox, valid for this building, with any role or none.'
  // The provisioning API has access levels instead of permissions and roles.
  if (roles === undefined) return `Needs the access level \`${access}\`.`
  const holders = roles.length === 0 ? '' : ` Roles with this permission: ${roles.join(', ')}.`
  return `Needs the permission \`${access}\`.${holders}`
}
