import type { Log } from '@storey/kit/log'
import { CreateRightsMissing, DatabaseInUse } from '../tenants/index.ts'

/** What is logged about an error. If the operator can fix its cause, the message is enough, without a stack trace. */
export const errorFields = (err: unknown): { err: unknown } | { reason: string } =>
  err instanceof CreateRightsMissing || err instanceof DatabaseInUse ? { reason: err.message } : { err }

/**
 * Logs the errors of work that is retried without end. An error is not logged if its message is the same as that of the
 * previous error of the sandbox.
 */
export function createFailureLog(log: Log) {
  const failing = new Map<string, string>()
  return {
    failed(sandboxId: string, err: Error): void {
      if (failing.get(sandboxId) === err.message) return
      failing.set(sandboxId, err.message)
      log.error({ ...errorFields(err), sandboxId }, 'sandbox work interrupted, retrying')
    },
    ended(sandboxId: string): void {
      failing.delete(sandboxId)
    },
  }
}
