import type { FaultRecord, FaultRuleRecord } from '@storey/sdk'
import { Badge, Button, ButtonLink, ErrorPanel, Link, useAction, useFormat, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { useActorName } from '../collaboration/actor.ts'
import { useReturnFocus } from '../collaboration/use-return-focus.ts'
import { isNumeric, useValueFormat } from '../live/format-value.ts'
import { ReplayLink } from '../replay/replay-link.tsx'
import { FaultRequest } from './fault-request.tsx'
import { faultBounds, useFaultTitle } from './fault-title.ts'
import styles from './faults.module.css'
import { useRuleName } from './rule-names.ts'
import { REQUEST_PRIORITIES, STATE_BADGES } from './severities.ts'
import { faultTexts } from './texts.ts'

/** The rule that detected the fault, and the kind of fault; only the kind if the rule was deleted or is not loaded. */
export function RuleNote({ kind, rule }: { kind: FaultRecord['kind']; rule: FaultRuleRecord | undefined }): ReactNode {
  const t = useTexts(faultTexts)
  const nameOf = useRuleName()
  return <span className={styles.note}>{rule ? `${t('rule', { name: nameOf(rule) })} · ${t(kind)}` : t(kind)}</span>
}

export function FaultValue({ fault }: { fault: FaultRecord }): ReactNode {
  const format = useValueFormat()
  const { point } = useBuildingData()
  const found = point(fault.pointId ?? '')
  if (fault.value === null) return null
  const text = format.reading(fault.value, found?.unit ?? '', faultBounds(fault.title))
  const content = found ? <Link to={`/points/${found.id}`}>{text}</Link> : text
  return isNumeric(fault.value) ? <span className={styles.value}>{content}</span> : content
}

export function FaultLocation({ fault }: { fault: FaultRecord }): ReactNode {
  const t = useTexts(faultTexts)
  const building = useBuildingData()
  const id = fault.pointId ?? fault.elementId ?? ''
  const room = building.spaceOf(id)
  const storey = building.storeyOf(id)
  if (!room && !storey) return <span className="st-quiet">{t('unknownPlace')}</span>
  return (
    <span className={`${styles.fault} ${styles.place}`}>
      {room ? <Link to={`/rooms/${room.id}`}>{room.name}</Link> : null}
      <span className={styles.note}>{storey?.name}</span>
      <span className={styles.note}>
        <ReplayLink fault={fault} />
      </span>
    </span>
  )
}

/** The state of a fault, with who acknowledged it and when it was resolved. */
export function FaultState({ fault }: { fault: FaultRecord }): ReactNode {
  const t = useTexts(faultTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  const nameOf = useActorName()
  const { state, acknowledgedBy, acknowledgedAt, resolvedAt } = fault
  const note = (timestamp: string, text: string) => (
    <span className={styles.note} title={times.dateTime(timestamp)}>
      {text}
    </span>
  )
  return (
    <span className={styles.fault}>
      <Badge {...STATE_BADGES[state]}>{t(state)}</Badge>
      {state === 'resolved' && resolvedAt !== null
        ? note(resolvedAt, t('resolvedWhen', { when: format.relative(resolvedAt) }))
        : null}
      {acknowledgedBy !== null && acknowledgedAt !== null
        ? note(
            acknowledgedAt,
            t(state === 'acknowledged' ? 'by' : 'acknowledgedBy', {
              actor: nameOf(acknowledgedBy),
              when: format.relative(acknowledgedAt),
            }),
          )
        : null}
    </span>
  )
}

export function FaultActions({
  fault,
  onChange,
}: {
  fault: FaultRecord
  onChange(fault: FaultRecord): void
}): ReactNode {
  const t = useTexts(faultTexts)
  const { api, may } = useShell()
  const acknowledge = useAction(async () => onChange(await api.faults.acknowledge(fault.id)))
  const container = useReturnFocus<HTMLSpanElement>(acknowledge.isBusy)
  const title = useFaultTitle()(fault.title)
  const about = new URLSearchParams({
    title,
    priority: REQUEST_PRIORITIES[fault.severity],
    ...(fault.elementId ? { element: fault.elementId } : {}),
    fault: fault.id,
  })
  return (
    <span className={styles.actions} ref={container} tabIndex={-1}>
      {fault.state === 'open' && may('building.faults:write') ? (
        <Button
          small
          label={t('acknowledge')}
          aria-label={t('acknowledgeOf', { title })}
          isBusy={acknowledge.isBusy}
          onClick={() => void acknowledge.run()}
        />
      ) : null}
      {may('service-desk.requests:create') ? (
        <ButtonLink
          small
          kind="quiet"
          to={`/requests/new?${about}`}
          label={t('report')}
          aria-label={t('reportOf', { title })}
        />
      ) : null}
      {fault.request ? (
        <span className={styles.note}>
          <FaultRequest request={fault.request} />
        </span>
      ) : null}
      <ErrorPanel error={acknowledge.error} />
    </span>
  )
}
