import type { FaultRecord } from '@storey/sdk'
import { Link, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { faultTexts } from './texts.ts'

/** The open service request about a fault: its number and state. */
export function FaultRequest({ request }: { request: NonNullable<FaultRecord['request']> }): ReactNode {
  const t = useTexts(faultTexts)
  const { id, number, state } = request
  return (
    <Link to={`/requests/${id}`} aria-label={t('requestOf', { number, state: t(state) })}>
      {number} · {t(state)}
    </Link>
  )
}
