import { setTimeout as sleep } from 'node:timers/promises'
import type { Database } from '@storey/kit/database'
import { StartupError } from '@storey/kit/startup-error'
import { deleteRequest, findAnswer, insertRequest, type OperatorRequest } from '@storey/provisioning/operator'
import { isLockHeld } from '../database-server.store.ts'
import { LEADER_LOCK } from '../leader.ts'

/** How a command asks the running service to do something: through the control database, wherever the service runs. */
export interface ServiceLink {
  isRunning(): Promise<boolean>
  /** Resolves with the answer of the service. Throws if the service does not answer in time, or fails. */
  ask<T>(request: OperatorRequest): Promise<T>
}

/**
 * The limit is longer than the slowest request, which stops a stack. Without Kubernetes, a stack has 8 seconds to stop.
 * A pod is deleted by force after 30 seconds, and has 10 more seconds to end. The service looks for requests every
 * second.
 */
const ANSWER_LIMIT_MS = 60_000
const POLL_MS = 100

export function createServiceLink(control: Database): ServiceLink {
  async function answerTo(id: number): Promise<unknown> {
    for (const deadline = performance.now() + ANSWER_LIMIT_MS; performance.now() < deadline; await sleep(POLL_MS)) {
      const answer = await findAnswer(control, id)
      if (answer !== undefined) return answer
    }
    throw new StartupError(`The service did not answer within ${ANSWER_LIMIT_MS / 1000} seconds: see its log.`)
  }

  return {
    isRunning: () => isLockHeld(control, LEADER_LOCK),
    async ask<T>(request: OperatorRequest) {
      const id = await insertRequest(control, request)
      try {
        const answer = await answerTo(id)
        const { failure } = answer as { failure?: string }
        if (failure !== undefined) throw new StartupError(`The service failed: ${failure}`)
        return answer as T
      } finally {
        await deleteRequest(control, id)
      }
    },
  }
}
