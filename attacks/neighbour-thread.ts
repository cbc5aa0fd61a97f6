/**
 * Repeats calls and measures their latency. This is a separate thread, so that the CPU work of the attacker does not
 * count as latency of the service.
 */

import { Agent, request } from 'node:http'
import { parentPort, workerData } from 'node:worker_threads'

export interface NeighbourCall {
  /** The part of the service that is measured. */
  name: string
  host: string
  port: number
  path: string
  token: string
}
export interface NeighbourSample {
  name: string
  ms: number
  status: number
}

const PERIOD_MS = 100
const LIMIT_MS = 60_000

const { calls } = workerData as { calls: NeighbourCall[] }
const agent = new Agent({ keepAlive: true })
let samples: NeighbourSample[] = []

function measure({ name, host, port, path, token }: NeighbourCall): void {
  const from = performance.now()
  const note = (status: number) => samples.push({ name, ms: performance.now() - from, status })
  const headers = { host, authorization: `Bearer ${token}` }
  const sent = request({ host: '127.0.0.1', port, path, headers, agent, timeout: LIMIT_MS }, (answer) => {
    answer.resume().on('end', () => note(answer.statusCode!))
    answer.on('error', () => note(0))
  })
  sent.on('timeout', () => sent.destroy(new Error('no response')))
  sent.on('error', () => note(0))
  sent.end()
}

const timer = setInterval(() => calls.forEach(measure), PERIOD_MS)
parentPort!.on('message', (command: 'take' | 'stop') => {
  parentPort!.postMessage(samples)
  samples = []
  if (command === 'stop') {
    clearInterval(timer)
    agent.destroy()
    parentPort!.close()
  }
})
