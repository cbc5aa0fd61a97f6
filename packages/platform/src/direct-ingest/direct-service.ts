import { PROBLEM_MEDIA_TYPE, Problem, TENANT_ACCESS } from '@storey/contract'
import { bearerToken, type ErrorLog, newRequestId, type RequestLimits } from '@storey/kit/http'
import { callerKey, signedIn } from '../caller.ts'
import { findIngest, type PlainIngest } from '../features/telemetry/index.ts'
import { type Authenticate, checkCaller } from '../http/index.ts'
import { type Answer, answerText } from './answer-text.ts'
import type { AdmittedRequest, DirectService, Served } from './direct-connection.ts'
import { createIngestWork, type IngestWorkParts } from './ingest-work.ts'
import type { PlainHead } from './read-plain-head.ts'

export interface DirectServiceParts extends IngestWorkParts {
  tenantId: string
  authenticate: Authenticate
  limits: RequestLimits
  /** Throws while the storage is used up. `bytes` is the length of the body. */
  checkCapacity(bytes: number): void
  logError: ErrorLog
}

/** What the head of a request determines: all requests with the same head share it. */
type IngestRequest = PlainHead & PlainIngest & { token: string }

const JSON_TYPE = 'application/json; charset=utf-8'
const PROBLEM_TYPE = `${PROBLEM_MEDIA_TYPE}; charset=utf-8`

/**
 * Serves requests by the rules of the ingest routes, with the same functions. A request that is refused goes back to the
 * gateway and from there to its route, so all refusals come from one place. Only an error after which the observations
 * may have been stored is answered here, because the request must not be repeated then.
 */
export function createDirectService(parts: DirectServiceParts): DirectService {
  const { tenantId, authenticate, limits } = parts
  const work = createIngestWork(parts)

  async function admit(
    request: IngestRequest,
    signal: AbortSignal,
    served: Served,
  ): Promise<AdmittedRequest | undefined> {
    const { target, length, token, route, buildingId, form, answersCount, problemOf } = request
    const startedAtMs = performance.now()
    // The route counts a request before it checks the scope and the storage, so refused requests count too. Here the
    // checks come first: a refused request goes back to the gateway, and its route counts it.
    const caller = await authenticate(token)
    checkCaller(caller, { tenantId, access: TENANT_ACCESS, buildingId })
    parts.checkCapacity(length)
    const key = callerKey(caller)
    const counted = limits.take(key)
    if (counted === undefined) return undefined

    const admitted = await work.enter(length, key, signal).catch((err) => {
      counted.giveBack()
      throw err
    })
    const requestId = newRequestId()

    function answer(given: Omit<Answer, 'requestId' | 'headers'>, headers = {}): string {
      const text = answerText({ ...given, requestId, headers: { ...counted!.headers, ...headers } })
      const { status } = given
      served({
        ...{ requestId, target, route, caller: signedIn(caller), status, bytes: text.length },
        durationMs: performance.now() - startedAtMs,
      })
      return text
    }

    function refuse(problem: Problem): string {
      parts.logError(problem, requestId, { method: 'POST', url: route })
      const { status, headers } = problem
      return answer({ status, body: { type: PROBLEM_TYPE, text: problem.toJson(requestId) } }, headers)
    }

    return {
      end: admitted.leave,
      withdraw() {
        counted.giveBack()
        admitted.leave()
      },
      async serve(body) {
        const worked = await work.run(buildingId, body, form)
        if (worked.kind === 'failed') {
          const { error, isOverdue } = worked
          // If the work is not overdue, nothing was stored before the problem, so the route can serve the request.
          if (error instanceof Problem && !isOverdue) return undefined
          return { text: refuse(problemOf(error)), isBodyFree: !isOverdue }
        }
        if (!answersCount) return { text: answer({ status: 204 }), isBodyFree: true }
        const text = JSON.stringify({ accepted: worked.accepted })
        return { text: answer({ status: 202, body: { type: JSON_TYPE, text } }), isBodyFree: true }
      },
    }
  }

  return {
    admissionOf(head) {
      const found = findIngest(head.target, head.contentType)
      const token = found && tokenOf(head, found)
      if (token === undefined) return undefined
      const request = { ...found!, ...head, token }
      return (signal, served) => admit(request, signal, served)
    },
  }
}

function tokenOf({ authorization }: PlainHead, { schemes }: PlainIngest): string | undefined {
  try {
    return bearerToken(authorization, schemes)
  } catch {
    return undefined
  }
}
