/**
 * Webhook receivers in a separate process. /count answers and counts requests, /hang never answers, /report answers and
 * reports each request.
 */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Messages from the receiver to the process that started it. */
export type ReceiverMessage =
  | { type: 'listening'; url: string }
  /** All expected requests have arrived. `seconds` is the time from the first to the last. */
  | { type: 'all'; seconds: number }
  | { type: 'arrived'; path: string; atMs: number }

/** Message to the receiver: how many requests to count, beginning with the next. */
export type ReceiverCommand = { expect: number }

const send = (message: ReceiverMessage) => process.send?.(message)
let [expected, count, from] = [0, 0, 0]

const server = createServer((request, response) => {
  const path = request.url ?? ''
  if (path.startsWith('/report')) send({ type: 'arrived', path, atMs: performance.timeOrigin + performance.now() })
  request.resume()
  request.on('end', () => {
    if (path.startsWith('/hang')) return
    response.end()
    if (!path.startsWith('/count')) return
    if (count++ === 0) from = performance.now()
    if (count === expected) send({ type: 'all', seconds: (performance.now() - from) / 1000 })
  })
})
process.on('message', (command: ReceiverCommand) => {
  expected = command.expect
  count = 0
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => {
  send({ type: 'listening', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
