import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { startTestGateway } from '../testing/test-gateway.ts'
import { createAcceptFirst } from './accept-first.ts'

const turn = () => new Promise((resolve) => setImmediate(resolve))

describe('work that is postponed while new connections arrive', () => {
  it('[HST-54] begins in order in the first turn of the event loop without a new connection', async () => {
    const begun: string[] = []
    const acceptFirst = createAcceptFirst(60_000)
    acceptFirst.accepted()
    for (const name of ['a', 'b']) acceptFirst.run(() => begun.push(name))
    for (let i = 0; i < 20; i++) {
      await turn()
      expect(begun).toEqual([])
      acceptFirst.accepted()
    }
    await turn()
    await turn()
    expect(begun).toEqual(['a', 'b'])
  })

  it('[HST-54] begins after its time limit, however many connections arrive', async () => {
    const acceptFirst = createAcceptFirst(20)
    let isOver = false
    acceptFirst.run(() => {
      isOver = true
    })
    for (let i = 0; i < 1e6 && !isOver; i++) {
      acceptFirst.accepted()
      await turn()
    }
    expect(isOver).toBe(true)
  })
})

describe('connections that arrive together', () => {
  /** The code of a thread that opens connections, sends a request on each, and then notifies `sent`. */
  const CLIENTS = `const { connect } = require('node:net')
    const { workerData: { port, sent, count } } = require('node:worker_threads')
    for (let i = 0; i < count; i++) {
      const client = connect(port, '127.0.0.1', () => client.write('GET / HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n', () => {
        if (Atomics.add(sent, 0, 1) === count - 1) Atomics.notify(sent, 0)
      }))
      client.on('error', () => undefined)
    }`

  it('[HST-54] are all accepted before the first of their requests is handled', async () => {
    const count = 12
    let accepted = 0
    const acceptedAt: number[] = []
    const gateway = await startTestGateway({
      acceptLimitMs: 60_000,
      controlPlane(_request, response) {
        acceptedAt.push(accepted)
        response.end('hello')
      },
    })
    gateway.gateway.on('connection', () => accepted++)
    const sent = new Int32Array(new SharedArrayBuffer(4))
    const worker = new Worker(CLIENTS, { eval: true, workerData: { port: gateway.port, sent, count } })
    // This loop blocks the thread, so that the server accepts nothing until all clients have connected.
    for (let now = 0; now < count; now = Atomics.load(sent, 0)) Atomics.wait(sent, 0, now, 10)
    await expect.poll(() => acceptedAt.length).toBe(count)
    expect(acceptedAt[0]).toBe(count)
    await worker.terminate()
    await gateway.close()
  })
})
