import type { ChangesetState } from '@storey/contract'
import type { ChangesetRecord } from '@storey/sdk'
import { inVersion, useAction, useToasts, useWords } from '@storey/web'
import { useState } from 'react'
import { useShell } from '../app/shell.ts'
import { isConflict } from '../teamwork/conflict.ts'
import { changesetWords } from './words.ts'

export type Act = 'submit' | 'approve' | 'reject' | 'apply' | 'revert'

/** After a step, and after one that came too late: what changed is read anew. */
export type OnStep = (isWritten: boolean) => Promise<void>

export interface Take {
  comment: string
  setComment(text: string): void
  isBusy: boolean
  error: unknown
  /** The state in which the step that was refused was tried. */
  triedIn: ChangesetState | undefined
  run(act: Act): Promise<boolean>
}

/** Takes a step. One that somebody else made impossible reads the changeset anew, so that the next one is right. */
export function useTake(changeset: ChangesetRecord, onStep: OnStep): Take {
  const { id, state } = changeset
  const t = useWords(changesetWords)
  const { api } = useShell()
  const toasts = useToasts()
  const [comment, setComment] = useState('')
  const [triedIn, setTriedIn] = useState<ChangesetState>()
  const action = useAction(async (act: Act) => {
    const text = comment.trim() === '' ? {} : { comment: comment.trim() }
    const { changesets } = api
    try {
      const after =
        act === 'approve' || act === 'reject'
          ? await changesets.review(id, { decision: act, ...text }, inVersion(changeset))
          : await changesets[act](id, text, inVersion(changeset))
      setComment('')
      toasts.show(t('done', { state: t(after.state) }))
      await onStep(act === 'apply' || act === 'revert')
    } catch (error) {
      if (isConflict(error)) await onStep(false)
      throw error
    }
  })
  return {
    comment,
    setComment,
    isBusy: action.isBusy,
    error: action.error,
    triedIn,
    run(act) {
      setTriedIn(state)
      return action.run(act)
    },
  }
}
