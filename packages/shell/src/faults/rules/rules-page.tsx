import type { FaultRuleRecord } from '@storey/sdk'
import { Button, DataTable, EmptyState, ErrorPanel, LoadingState, Page, Panel, useTexts } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../../app/shell.ts'
import { useFaultRules } from '../use-faults.ts'
import { DeleteRule } from './delete-rule.tsx'
import { useRuleColumns } from './rule-columns.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import type { RuleTask } from './rule-task.ts'
import { ruleTexts } from './texts.ts'

/** The rules that detect faults. */
export default function RulesPage(): ReactNode {
  const t = useTexts(ruleTexts)
  const { may } = useShell()
  const mayWrite = may('building.faults:write')
  const rules = useFaultRules()
  const [task, setTask] = useState<RuleTask>()
  const columns = useRuleColumns({ rules: rules.data ?? NONE, mayWrite, onTask: setTask, onChange: rules.replace })
  const newButton = mayWrite ? (
    <Button kind="primary" icon="plus" label={t('newRule')} onClick={() => setTask({ kind: 'create' })} />
  ) : null
  const close = () => setTask(undefined)
  return (
    <Page
      title={t('title')}
      lead={mayWrite ? t('lead') : `${t('lead')} ${t('readOnly')}`}
      back={{ to: '/faults', label: t('back') }}
      actions={newButton}
      wide
    >
      <ErrorPanel error={rules.error} onRetry={rules.reload} />
      {rules.data ? (
        <Panel flush>
          <DataTable
            name="fault-rules"
            caption={t('title')}
            rows={rules.data}
            rowKey={({ id }) => id}
            columns={columns}
            search
            empty={<EmptyState icon="list" title={t('none')} text={t('noneText')} action={newButton} />}
          />
        </Panel>
      ) : rules.error === undefined ? (
        <LoadingState />
      ) : null}
      {task?.kind === 'create' ? (
        <RuleDialog from={task.from} rules={rules.data ?? NONE} onSaved={rules.reload} onClose={close} />
      ) : null}
      {task?.kind === 'edit' ? (
        <RuleDialog rule={task.rule} rules={rules.data ?? NONE} onSaved={rules.replace} onClose={close} />
      ) : null}
      {task?.kind === 'delete' ? (
        <DeleteRule rule={task.rule} onOutdated={rules.replace} onDeleted={rules.reload} onClose={close} />
      ) : null}
    </Page>
  )
}

const NONE: readonly FaultRuleRecord[] = []
