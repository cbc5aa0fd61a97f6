import type { RequestRecord } from '@storey/sdk'
import { changeRecord, ErrorPanel, isOutdated, Note, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { isConflict } from '../collaboration/conflict.ts'
import { requestTexts } from './texts.ts'

/** Somebody else changed the state of the request first. */
export class OutdatedError extends Error {}

/** Somebody else assigned the request first. */
export class ReassignedError extends Error {}

/**
 * Changes a request only if it is still in the state that the page shows. The API alone would also accept a transition
 * that is possible both from the shown and from the actual state. `check` gets the current request, and throws if
 * somebody else has changed the request in a way that prevents this change.
 */
export function useRequestChange(request: RequestRecord, onChange: (request: RequestRecord) => void) {
  const { client } = useShell()
  return async (
    send: (options: { ifMatch?: string | object }) => Promise<RequestRecord>,
    check: (now: RequestRecord) => void = () => undefined,
  ): Promise<RequestRecord> =>
    await changeRecord(request, {
      read: () => client.requests.get(request.id),
      check(now) {
        if (now.state !== request.state) {
          onChange(now)
          throw new OutdatedError()
        }
        check(now)
      },
      send,
    })
}

interface ChangeErrorProps {
  error: unknown
  request: RequestRecord
  /** The state that the request had at the last attempt to change it; undefined before the first attempt. */
  attemptedState: RequestRecord['state'] | undefined
}

/** Why a change failed: somebody else has changed the state or the assignee of the request, or another error of the API. */
export function ChangeError({ error, request, attemptedState }: ChangeErrorProps): ReactNode {
  const t = useTexts(requestTexts)
  const isReassigned = error instanceof ReassignedError
  const isTooLate =
    isReassigned ||
    error instanceof OutdatedError ||
    isOutdated(error) ||
    (isConflict(error) && attemptedState !== request.state)
  if (!isTooLate) return <ErrorPanel error={error} />
  return (
    <div role="alert">
      <Note tone="warn">
        <strong>{t('changedMeanwhile')}</strong>
        <p>{isReassigned ? t('reassignedText') : t('changedMeanwhileText', { state: t(request.state) })}</p>
      </Note>
    </div>
  )
}
