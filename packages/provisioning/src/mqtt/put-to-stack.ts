import { Agent, request as open } from 'node:http'
import { INTERNAL_KEY_HEADER } from '@storey/contract'
import type { RunningStack } from '../stacks/stack-runtime.ts'

const agent = new Agent({ keepAlive: true, maxFreeSockets: 64 })
const MOST_ANSWER_BYTES = 1024 * 1024

export interface Batch {
  stack: RunningStack
  buildingId: string
  /** The very bytes that came: they are not looked at here. */
  payload: Buffer
  token: string
  internalKey: string
  requestId: string
  silenceLimitMs: number
}

/** The stack got the whole batch, and says nothing. */
export class BatchSilent extends Error {}

/** Hands observations to a stack as its own REST call takes them, and brings the answer. */
export function putToStack(batch: Batch): Promise<{ status: number; text: string }> {
  const { stack, payload } = batch
  return new Promise((resolve, reject) => {
    const sent = open(
      {
        host: stack.host,
        port: stack.port,
        method: 'POST',
        path: `/api/v1/buildings/${batch.buildingId}/telemetry/observations`,
        agent,
        headers: {
          authorization: `Bearer ${batch.token}`,
          [INTERNAL_KEY_HEADER]: batch.internalKey,
          'x-request-id': batch.requestId,
          'content-type': 'application/json',
          'content-length': payload.length,
        },
      },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (piece: string) => {
          if (text.length < MOST_ANSWER_BYTES) text += piece
        })
        answer.on('error', reject)
        answer.on('end', () => resolve({ status: answer.statusCode!, text }))
      },
    )
    sent.setTimeout(batch.silenceLimitMs, () => sent.destroy(new BatchSilent('the stack does not answer')))
    sent.on('error', reject)
    sent.end(payload)
  })
}
