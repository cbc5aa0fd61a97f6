import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the receiver says to the one who started it. */
export type ReceiverMessage =
  | { type: 'listening'; url: string }
  /** All that were expected came, from the first to the last. */
  | { type: 'all'; seconds: number }
  | { type: 'arrived'; path: string; atMs: number }

/** What it is told: how many requests to count, beginning with the next. */
export type ReceiverOrder = { expect: number }

/** Receivers of webhooks in a process of their own. Below /count they answer, below /hang never, below /tell they say so. */
const say = (message: ReceiverMessage) => process.send?.(message)
let [expected, count, from] = [0, 0, 0]

const server = createServer((request, response) => {
  const path = request.url ?? ''
  if (path.startsWith('/tell')) say({ type: 'arrived', path, atMs: performance.timeOrigin + performance.now() })
  request.resume()
  request.on('end', () => {
    if (path.startsWith('/hang')) return
    response.end()
    if (!path.startsWith('/count')) return
    if (count++ === 0) from = performance.now()
    if (count === expected) say({ type: 'all', seconds: (performance.now() - from) / 1000 })
  })
})
process.on('message', (order: ReceiverOrder) => {
  expected = order.expect
  count = 0
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => {
  say({ type: 'listening', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` })
})
