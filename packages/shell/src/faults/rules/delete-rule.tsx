import type { FaultRuleRecord } from '@storey/sdk'
import { ConfirmDialog, changeListed, isNotFound, useTexts, useToasts } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../../app/shell.ts'
import { useRuleName } from '../rule-names.ts'
import { ResolvedFaultsNote } from './resolved-faults-note.tsx'
import { ruleTexts } from './texts.ts'
import { useRuleFaults } from './use-rule-faults.ts'

interface DeleteRuleProps {
  rule: FaultRuleRecord
  /** Called with the current rule if somebody else has changed it. */
  onOutdated(rule: FaultRuleRecord): void
  onDeleted(): void
  onClose(): void
}

/** Asks before a rule is deleted, and explains what happens to its faults. */
export function DeleteRule({ rule, onOutdated, onDeleted, onClose }: DeleteRuleProps): ReactNode {
  const t = useTexts(ruleTexts)
  const { api } = useShell()
  const toasts = useToasts()
  const { id } = rule
  const [known, setKnown] = useState(rule)
  const name = useRuleName()(known)
  const activeFaults = useRuleFaults()(id)
  const remove = async () => {
    await changeListed(known, {
      read: () => api.faultRules.get(id),
      isShown: ({ updatedAt }) => updatedAt === known.updatedAt,
      onOutdated(now) {
        setKnown(now)
        onOutdated(now)
      },
      send: (options) => api.faultRules.delete(id, options),
    }).catch((error) => {
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
