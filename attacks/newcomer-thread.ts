import { connect } from 'node:net'
import { parentPort, workerData } from 'node:worker_threads'

/** A client that opens a new connection for every request. */
export interface Newcomer {
  port: number
  from: string
  bytes: Uint8Array
  /** A regular expression that the first bytes of the answer must match. */
  expects: string
}
export interface NewcomerSample {
  /** The time from the first packet to the answer, or to the end of a connection without an answer. */
  ms: number
  isServed: boolean
}

const PERIOD_MS = 50
const LIMIT_MS = 10_000

const { port, from, bytes, expects } = workerData as Newcomer
const expected = new RegExp(expects)
let samples: NewcomerSample[] = []

function measure(): void {
  const began = performance.now()
  let isServed = false
  const socket = connect({ host: '127.0.0.1', port, localAddress: from, noDelay: true })
  socket.setTimeout(LIMIT_MS, () => socket.destroy())
  socket.on('error', () => undefined)
  socket.once('connect', () => socket.write(bytes))
  socket.once('data', (chunk: Buffer) => {
    isServed = expected.test(chunk.toString('latin1'))
    socket.destroy()
  })
  socket.once('close', () => samples.push({ ms: performance.now() - began, isServed }))
}

const timer = setInterval(measure, PERIOD_MS)
parentPort!.on('message', (command: 'take' | 'stop') => {
  parentPort!.postMessage(samples)
  samples = []
  if (command === 'take') return
  clearInterval(timer)
  parentPort!.close()
})
