import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { PROBLEM_MEDIA_TYPE, Problem, problems } from '@storey/contract'
import { newRequestId } from '@storey/kit/http'

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

/** The same, written to a bare socket, which ends with it. */
export function endWithProblem(socket: Duplex, problem: Problem, requestId: string): void {
  if (socket.destroyed || !socket.writable) return
  const { body, headers } = problemAnswer(problem, requestId)
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  socket.end(`HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}\r\n${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** What the parser of HTTP itself refuses is answered in the same form as everything else. */
export function answerClientErrors(server: Server): void {
  server.on('clientError', (err: NodeJS.ErrnoException, socket) => {
    if (err.code === 'ECONNRESET') return void socket.destroy()
    endWithProblem(socket, parserProblem(err.code), newRequestId())
  })
  server.on('checkExpectation', (_request: IncomingMessage, response: ServerResponse) => {
    const problem = problems.validation([
      { pointer: '/expect', in: 'header', detail: 'expect knows 100-continue only' },
    ])
    const { body, headers } = problemAnswer(problem, newRequestId())
    response.writeHead(problem.status, { ...headers, connection: 'close' }).end(body)
  })
}

function parserProblem(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('HEADERS_TOO_LARGE', 'The headers are larger than 16 KB')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('REQUEST_TIMEOUT', 'The request did not arrive in time')
  return problems.validation([{ pointer: '', in: 'header', detail: 'the request is not well-formed HTTP' }])
}
