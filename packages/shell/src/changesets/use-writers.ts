import type { ChangesetRecord } from '@storey/sdk'
import { useShell } from '../app/shell.ts'

/** Whether the reader is who the API names so. */
function useIsMe(): (actor: string) => boolean {
  const { user } = useShell().session
  return (actor) => actor === user.email || actor === user.name
}

/** Whoever wrote any of it does not review it. */
export function useIsWriter({ trail }: Pick<ChangesetRecord, 'trail'>): boolean {
  const isMe = useIsMe()
  return trail.some(({ action, actor }) => (action === 'create' || action === 'change') && isMe(actor))
}

/** A draft is its author's to change, until it is submitted. */
export function useMayEdit(): (changeset: Pick<ChangesetRecord, 'state' | 'author'>) => boolean {
  const { may } = useShell()
  const isMe = useIsMe()
  return ({ state, author }) => state === 'draft' && isMe(author) && may('building.changesets:write')
}
