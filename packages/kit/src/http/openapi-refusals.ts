import { PROBLEM_MEDIA_TYPE, type ProblemCode } from '@storey/contract'
import type { ApiDocument, ApiResponse } from './reference-page.ts'
import { byStatus } from './route-problems.ts'

const content = { [PROBLEM_MEDIA_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } }

/** Turns `NOT_FOUND` into `NotFound`. */
const inCamelCase = (code: string) =>
  code.toLowerCase().replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase())

/**
 * Adds the error responses to each operation. For each status, the operation refers to a shared response, which is
 * named after the problem codes of the operation with that status.
 */
export function addRefusals(document: ApiDocument): ApiDocument {
  const shared: Record<string, ApiResponse> = {
    Problem: { description: 'Any other problem, as RFC 9457 problem details', content },
  }
  const refer = (name: string) => ({ $ref: `#/components/responses/${name}` })
  for (const methods of Object.values(document.paths ?? {})) {
    for (const operation of Object.values(methods)) {
      const refusals = byStatus(new Set(operation['x-problems'] as ProblemCode[])).map(([status, codes]) => {
        const name = codes.map(inCamelCase).join('Or')
        shared[name] = { description: `A problem with the code ${codes.join(' or ')}`, content }
        return [status, refer(name)] as const
      })
      operation.responses = { ...operation.responses, ...Object.fromEntries(refusals), default: refer('Problem') }
    }
  }
  return { ...document, components: { ...document.components, responses: shared } }
}
