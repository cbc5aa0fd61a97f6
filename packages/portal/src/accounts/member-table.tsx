import { Button, type Column, RoleBadges, Table, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { accountTexts } from './account-texts.ts'
import type { Member } from './member.ts'

interface MemberTableProps {
  caption: string
  nameLabel: string
  rows: readonly Member[]
  onRemove(member: Member): void
  empty: ReactNode
}

export function MemberTable({ caption, nameLabel, rows, onRemove, empty }: MemberTableProps): ReactNode {
  const t = useTexts(accountTexts)
  const columns: Column<Member>[] = [
    {
      key: 'name',
      title: nameLabel,
      isHeader: true,
      cell: ({ name, clientId }) => (
        <span className="cell-title">
          {name}
          {clientId === undefined ? null : <small className="mono">{clientId}</small>}
        </span>
      ),
    },
    {
      key: 'roles',
      title: t('roles'),
      cell: ({ roles }) => <RoleBadges roles={roles} />,
    },
    {
      key: 'actions',
      title: t('actions'),
      hideTitle: true,
      cell: (member) => (
        <span className="cell-actions">
          <Button
            label={t('remove')}
            kind="danger"
            small
            aria-label={`${t('remove')}: ${member.name}`}
            onClick={() => onRemove(member)}
          />
        </span>
      ),
    },
  ]
  return <Table caption={caption} columns={columns} rows={rows} rowKey={({ id }) => id} empty={empty} />
}
