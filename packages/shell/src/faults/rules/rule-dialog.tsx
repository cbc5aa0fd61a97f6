import type { FaultRuleRecord } from '@storey/sdk'
import {
  Button,
  changeRecord,
  Dialog,
  ErrorPanel,
  fieldErrors,
  isNotFound,
  Note,
  useAction,
  useTexts,
  useToasts,
  useUnsavedGuard,
} from '@storey/web'
import { type FormEvent, type ReactNode, useId, useRef, useState } from 'react'
import { useShell } from '../../app/shell.ts'
import { useReturnFocus } from '../../collaboration/use-return-focus.ts'
import { useRuleName } from '../rule-names.ts'
import { RuleForm } from './rule-fields.tsx'
import { fieldsOf, patchOf, problemsOf, type RuleFields, ruleOf } from './rule-form.ts'
import { ruleTexts } from './texts.ts'

interface RuleDialogProps {
  /** The rule to edit. Without one the dialog creates a rule. */
  rule?: FaultRuleRecord
  /** If given, the new rule is a copy of this one. */
  from?: FaultRuleRecord | undefined
  /** All rules of the building. */
  rules: readonly FaultRuleRecord[]
  onSaved(rule: FaultRuleRecord): void
  onClose(): void
}

class ChangedElsewhere extends Error {}

/** Creates or edits a rule. */
export function RuleDialog({ rule, from, rules, onSaved, onClose }: RuleDialogProps): ReactNode {
  const t = useTexts(ruleTexts)
  const { api } = useShell()
  const toasts = useToasts()
  const nameOf = useRuleName()
  const form = useId()
  const [original] = useState((): RuleFields => {
    const fields = fieldsOf(rule ?? from)
    return from ? { ...fields, name: t('copyOf', { name: nameOf(from) }) } : fields
  })
  const [fields, setFields] = useState(original)
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const [isChangedElsewhere, setIsChangedElsewhere] = useState(false)
  const known = useRef(rule)
  const isDirty = JSON.stringify(fields) !== JSON.stringify(original)
  useUnsavedGuard(isDirty)

  /** Warns once if somebody else changed the rule; the next save overwrites only the fields that the user changed. */
  const update = (before: FaultRuleRecord) =>
    changeRecord(before, {
      read: () => api.faultRules.get(before.id),
      check(now) {
        if (now.updatedAt === before.updatedAt) return
        known.current = now
        throw new ChangedElsewhere()
      },
      send: (options) => api.faultRules.update(before.id, patchOf(original, fields), options),
    })
  const save = useAction(async () => {
    setIsChangedElsewhere(false)
    try {
      const saved = known.current ? await update(known.current) : await api.faultRules.create(ruleOf(fields))
      toasts.show(t(rule ? 'saved' : 'created', { name: nameOf(saved) }))
      onSaved(saved)
      onClose()
    } catch (error) {
      if (!(error instanceof ChangedElsewhere)) throw error
      setIsChangedElsewhere(true)
    }
  })
  useReturnFocus(save.isBusy)
  const problems = wasSubmitted ? problemsOf(fields) : {}
  const onSubmit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (Object.keys(problemsOf(fields)).length === 0) void save.run()
    else {
      const element = event.currentTarget
      requestAnimationFrame(() => element.querySelector<HTMLElement>('[aria-invalid]')?.focus())
    }
  }
  return (
    <Dialog
      title={t(rule ? 'editTitle' : 'createTitle')}
      onClose={onClose}
      dismissible={!isDirty}
      wide
      footer={
        <>
          <Button label={t('cancel')} onClick={onClose} />
          <Button
            kind="primary"
            type="submit"
            form={form}
            label={t(rule ? 'save' : 'create')}
            disabled={rule !== undefined && !isDirty}
            isBusy={save.isBusy}
          />
        </>
      }
    >
      <form id={form} className="st-stack" onSubmit={onSubmit} noValidate>
        <RuleForm
          fields={fields}
          rule={rule}
          rules={rules}
          problems={problems}
          refused={fieldErrors(save.error)}
          onChange={(changed) => setFields((before) => ({ ...before, ...changed }))}
        />
        {isChangedElsewhere ? (
          <div role="alert">
            <Note tone="warn">
              <strong>{t('changedMeanwhile')}</strong>
              <p>{t('changedMeanwhileText')}</p>
            </Note>
          </div>
        ) : null}
        {rule && isNotFound(save.error) ? (
          <div role="alert">
            <Note tone="warn">{t('deletedMeanwhile')}</Note>
          </div>
        ) : (
          <ErrorPanel error={save.error} />
        )}
      </form>
    </Dialog>
  )
}
