import { PROBLEM_MEDIA_TYPE, Problem, TENANT_ACCESS } from '@storey/contract'
import type { Admission } from '@storey/kit/admission'
import {
  bearerToken,
  type ErrorLog,
  newRequestId,
  type RequestLimits,
  tookTooLong,
  WORK_LIMIT_MS,
} from '@storey/kit/http'
import { callerKey, signedIn } from '../caller.ts'
import { type FoldingCapacity, findIngest, type Ingest } from '../features/telemetry/index.ts'
import { type Authenticate, bodyMemory, checkCaller } from '../http/index.ts'
import { type Answer, answerText } from './answer-text.ts'
import type { AdmittedRequest, DirectService } from './direct-connection.ts'

export interface DirectServiceParts {
  tenantId: string
  authenticate: Authenticate
  limits: RequestLimits
  /** Throws while the storage is used up. Gets the length of the body. */
  checkCapacity(bytes: number): void
  foldingCapacity: FoldingCapacity
  admission: Admission
  ingest: Ingest
  logError: ErrorLog
  workLimitMs?: number
}

const JSON_TYPE = 'application/json; charset=utf-8'
const PROBLEM_TYPE = `${PROBLEM_MEDIA_TYPE}; charset=utf-8`

/**
 * Serves requests by the rules of the ingest routes, with the same functions. A request that is refused goes back to the
 * gateway and from there to its route, so all refusals come from one place. Only an error after which the observations
 * may have been stored is answered here, because the request must not be repeated then.
 */
export function createDirectService(parts: DirectServiceParts): DirectService {
  const { tenantId, authenticate, limits, foldingCapacity, admission, ingest } = parts
  const workLimitMs = parts.workLimitMs ?? WORK_LIMIT_MS

  return {
    async admit(head, signal, served) {
      const found = findIngest(head.target, head.contentType)
      if (found === undefined) return undefined
      const startedAtMs = performance.now()
      const { route, buildingId, form, schemes, answersCount, problemOf } = found
      // The route checks and counts in another order, and counts refused requests too.
      const caller = await authenticate(bearerToken(head.authorization, schemes))
      checkCaller(caller, { tenantId, access: TENANT_ACCESS, buildingId })
      parts.checkCapacity(head.length)
      const key = callerKey(caller)
      const counted = limits.take(key)
      if (counted === undefined) return undefined

      const enter = async () => {
        if (!foldingCapacity.isFree()) await foldingCapacity.wait(signal)
        const bytes = bodyMemory('bytes', head.length)
        return admission.enterNow(bytes, key) ?? (await admission.enter(bytes, { caller: key, signal }))
      }
      const admitted = await enter().catch((err) => {
        counted.giveBack()
        throw err
      })
      const requestId = newRequestId()

      function answer(given: Omit<Answer, 'requestId' | 'headers'>, headers = {}): string {
        const text = answerText({ ...given, requestId, headers: { ...counted!.headers, ...headers } })
        const { status } = given
        served({
          ...{ requestId, target: head.target, route, caller: signedIn(caller), status, bytes: text.length },
          durationMs: performance.now() - startedAtMs,
        })
        return text
      }

      function refuse(problem: Problem): string {
        parts.logError(problem, requestId, { method: 'POST', url: route })
        const { status, headers } = problem
        return answer({ status, body: { type: PROBLEM_TYPE, text: problem.toJson(requestId) } }, headers)
      }

      const request: AdmittedRequest = {
        end: admitted.leave,
        withdraw() {
          counted.giveBack()
          admitted.leave()
        },
        async serve(body) {
          let isOverdue = false
          const overdue = Promise.withResolvers<never>()
          const timer = setTimeout(() => {
            isOverdue = true
            overdue.reject(tookTooLong())
          }, workLimitMs)
          try {
            const accepted = await Promise.race([ingest(buildingId, body, form), overdue.promise])
            if (!answersCount) return { text: answer({ status: 204 }), isBodyFree: true }
            const text = JSON.stringify({ accepted })
            return { text: answer({ status: 202, body: { type: JSON_TYPE, text } }), isBodyFree: true }
          } catch (err) {
            // Such an error is thrown before anything is stored.
            if (err instanceof Problem && !isOverdue) return undefined
            return { text: refuse(problemOf(err)), isBodyFree: !isOverdue }
          } finally {
            clearTimeout(timer)
          }
        },
      }
      return request
    },
  }
}
