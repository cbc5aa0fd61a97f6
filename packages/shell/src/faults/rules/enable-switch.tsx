import type { FaultRuleRecord } from '@storey/sdk'
import { ConfirmDialog, changeListed, ErrorPanel, useAction, useTexts, useToasts } from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../../app/shell.ts'
import { useReturnFocus } from '../../collaboration/use-return-focus.ts'
import styles from '../faults.module.css'
import { useRuleName } from '../rule-names.ts'
import { ResolvedFaultsNote } from './resolved-faults-note.tsx'
import { ruleTexts } from './texts.ts'

interface EnableSwitchProps {
  rule: FaultRuleRecord
  /**
   * The number of active faults of the rule; undefined if it is unknown. Disabling a rule resolves its active faults,
   * so the switch asks for confirmation, unless this number is 0.
   */
  activeFaults: number | undefined
  /** Called with the changed rule, also if somebody else has changed it. */
  onChange(rule: FaultRuleRecord): void
}

/** Enables and disables a rule. */
export function EnableSwitch({ rule, activeFaults, onChange }: EnableSwitchProps): ReactNode {
  const t = useTexts(ruleTexts)
  const { api } = useShell()
  const toasts = useToasts()
  const name = useRuleName()(rule)
  const [isConfirming, setIsConfirming] = useState(false)
  const set = async (enabled: boolean) => {
    const changed = await changeListed(rule, {
      read: () => api.faultRules.get(rule.id),
      isShown: ({ updatedAt }) => updatedAt === rule.updatedAt,
      onOutdated: onChange,
      send: (options) => api.faultRules.update(rule.id, { enabled }, options),
    })
    toasts.show(t(enabled ? 'enabledNow' : 'disabledNow', { name }))
    onChange(changed)
  }
  const action = useAction(set)
  const container = useReturnFocus<HTMLSpanElement>(action.isBusy)
  const onClick = () => {
    if (rule.enabled && activeFaults !== 0) setIsConfirming(true)
    else void action.run(!rule.enabled)
  }
  return (
    <span ref={container} tabIndex={-1}>
      <button
        type="button"
        role="switch"
        className={styles.switch}
        aria-checked={rule.enabled}
        aria-label={t('enabledOf', { name })}
        disabled={action.isBusy}
        onClick={onClick}
      />
      <ErrorPanel error={action.error} />
      {isConfirming ? (
        <ConfirmDialog
          title={t('disableTitle', { name })}
          confirmLabel={t('disable')}
          onConfirm={async () => {
            await set(false)
            setIsConfirming(false)
          }}
          onClose={() => setIsConfirming(false)}
        >
          <ResolvedFaultsNote n={activeFaults} />
        </ConfirmDialog>
      ) : null}
    </span>
  )
}
