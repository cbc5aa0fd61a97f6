import type { RequestRecord } from '@storey/sdk'
import { changeRecord, ErrorPanel, isOutdated, Note, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { isConflict } from '../teamwork/conflict.ts'
import { requestWords } from './words.ts'

/** Somebody else moved the request before a step was taken: the page showed what was no longer so. */
export class Overtaken extends Error {}

/**
 * Changes a request that is still in the state in which the page shows it. The API refuses most steps that come too late,
 * but not one that is possible from either state. What else somebody changed meanwhile is for `check` to look at.
 */
export function useChange(request: RequestRecord, onChange: (request: RequestRecord) => void) {
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
          throw new Overtaken()
        }
        check(now)
      },
      send,
    })
}

interface RefusalProps {
  error: unknown
  /** As it is now. */
  request: RequestRecord
  /** In which state it was when the step was tried. */
  triedIn: RequestRecord['state'] | undefined
}

/** Why a step was not taken: somebody was quicker, or whatever else the API says. */
export function Refusal({ error, request, triedIn }: RefusalProps): ReactNode {
  const t = useWords(requestWords)
  const isLate = error instanceof Overtaken || isOutdated(error) || (isConflict(error) && triedIn !== request.state)
  if (!isLate) return <ErrorPanel error={error} />
  return (
    <div role="alert">
      <Note tone="warn">
        <strong>{t('overtaken')}</strong>
        <p>{t('overtakenText', { state: t(request.state) })}</p>
      </Note>
    </div>
  )
}
