import type { FaultRecord, FaultRuleRecord } from '@storey/sdk'
import { type DataColumn, Link, useFormat, useLocale, useTexts } from '@storey/web'
import { useMemo } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { useBuildingTimes } from '../building/building-times.ts'
import { elementTypeName } from '../building/catalog-names.ts'
import { SeverityMark } from '../fault-marks/severity-mark.tsx'
import { isNumeric, numberOf } from '../live/format-value.ts'
import { FaultActions, FaultLocation, FaultState, FaultValue, RuleNote } from './fault-cells.tsx'
import { useFaultTitle } from './fault-title.ts'
import styles from './faults.module.css'
import { SEVERITIES } from './severities.ts'
import { faultTexts } from './texts.ts'

interface FaultColumnsOptions {
  rules: ReadonlyMap<string, FaultRuleRecord>
  /** The states of the faults in the table. */
  states: readonly FaultRecord['state'][]
  /** If set, the table has buttons to acknowledge a fault and to create a request about it. */
  onChange?: (fault: FaultRecord) => void
}

export function useFaultColumns({ rules, states, onChange }: FaultColumnsOptions): DataColumn<FaultRecord>[] {
  const t = useTexts(faultTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  const locale = useLocale()
  const titleOf = useFaultTitle()
  const model = useBuildingData()
  return useMemo(() => {
    const placeOf = ({ pointId, elementId }: FaultRecord) => pointId ?? elementId ?? ''
    const elementOf = ({ elementId }: FaultRecord) => model.element(elementId ?? '')
    const columns: DataColumn<FaultRecord>[] = [
      {
        key: 'severity',
        title: t('severity'),
        filter: 'choice',
        choices: SEVERITIES.map((value) => ({ value, label: t(value) })),
        value: ({ severity }) => severity,
        cell: ({ severity, state }) => (
          <span className={styles.severity} title={t(severity)}>
            <SeverityMark severity={severity} isAcknowledged={state === 'acknowledged'} />
            <span>{t(severity)}</span>
          </span>
        ),
      },
      {
        key: 'fault',
        title: t('fault'),
        isHeader: true,
        value: ({ title }) => titleOf(title),
        cell: ({ title, kind, ruleId }) => (
          <span className={`${styles.fault} ${styles.title}`}>
            {titleOf(title)}
            <RuleNote kind={kind} rule={rules.get(ruleId ?? '')} />
          </span>
        ),
      },
      {
        key: 'value',
        title: t('value'),
        isNumeric: true,
        value: ({ value }) => (value !== null && isNumeric(value) ? numberOf(value) : value),
        cell: (fault) => <FaultValue fault={fault} />,
      },
      {
        key: 'where',
        title: t('where'),
        filter: 'text',
        value: (fault) => model.spaceOf(placeOf(fault))?.name ?? null,
        cell: (fault) => <FaultLocation fault={fault} />,
      },
      {
        key: 'storey',
        title: t('storey'),
        isOptional: true,
        filter: 'choice',
        choices: model.storeys.map(({ code, name }) => ({ value: code, label: name })),
        value: (fault) => model.storeyOf(placeOf(fault))?.code ?? null,
        cell: (fault) => model.storeyOf(placeOf(fault))?.name ?? '',
      },
      {
        key: 'equipment',
        title: t('equipment'),
        isOptional: true,
        value: (fault) => elementOf(fault)?.name ?? null,
        cell: (fault) => {
          const element = elementOf(fault)
          return element ? <Link to={`/elements/${element.id}`}>{element.name}</Link> : null
        },
      },
      {
        key: 'type',
        title: t('equipmentType'),
        isOptional: true,
        filter: 'choice',
        value: (fault) => {
          const element = elementOf(fault)
          return element ? elementTypeName(element.elementTypeSlug, locale) : null
        },
      },
      {
        key: 'detected',
        title: t('detected'),
        value: ({ detectedAt }) => detectedAt,
        cell: ({ detectedAt }) => (
          <time className={styles.timestamp} dateTime={detectedAt} title={times.dateTime(detectedAt)}>
            {format.relative(detectedAt)}
          </time>
        ),
      },
      {
        key: 'state',
        title: t('state'),
        filter: states.length > 1 ? 'choice' : undefined,
        choices: states.map((value) => ({ value, label: t(value) })),
        value: ({ state }) => state,
        cell: (fault) => <FaultState fault={fault} />,
      },
    ]
    if (onChange) {
      columns.push({
        key: 'action',
        title: t('action'),
        hideTitle: true,
        value: () => null,
        cell: (fault) => <FaultActions fault={fault} onChange={onChange} />,
      })
    }
    return columns
  }, [t, format, times, locale, titleOf, model, rules, states, onChange])
}
