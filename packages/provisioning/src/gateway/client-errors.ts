import type { IncomingMessage, Server } from 'node:http'
import type { Duplex } from 'node:stream'
import { Problem, problems } from '@storey/contract'
import type { Connection } from './connection.ts'

/**
 * Answers with a problem, and closes the connection, if a request is malformed, too large or too slow, expects
 * something other than 100 Continue, or is a CONNECT.
 */
export function answerClientErrors(server: Server, connectionOf: (socket: Duplex) => Connection | undefined): void {
  function refuse(socket: Duplex, problem: Problem): void {
    connectionOf(socket)?.refuse(problem)
  }

  server.on('clientError', (err: NodeJS.ErrnoException, socket) => {
    if (err.code === 'ECONNRESET') return void socket.destroy()
    if (err.code === 'ERR_HTTP_REQUEST_TIMEOUT' && connectionOf(socket)?.isWaitingForNext) return
    refuse(socket, parserProblem(err.code))
  })
  server.on('checkExpectation', ({ socket }: IncomingMessage) => {
    refuse(socket, header('/expect', 'expect must be 100-continue'))
  })
  server.on('connect', (_request: IncomingMessage, socket) => {
    refuse(socket, header('', 'CONNECT is not supported'))
  })
}

const header = (pointer: string, detail: string) => problems.validation([{ pointer, in: 'header', detail }])

function parserProblem(code: string | undefined): Problem {
  if (code === 'HPE_HEADER_OVERFLOW') return new Problem('HEADERS_TOO_LARGE', 'The headers are larger than 16 KB')
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Problem('REQUEST_TIMEOUT', 'The request did not arrive in time')
  return header('', 'the request is not well-formed HTTP')
}
