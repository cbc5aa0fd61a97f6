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
  useWords,
} from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { useValueFormat } from '../live/format-value.ts'
import { useActorName } from '../teamwork/actor.ts'
import { useKeptFocus } from '../teamwork/use-kept-focus.ts'
import { useFaultTitle } from './fault-title.ts'
import styles from './faults.module.css'
import { SEVERITY_LOOKS, STATE_LOOKS } from './severities.ts'
import { faultWords } from './words.ts'

interface FaultTableProps {
  caption: string
  faults: readonly FaultRecord[]
  rules: ReadonlyMap<string, FaultRuleRecord>
  empty: ReactNode
  /** With it, faults can be acknowledged. */
  onChange?: (fault: FaultRecord) => void
}

export function FaultTable({ caption, faults, rules, empty, onChange }: FaultTableProps): ReactNode {
  const t = useWords(faultWords)
  const format = useFormat()
  const times = useBuildingTimes()
  const titleOf = useFaultTitle()
  const columns: Column<FaultRecord>[] = [
    {
      key: 'severity',
      title: t('severity'),
      cell: ({ severity }) => <Badge {...SEVERITY_LOOKS[severity]}>{t(severity)}</Badge>,
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
    { key: 'where', title: t('where'), cell: (fault) => <Where fault={fault} /> },
    {
      key: 'detected',
      title: t('detected'),
      cell: ({ detectedAt }) => (
        <time className={styles.moment} dateTime={detectedAt} title={times.dateTime(detectedAt)}>
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

/** Which rule found it. A rule that was deleted, or that the reader may not read, leaves its kind. */
function RuleNote({ kind, rule }: { kind: FaultRecord['kind']; rule: FaultRuleRecord | undefined }): ReactNode {
  const t = useWords(faultWords)
  return <span className={styles.note}>{rule ? `${t('rule', { name: rule.name })} · ${t(kind)}` : t(kind)}</span>
}

function Value({ fault }: { fault: FaultRecord }): ReactNode {
  const format = useValueFormat()
  const { point } = useBuildingData()
  const found = point(fault.pointId ?? '')
  if (fault.value === null) return null
  const text = format.reading(fault.value, found?.unit ?? '')
  return found ? <Link to={`/points/${found.id}`}>{text}</Link> : text
}

function Where({ fault }: { fault: FaultRecord }): ReactNode {
  const t = useWords(faultWords)
  const building = useBuildingData()
  const id = fault.pointId ?? fault.elementId ?? ''
  const room = building.spaceOf(id)
  const storey = building.storeyOf(id)
  if (!room && !storey) return <span className="st-quiet">{t('unknownPlace')}</span>
  return (
    <span className={styles.fault}>
      {room ? <Link to={`/rooms/${room.id}`}>{room.name}</Link> : null}
      <span className={styles.note}>{storey?.name}</span>
    </span>
  )
}

/** What became of it, with who looked after it: also when it is over. */
function State({ fault }: { fault: FaultRecord }): ReactNode {
  const t = useWords(faultWords)
  const format = useFormat()
  const times = useBuildingTimes()
  const nameOf = useActorName()
  const { state, acknowledgedBy, acknowledgedAt, resolvedAt } = fault
  const note = (moment: string, text: string) => (
    <span className={styles.note} title={times.dateTime(moment)}>
      {text}
    </span>
  )
  return (
    <span className={styles.fault}>
      <Badge {...STATE_LOOKS[state]}>{t(state)}</Badge>
      {state === 'resolved' && resolvedAt !== null
        ? note(resolvedAt, t('over', { when: format.relative(resolvedAt) }))
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
  const t = useWords(faultWords)
  const { api, may } = useShell()
  const acknowledge = useAction(async () => onChange(await api.faults.acknowledge(fault.id)))
  const place = useKeptFocus<HTMLSpanElement>(acknowledge.isBusy)
  const title = useFaultTitle()(fault.title)
  const about = new URLSearchParams({ title, ...(fault.elementId ? { element: fault.elementId } : {}) })
  return (
    <span className={styles.actions} ref={place} tabIndex={-1}>
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
