import type { SandboxAccount } from '@storey/sdk'
import {
  Badge,
  Button,
  type DataColumn,
  DataTable,
  EmptyState,
  RoleBadges,
  useFormat,
  useRoleName,
  useTexts,
} from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useShell } from '../app/shell.ts'
import { inOrder } from './in-order.ts'
import styles from './people.module.css'
import { peopleTexts } from './texts.ts'

export type AccountStep = 'roles' | 'reset' | 'remove'

const PASSWORDS = ['set', 'one-time', 'link'] as const
const PASSWORD_TEXTS = { set: 'passwordSet', 'one-time': 'passwordOneTime', link: 'passwordLink' } as const

/** How the account signs in. */
function passwordOf({ isOwner, hasOneTimePassword }: SandboxAccount): (typeof PASSWORDS)[number] {
  if (isOwner) return 'link'
  return hasOneTimePassword ? 'one-time' : 'set'
}

interface AccountTableProps {
  rows: readonly SandboxAccount[]
  onStep(step: AccountStep, account: SandboxAccount): void
  add: ReactNode
}

export function AccountTable({ rows, onStep, add }: AccountTableProps): ReactNode {
  const t = useTexts(peopleTexts)
  const format = useFormat()
  const roleName = useRoleName()
  const { user } = useShell().session
  const columns = useMemo<DataColumn<SandboxAccount>[]>(
    () => [
      {
        key: 'email',
        title: t('email'),
        isHeader: true,
        value: ({ email }) => email,
        cell: ({ id, email, isOwner }) => (
          <span className={styles.name}>
            {email}
            {id === user.id ? <Badge tone="info">{t('you')}</Badge> : null}
            {isOwner ? <Badge>{t('owner')}</Badge> : null}
          </span>
        ),
      },
      {
        key: 'roles',
        title: t('roles'),
        value: ({ roles }) => inOrder(roles).map(roleName).join(', '),
        cell: ({ roles }) => <RoleBadges roles={inOrder(roles)} />,
      },
      {
        key: 'password',
        title: t('password'),
        value: passwordOf,
        choices: PASSWORDS.map((value) => ({ value, label: t(PASSWORD_TEXTS[value]) })),
        cell: (account) => <span className={styles.line}>{t(PASSWORD_TEXTS[passwordOf(account)])}</span>,
      },
      {
        key: 'added',
        title: t('added'),
        value: ({ createdAt }) => createdAt,
        cell: ({ createdAt }) => (
          <time className={styles.line} dateTime={createdAt}>
            {format.date(createdAt)}
          </time>
        ),
      },
      {
        key: 'actions',
        title: t('actions'),
        hideTitle: true,
        value: () => null,
        // Only another administrator can change the signed-in user's account. Nobody can change the owner's here.
        cell: (account) =>
          account.id === user.id || account.isOwner ? null : <Actions account={account} onStep={onStep} />,
      },
    ],
    [t, format, roleName, user.id, onStep],
  )
  return (
    <DataTable
      name="people"
      caption={t('title')}
      rows={rows}
      rowKey={({ id }) => id}
      columns={columns}
      search
      empty={<EmptyState icon="person" title={t('none')} text={t('noneText')} action={add} />}
    />
  )
}

interface ActionsProps {
  account: SandboxAccount
  onStep(step: AccountStep, account: SandboxAccount): void
}

function Actions({ account, onStep }: ActionsProps): ReactNode {
  const t = useTexts(peopleTexts)
  const button = (step: AccountStep, label: string, kind?: 'danger') => (
    <Button
      small
      label={label}
      {...(kind ? { kind } : {})}
      aria-label={`${label}: ${account.email}`}
      onClick={() => onStep(step, account)}
    />
  )
  return (
    <span className={styles.actions}>
      {button('roles', t('changeRoles'))}
      {button('reset', t('reset'))}
      {button('remove', t('remove'), 'danger')}
    </span>
  )
}
