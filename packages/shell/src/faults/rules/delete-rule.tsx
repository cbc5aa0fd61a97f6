import type { FaultRuleRecord } from '@storey/sdk'
import { ConfirmDialog, isNotFound, useTexts, useToasts } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../../app/shell.ts'
import { useRuleName } from '../rule-names.ts'
import { ResolvedFaultsNote } from './resolved-faults-note.tsx'
import { ruleTexts } from './texts.ts'
import { useRuleFaults } from './use-rule-faults.ts'

interface DeleteRuleProps {
  rule: FaultRuleRecord
  onDeleted(): void
  onClose(): void
}

/** Asks before a rule is deleted, and explains what happens to its faults. */
export function DeleteRule({ rule, onDeleted, onClose }: DeleteRuleProps): ReactNode {
  const t = useTexts(ruleTexts)
  const { api } = useShell()
  const toasts = useToasts()
  const { id } = rule
  const name = useRuleName()(rule)
  const activeFaults = useRuleFaults()(id)
  const remove = async () => {
    await api.faultRules.delete(id).catch((error) => {
      // Somebody else has already deleted the rule.
      if (!isNotFound(error)) throw error
    })
    toasts.show(t('deleted', { name }))
    onDeleted()
    onClose()
  }
  return (
    <ConfirmDialog title={t('deleteTitle', { name })} confirmLabel={t('delete')} onConfirm={remove} onClose={onClose}>
      <p>{t('deleteText')}</p>
      <ResolvedFaultsNote n={activeFaults} />
    </ConfirmDialog>
  )
}
