import type { ChangeOptions } from '@storey/sdk'
import {
  Button,
  ConfirmDialog,
  changeListed,
  EmptyState,
  ErrorPanel,
  isNotFound,
  LoadingState,
  Panel,
  sameRoles,
  useLoad,
  useTexts,
  useToasts,
} from '@storey/web'
import { type ReactNode, useEffect, useState } from 'react'
import { accountTexts } from './account-texts.ts'
import { AddMemberDialog } from './add-member-dialog.tsx'
import type { Member, MemberCreated, NewMember } from './member.ts'
import { MemberCreatedDialog } from './member-created-dialog.tsx'
import { MemberTable } from './member-table.tsx'

export interface MembersPanelProps {
  title: string
  lead: string
  addLabel: string
  emptyTitle: string
  emptyText: string
  nameLabel: string
  nameType: 'email' | 'text'
  /** The query key of the list. */
  listKey: readonly string[]
  list(signal: AbortSignal): Promise<readonly Member[]>
  create(member: NewMember): Promise<MemberCreated>
  read(id: string): Promise<Pick<Member, 'roles'>>
  remove(id: string, options: ChangeOptions): Promise<void>
  /** Called when the request for the list gets the response 404: the sandbox may have been deleted. */
  onNotFound(): void
}

/** A list of accounts or service accounts, with dialogs to add and remove an account. */
export function MembersPanel(props: MembersPanelProps): ReactNode {
  const { data, error, reload } = useLoad(props.listKey, props.list, { refetchOnFocus: true })
  const { onNotFound } = props
  useEffect(() => {
    if (isNotFound(error)) onNotFound()
  }, [error, onNotFound])
  const [isAdding, setIsAdding] = useState(false)
  const [created, setCreated] = useState<MemberCreated & { name: string }>()
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
            const result = await props.create(member)
            setIsAdding(false)
            setCreated({ name: member.name, ...result })
            reload()
          }}
        />
      ) : null}
      {created ? <MemberCreatedDialog {...created} onClose={() => setCreated(undefined)} /> : null}
      {removing ? (
        <RemoveDialog
          member={removing}
          read={props.read}
          remove={props.remove}
          onClose={() => setRemoving(undefined)}
          onChange={reload}
        />
      ) : null}
    </Panel>
  )
}

interface RemoveDialogProps extends Pick<MembersPanelProps, 'read' | 'remove'> {
  member: Member
  onClose(): void
  /** Called after the removal, and if somebody else has changed the account. */
  onChange(): void
}

function RemoveDialog({ member, read, remove, onClose, onChange }: RemoveDialogProps): ReactNode {
  const t = useTexts(accountTexts)
  const toasts = useToasts()
  const { id, name } = member
  const [roles, setRoles] = useState(member.roles)
  const removal = async () => {
    await changeListed(member, {
      read: () => read(id),
      isShown: (now) => sameRoles(now.roles, roles),
      onOutdated(now) {
        setRoles(now.roles)
        onChange()
      },
      send: (options) => remove(id, options),
    })
    toasts.show(t('removed', { name }), 'good', id)
    onClose()
    onChange()
  }
  return (
    <ConfirmDialog title={t('removeTitle', { name })} confirmLabel={t('remove')} onConfirm={removal} onClose={onClose}>
      <p>{t('removeText')}</p>
    </ConfirmDialog>
  )
}
