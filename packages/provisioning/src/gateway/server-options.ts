import type { Exchange } from './connection.ts'
import { endWhenRead } from './end-when-read.ts'

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS'

/** Answers `OPTIONS *` with the methods of the server as a whole. */
export async function answerMethods(exchange: Exchange, requestId: string): Promise<void> {
  exchange.response.writeHead(204, { allow: METHODS, 'x-request-id': requestId })
  await endWhenRead(exchange)
}
