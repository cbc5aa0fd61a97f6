import type { ChangesetState } from '@storey/contract'
import type { ChangesetRecord } from '@storey/sdk'
import { ifUnchanged, useAction, useTexts, useToasts, useUnsavedGuard } from '@storey/web'
import { useState } from 'react'
import { useShell } from '../app/shell.ts'
import { isConflict } from '../collaboration/conflict.ts'
import { changesetTexts } from './texts.ts'

export type ChangesetAction = 'submit' | 'approve' | 'reject' | 'apply' | 'revert'

/**
 * Called after a step that succeeded, and after a step that the API refused because of a conflict.
 * `isGraphChanged` is true if the step changed the building.
 */
export type OnStep = (isGraphChanged: boolean) => Promise<void>

export interface StepRunner {
  comment: string
  setComment(text: string): void
  isBusy: boolean
  error: unknown
  /** The state of the changeset when the last step was started. */
  attemptedState: ChangesetState | undefined
  run(action: ChangesetAction): Promise<boolean>
}

/** Runs a step. If the API refuses the step because of a conflict, the changeset is loaded again. */
export function useStepRunner(changeset: ChangesetRecord, onStep: OnStep): StepRunner {
  const { id, state } = changeset
  const t = useTexts(changesetTexts)
  const { api } = useShell()
  const toasts = useToasts()
  const [comment, setComment] = useState('')
  useUnsavedGuard(comment.trim() !== '')
  const [attemptedState, setAttemptedState] = useState<ChangesetState>()
  const step = useAction(async (action: ChangesetAction) => {
    const text = comment.trim() === '' ? {} : { comment: comment.trim() }
    const { changesets } = api
    try {
      const after =
        action === 'approve' || action === 'reject'
          ? await changesets.review(id, { decision: action, ...text }, ifUnchanged(changeset))
          : await changesets[action](id, text, ifUnchanged(changeset))
      setComment('')
      toasts.show(t('done', { state: t(after.state) }))
      await onStep(action === 'apply' || action === 'revert')
    } catch (error) {
      if (isConflict(error)) await onStep(false)
      throw error
    }
  })
  return {
    comment,
    setComment,
    isBusy: step.isBusy,
    error: step.error,
    attemptedState,
    run(action) {
      setAttemptedState(state)
      return step.run(action)
    },
  }
}
