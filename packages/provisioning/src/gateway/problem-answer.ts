import { STATUS_CODES } from 'node:http'
import { PROBLEM_MEDIA_TYPE, type Problem } from '@storey/contract'

/** A problem as an answer, where no framework stands between. */
export function problemAnswer(problem: Problem, requestId: string) {
  const body = problem.toJson(requestId)
  const headers: Record<string, string | number> = {
    ...problem.headers,
    'content-type': PROBLEM_MEDIA_TYPE,
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
  }
  return { body, headers }
}

/** The same as bytes, for a connection that ends with it. */
export function problemText(problem: Problem, requestId: string, withBody = true): string {
  const { body, headers } = problemAnswer(problem, requestId)
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('\r\n')}\r\n\r\n${withBody ? body : ''}`
}
