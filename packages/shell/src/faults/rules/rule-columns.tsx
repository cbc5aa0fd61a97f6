import { FAULT_RULE_KINDS } from '@storey/contract'
import type { FaultRuleRecord } from '@storey/sdk'
import { Badge, Button, type DataColumn, useFormat, useTexts } from '@storey/web'
import { useMemo } from 'react'
import { useBuildingData } from '../../building/building-data.tsx'
import { useBuildingTimes } from '../../building/building-times.ts'
import { SeverityMark } from '../../fault-marks/severity-mark.tsx'
import styles from '../faults.module.css'
import { useRuleName } from '../rule-names.ts'
import { SEVERITIES } from '../severities.ts'
import { faultTexts } from '../texts.ts'
import { EnableSwitch } from './enable-switch.tsx'
import type { RuleTask } from './rule-task.ts'
import { ruleTexts } from './texts.ts'
import { useRuleFaults } from './use-rule-faults.ts'
import { useRuleTexts } from './use-rule-texts.ts'
import { watchedPoints } from './watched-points.ts'

interface RuleColumnsOptions {
  rules: readonly FaultRuleRecord[]
  mayWrite: boolean
  onTask(task: RuleTask): void
  onChange(rule: FaultRuleRecord): void
}

export function useRuleColumns({
  rules,
  mayWrite,
  onTask,
  onChange,
}: RuleColumnsOptions): DataColumn<FaultRuleRecord>[] {
  const t = useTexts(ruleTexts)
  const fault = useTexts(faultTexts)
  const format = useFormat()
  const times = useBuildingTimes()
  const model = useBuildingData()
  const { conditionOf, scopeOf } = useRuleTexts()
  const nameOf = useRuleName()
  const faultsOf = useRuleFaults()
  return useMemo(() => {
    const counts = new Map<FaultRuleRecord, number>()
    const watched = (rule: FaultRuleRecord) => {
      const count = counts.get(rule) ?? watchedPoints(rule, rules, model).length
      counts.set(rule, count)
      return count
    }
    const columns: DataColumn<FaultRuleRecord>[] = [
      {
        key: 'name',
        title: t('name'),
        isHeader: true,
        value: nameOf,
        cell: (rule) => (
          <span className={styles.rule}>
            {nameOf(rule)}
            {rule.isDefault ? null : <Badge tone="info">{t('ownRule')}</Badge>}
          </span>
        ),
      },
      {
        key: 'severity',
        title: t('severity'),
        filter: 'choice',
        choices: SEVERITIES.map((value) => ({ value, label: fault(value) })),
        value: ({ severity }) => severity,
        cell: ({ severity }) => (
          <span className={styles.severity} title={fault(severity)}>
            <SeverityMark severity={severity} />
            <span>{fault(severity)}</span>
          </span>
        ),
      },
      {
        key: 'kind',
        title: t('kind'),
        filter: 'choice',
        choices: FAULT_RULE_KINDS.map((value) => ({ value, label: t(value) })),
        value: ({ kind }) => kind,
        cell: ({ kind }) => t(kind),
        isOptional: true,
      },
      { key: 'condition', title: t('condition'), value: conditionOf },
      { key: 'scope', title: t('appliesTo'), value: scopeOf, filter: 'text' },
      { key: 'watched', title: t('watched'), isNumeric: true, value: watched },
      { key: 'active', title: t('active'), isNumeric: true, value: ({ id }) => faultsOf(id) ?? null },
      {
        key: 'origin',
        title: t('origin'),
        isOptional: true,
        filter: 'choice',
        choices: [
          { value: 'default', label: t('builtIn') },
          { value: 'own', label: t('ownRule') },
        ],
        value: ({ isDefault }) => (isDefault ? 'default' : 'own'),
        cell: ({ isDefault }) => t(isDefault ? 'builtIn' : 'ownRule'),
      },
      {
        key: 'updated',
        title: t('updated'),
        isOptional: true,
        value: ({ updatedAt }) => updatedAt,
        cell: ({ updatedAt }) => (
          <time dateTime={updatedAt} title={times.dateTime(updatedAt)}>
            {format.relative(updatedAt)}
          </time>
        ),
      },
      {
        key: 'enabled',
        title: t('enabled'),
        filter: 'choice',
        value: ({ enabled }) => enabled,
        ...(mayWrite
          ? {
              cell: (rule: FaultRuleRecord) => (
                <EnableSwitch rule={rule} activeFaults={faultsOf(rule.id)} onChange={onChange} />
              ),
            }
          : {}),
      },
    ]
    if (mayWrite) {
      columns.push({
        key: 'actions',
        title: t('actions'),
        hideTitle: true,
        value: () => null,
        cell: (rule) => {
          const name = nameOf(rule)
          return (
            <span className={styles.ruleActions}>
              <Button
                small
                label={t('edit')}
                aria-label={t('editOf', { name })}
                onClick={() => onTask({ kind: 'edit', rule })}
              />
              <Button
                small
                kind="quiet"
                iconOnly
                icon="copy"
                label={t('duplicateOf', { name })}
                onClick={() => onTask({ kind: 'create', from: rule })}
              />
              <Button
                small
                kind="quiet"
                iconOnly
                icon="trash"
                label={t('deleteOf', { name })}
                onClick={() => onTask({ kind: 'delete', rule })}
              />
            </span>
          )
        },
      })
    }
    return columns
  }, [t, fault, format, times, rules, model, conditionOf, scopeOf, nameOf, faultsOf, mayWrite, onTask, onChange])
}
