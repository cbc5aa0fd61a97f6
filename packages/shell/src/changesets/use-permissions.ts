import type { ChangesetRecord } from '@storey/sdk'
import { useShell } from '../app/shell.ts'

/** Whether an actor name of the API is the signed-in user. */
function useIsMe(): (actor: string) => boolean {
  const { user } = useShell().session
  return (actor) => actor === user.actor
}

/** Whether the user has created or edited the changeset. If so, the console lets only others review it. */
export function useHasEdited({ trail }: Pick<ChangesetRecord, 'trail'>): boolean {
  const isMe = useIsMe()
  return trail.some(({ action, actor }) => (action === 'create' || action === 'change') && isMe(actor))
}

/**
 * Whether the console lets the user edit a changeset: only a draft, only its author, and only with the permission to
 * write changesets. The API lets everybody with this permission change a draft.
 */
export function useMayEdit(): (changeset: Pick<ChangesetRecord, 'state' | 'author'>) => boolean {
  const { may } = useShell()
  const isMe = useIsMe()
  return ({ state, author }) => state === 'draft' && isMe(author) && may('building.changesets:write')
}
