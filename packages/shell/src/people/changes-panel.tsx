import type { AccountEvent } from '@storey/sdk'
import {
  Button,
  type Column,
  EmptyState,
  ErrorPanel,
  LoadingState,
  Panel,
  Table,
  useFormat,
  useLoad,
  useRoleName,
  useTexts,
} from '@storey/web'
import { type ReactNode, useState } from 'react'
import { useShell } from '../app/shell.ts'
import { inOrder } from './in-order.ts'
import { peopleTexts } from './texts.ts'

const STEP = 20
const MAX = 500

/** The newest changes of accounts. */
export function ChangesPanel(): ReactNode {
  const t = useTexts(peopleTexts)
  const format = useFormat()
  const { client } = useShell()
  const roleName = useRoleName()
  const [limit, setLimit] = useState(STEP)
  const load = useLoad(['account-changes', limit], (signal) => client.accounts.audit({ limit }, { signal }), {
    changes: 'people',
    keepsPrevious: true,
  })
  const namesOf = (roles: readonly string[] | null) => format.list(inOrder(roles ?? []).map(roleName))
  const actor = ({ actor: name }: AccountEvent) =>
    name === 'sandbox' ? t('bySandbox') : name.startsWith('key_') ? t('byKey', { key: name }) : name
  const columns: Column<AccountEvent>[] = [
    {
      key: 'time',
      title: t('time'),
      cell: ({ at }) => <time dateTime={at}>{format.dateTime(at)}</time>,
    },
    { key: 'account', title: t('account'), isHeader: true, cell: ({ email }) => email },
    {
      key: 'change',
      title: t('change'),
      cell: ({ action, rolesBefore, rolesAfter }) =>
        t(action, { before: namesOf(rolesBefore), roles: namesOf(rolesAfter) } as never),
    },
    { key: 'by', title: t('by'), cell: actor },
  ]
  return (
    <Panel title={t('changes')} lead={t('changesText')} flush>
      <ErrorPanel error={load.error} onRetry={load.reload} />
      {load.data ? (
        <>
          <Table
            caption={t('changes')}
            columns={columns}
            rows={load.data.data}
            rowKey={({ id }) => id}
            empty={<EmptyState level={3} icon="clock" title={t('noChanges')} />}
          />
          {load.data.nextBefore !== null && limit < MAX ? (
            <Button kind="quiet" label={t('showMore')} onClick={() => setLimit(Math.min(MAX, limit * 5))} />
          ) : null}
        </>
      ) : load.error === undefined ? (
        <LoadingState />
      ) : null}
    </Panel>
  )
}
