import { Agent, type IncomingMessage, request as open } from 'node:http'
import { ARRIVED_AT_HEADER, INTERNAL_KEY_HEADER } from '@storey/contract'
import { traceHeaders } from '@storey/kit/tracing'
import type { StackAddress } from '../stacks/index.ts'

const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 })
/** A longer response is not read to its end, because its status is enough. */
const MAX_ANSWER_BYTES = 256 * 1024
const ANSWER_LIMIT_MS = 10_000
const READY_LIMIT_MS = 5_000

export interface Batch {
  address: StackAddress
  buildingId: string
  /** The bytes of the message, not parsed here. */
  payload: Buffer
  arrivedAt: Date
  token: string
  internalKey: string
  requestId: string
  responseTimeoutMs: number
}

export interface StackAnswer {
  status: number
  /** Undefined when the response is not a JSON object, is too long, or is incomplete. */
  object: Record<string, unknown> | undefined
}

/** The connection to the stack was idle for `responseTimeoutMs` before a response came. */
export class BatchTimeout extends Error {}

/** Posts observations to the REST API of a stack. When the promise is settled, the payload is not read any more. */
export function postToStack(batch: Batch): Promise<StackAnswer> {
  const { address, payload } = batch
  return new Promise((resolve, reject) => {
    const sent = open(
      {
        host: address.host,
        port: address.port,
        method: 'POST',
        path: `/api/v1/buildings/${batch.buildingId}/telemetry/observations`,
        agent,
        headers: {
          authorization: `Bearer ${batch.token}`,
          [INTERNAL_KEY_HEADER]: batch.internalKey,
          [ARRIVED_AT_HEADER]: batch.arrivedAt.getTime(),
          'x-request-id': batch.requestId,
          'content-type': 'application/json',
          'content-length': payload.length,
          ...traceHeaders(),
        },
      },
      async (answer) => {
        const read = await readAnswer(answer)
        // The stack responded before it had read the whole payload.
        if (!sent.writableFinished) sent.destroy()
        resolve(read)
      },
    )
    sent.setTimeout(batch.responseTimeoutMs, () => sent.destroy(new BatchTimeout('the stack does not respond')))
    sent.on('error', reject)
    sent.end(payload)
  })
}

/** Resolves with the status even when the body is incomplete. */
function readAnswer(answer: IncomingMessage): Promise<StackAnswer> {
  const chunks: Buffer[] = []
  let bytes = 0
  const timer = setTimeout(() => answer.destroy(), ANSWER_LIMIT_MS)
  return new Promise((resolve) => {
    answer.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > MAX_ANSWER_BYTES) answer.destroy()
      else chunks.push(chunk)
    })
    answer.on('error', () => undefined)
    answer.once('close', () => {
      clearTimeout(timer)
      resolve({ status: answer.statusCode!, object: answer.complete ? objectIn(Buffer.concat(chunks)) : undefined })
    })
  })
}

function objectIn(bytes: Buffer): Record<string, unknown> | undefined {
  try {
    const object: unknown = JSON.parse(bytes.toString('utf8'))
    const isObject = typeof object === 'object' && object !== null && !Array.isArray(object)
    return isObject ? (object as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

/** Whether the stack and its database are ready. */
export function isStackReady({ host, port }: StackAddress): Promise<boolean> {
  return new Promise((resolve) => {
    const check = open({ host, port, path: '/readyz', agent: false }, (answer) => {
      answer.resume()
      resolve(answer.statusCode === 200)
    })
    check.setTimeout(READY_LIMIT_MS, () => check.destroy(new Error('the stack does not respond')))
    check.on('error', () => resolve(false))
    check.end()
  })
}
