import {
  Button,
  ConfirmDialog,
  EmptyState,
  ErrorPanel,
  isGone,
  LoadingState,
  Panel,
  useLoad,
  useToasts,
  useWords,
} from '@storey/web'
import { type ReactNode, useEffect, useState } from 'react'
import { accountWords } from './account-words.ts'
import { AddMemberDialog } from './add-member-dialog.tsx'
import { MadeDialog } from './made-dialog.tsx'
import type { Made, Member, NewMember } from './member.ts'
import { MemberTable } from './member-table.tsx'

export interface MembersPanelProps {
  title: string
  lead: string
  addLabel: string
  emptyTitle: string
  emptyText: string
  nameLabel: string
  nameType: 'email' | 'text'
  /** Names the list for all who load it. */
  listKey: readonly string[]
  list(signal: AbortSignal): Promise<readonly Member[]>
  create(member: NewMember): Promise<Made>
  remove(id: string): Promise<void>
  /** The sandbox itself may be gone. */
  onGone(): void
}

/** People and programs are listed, made and removed alike. */
export function MembersPanel(props: MembersPanelProps): ReactNode {
  const { data, error, reload } = useLoad(props.listKey, props.list, { onReturn: true })
  const { onGone } = props
  useEffect(() => {
    if (isGone(error)) onGone()
  }, [error, onGone])
  const [isAdding, setIsAdding] = useState(false)
  const [made, setMade] = useState<Made & { name: string }>()
  const [removing, setRemoving] = useState<Member>()
  const add = <Button label={props.addLabel} icon="plus" onClick={() => setIsAdding(true)} />
  return (
    <Panel title={props.title} lead={props.lead} actions={data && data.length > 0 ? add : undefined} flush>
      <ErrorPanel error={error} onRetry={reload} />
      {data ? (
        <MemberTable
          caption={props.title}
          nameLabel={props.nameLabel}
          rows={data}
          onRemove={setRemoving}
          empty={<EmptyState level={3} icon="person" title={props.emptyTitle} text={props.emptyText} action={add} />}
        />
      ) : error ? null : (
        <LoadingState />
      )}
      {isAdding ? (
        <AddMemberDialog
          title={props.addLabel}
          nameLabel={props.nameLabel}
          nameType={props.nameType}
          onClose={() => setIsAdding(false)}
          onAdd={async (member) => {
            const whatIsMade = await props.create(member)
            setIsAdding(false)
            setMade({ name: member.name, ...whatIsMade })
            reload()
          }}
        />
      ) : null}
      {made ? <MadeDialog {...made} onClose={() => setMade(undefined)} /> : null}
      {removing ? (
        <RemoveDialog
          member={removing}
          remove={props.remove}
          onClose={() => setRemoving(undefined)}
          onRemoved={reload}
        />
      ) : null}
    </Panel>
  )
}

interface RemoveDialogProps {
  member: Member
  remove(id: string): Promise<void>
  onClose(): void
  onRemoved(): void
}

function RemoveDialog({ member, remove, onClose, onRemoved }: RemoveDialogProps): ReactNode {
  const t = useWords(accountWords)
  const toasts = useToasts()
  const { id, name } = member
  const removal = async () => {
    await remove(id)
    toasts.show(t('removed', { name }), 'good', id)
    onClose()
    onRemoved()
  }
  return (
    <ConfirmDialog title={t('removeTitle', { name })} confirmLabel={t('remove')} onConfirm={removal} onClose={onClose}>
      <p>{t('removeText')}</p>
    </ConfirmDialog>
  )
}
