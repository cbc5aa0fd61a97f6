import { STATUS_CODES } from 'node:http'
import { PROBLEM_MEDIA_TYPE, type Problem } from '@storey/contract'

/** A problem as body and headers, for responses outside Fastify. */
export function problemAnswer(problem: Problem, requestId: string) {
  const body = problem.toJson(requestId)
  const headers: Record<string, string | number> = {
    ...problem.headers,
    'content-type': PROBLEM_MEDIA_TYPE,
    // Otherwise a cache may keep a 404, and a sandbox that is created later would stay unknown.
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(body),
    'x-request-id': requestId,
  }
  return { body, headers }
}

/** A problem as a raw HTTP message, for a connection that is closed after this message. */
export function problemText(problem: Problem, requestId: string, withBody = true): string {
  const { body, headers } = problemAnswer(problem, requestId)
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  return `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('\r\n')}\r\n\r\n${withBody ? body : ''}`
}
