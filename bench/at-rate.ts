import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CallOptions } from '../acceptance/system/call.ts'

/**
 * Sends calls at a fixed rate, without waiting for the answers of earlier calls. Returns the latencies in milliseconds.
 */
export async function atRate(perSecond: number, count: number, send: (i: number) => Promise<void>): Promise<number[]> {
  const from = performance.now()
  const latencies: number[] = []
  const sent: Promise<void>[] = []
  for (let i = 0; i < count; i++) {
    const at = from + (i * 1000) / perSecond
    await sleep(Math.max(0, at - performance.now()))
    sent.push(send(i).then(() => void latencies.push(performance.now() - at)))
  }
  await Promise.all(sent)
  return latencies
}

export const percentile = (values: readonly number[], share: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * share))]!

/** Sends a call from this address of loopback. Fails unless the status of the answer is `expected`. */
export function callFrom(
  localAddress: string,
  url: string,
  expected: number,
  { token, body }: Pick<CallOptions, 'token' | 'body'> = {},
): Promise<void> {
  const { host, port, pathname, search } = new URL(url)
  const text = body === undefined ? undefined : JSON.stringify(body)
  const headers = {
    host,
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(text === undefined ? {} : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }),
  }
  const method = text === undefined ? 'GET' : 'POST'
  const where = { host: '127.0.0.1', port, path: pathname + search, localAddress, agent: false as const }
  return new Promise((resolve, reject) => {
    const sent = request({ ...where, method, headers }, (response) => {
      response.resume()
      response.on('end', () =>
        response.statusCode === expected ? resolve() : reject(new Error(`${url} answered ${response.statusCode}`)),
      )
    })
    sent.on('error', reject)
    sent.end(text)
  })
}
