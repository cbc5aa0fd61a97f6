import type { FaultRecord, FaultRuleRecord } from '@storey/sdk'
import {
  Badge,
  Button,
  ButtonLink,
  type Column,
  ErrorPanel,
  Link,
  Table,
  useAction,
  useFormat,
  useTexts,
} from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { useActorName } from '../collaboration/actor.ts'
import { useReturnFocus } from '../collaboration/use-return-focus.ts'
import { useValueFormat } from '../live/format-value.ts'
import { ReplayLink } from '../replay/replay-link.tsx'
import { faultBounds, useFaultTitle } from './fault-title.ts'
import styles from './faults.module.css'
import { SEVERITY_BADGES, STATE_BADGES } from './severities.ts'
import { faultTexts } from './texts.ts'

interface FaultTableProps {
  caption: string
  faults: readonly FaultRecord[]
  rules: ReadonlyMap<string, FaultRuleRecord>
  empty: ReactNode
  /** If set, faults can be acknowledged. */
  onChange?: (fault: FaultRecord) => void
}

export function FaultTable({ caption, faults, rules, empty, onChange }: FaultTableProps): ReactNode {
  const t = useTexts(faultTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  const titleOf = useFaultTitle()
  const columns: Column<FaultRecord>[] = [
    {
      key: 'severity',
      title: t('severity'),
      cell: ({ severity }) => <Badge {...SEVERITY_BADGES[severity]}>{t(severity)}</Badge>,
    },
    {
      key: 'fault',
      title: t('fault'),
      isHeader: true,
      cell: ({ title, kind, ruleId }) => (
        <span className={`${styles.fault} ${styles.title}`}>
          {titleOf(title)}
          <RuleNote kind={kind} rule={rules.get(ruleId ?? '')} />
        </span>
      ),
    },
    { key: 'value', title: t('value'), isNumeric: true, cell: (fault) => <Value fault={fault} /> },
    { key: 'where', title: t('where'), cell: (fault) => <FaultLocation fault={fault} /> },
    {
      key: 'detected',
      title: t('detected'),
      cell: ({ detectedAt }) => (
        <time className={styles.timestamp} dateTime={detectedAt} title={times.dateTime(detectedAt)}>
          {format.relative(detectedAt)}
        </time>
      ),
    },
    { key: 'state', title: t('state'), cell: (fault) => <State fault={fault} /> },
    ...(onChange
      ? [
          {
            key: 'action',
            title: t('action'),
            hideTitle: true,
            cell: (fault: FaultRecord) => <Actions fault={fault} onChange={onChange} />,
          },
        ]
      : []),
  ]
  return <Table caption={caption} columns={columns} rows={faults} rowKey={({ id }) => id} empty={empty} />
}

/** The rule that detected the fault, and the kind of fault; only the kind if the rule was deleted or is not loaded. */
function RuleNote({ kind, rule }: { kind: FaultRecord['kind']; rule: FaultRuleRecord | undefined }): ReactNode {
  const t = useTexts(faultTexts)
  return <span className={styles.note}>{rule ? `${t('rule', { name: rule.name })} · ${t(kind)}` : t(kind)}</span>
}

function Value({ fault }: { fault: FaultRecord }): ReactNode {
  const format = useValueFormat()
  const { point } = useBuildingData()
  const found = point(fault.pointId ?? '')
  if (fault.value === null) return null
  const text = format.reading(fault.value, found?.unit ?? '', faultBounds(fault.title))
  return found ? <Link to={`/points/${found.id}`}>{text}</Link> : text
}

function FaultLocation({ fault }: { fault: FaultRecord }): ReactNode {
  const t = useTexts(faultTexts)
  const building = useBuildingData()
  const id = fault.pointId ?? fault.elementId ?? ''
  const room = building.spaceOf(id)
  const storey = building.storeyOf(id)
  if (!room && !storey) return <span className="st-quiet">{t('unknownPlace')}</span>
  return (
    <span className={styles.fault}>
      {room ? <Link to={`/rooms/${room.id}`}>{room.name}</Link> : null}
      <span className={styles.note}>{storey?.name}</span>
      <span className={styles.note}>
        <ReplayLink fault={fault} />
      </span>
    </span>
  )
}

/** The state of a fault, with who acknowledged it and when it was resolved. */
function State({ fault }: { fault: FaultRecord }): ReactNode {
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

function Actions({ fault, onChange }: { fault: FaultRecord; onChange(fault: FaultRecord): void }): ReactNode {
  const t = useTexts(faultTexts)
  const { api, may } = useShell()
  const acknowledge = useAction(async () => onChange(await api.faults.acknowledge(fault.id)))
  const container = useReturnFocus<HTMLSpanElement>(acknowledge.isBusy)
  const title = useFaultTitle()(fault.title)
  const about = new URLSearchParams({ title, ...(fault.elementId ? { element: fault.elementId } : {}) })
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
      <ErrorPanel error={acknowledge.error} />
    </span>
  )
}
