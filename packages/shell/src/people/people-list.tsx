import type { PersonRecord } from '@storey/sdk'
import {
  Badge,
  type DataColumn,
  DataTable,
  EmptyState,
  ErrorPanel,
  LoadingState,
  Page,
  Panel,
  useTexts,
} from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useShell } from '../app/shell.ts'
import { isConflict } from '../collaboration/conflict.ts'
import { External } from './external.tsx'
import styles from './people.module.css'
import { peopleTexts } from './texts.ts'
import { usePeople } from './use-people.ts'

/** The email addresses of the accounts, for users who may not manage accounts. */
export function PeopleList(): ReactNode {
  const t = useTexts(peopleTexts)
  const { user } = useShell().session
  const { data, error, reload } = usePeople()
  const columns = useMemo<DataColumn<PersonRecord>[]>(
    () => [
      {
        key: 'email',
        title: t('email'),
        isHeader: true,
        value: ({ email }) => email,
        cell: ({ id, email }) => (
          <span className={styles.name}>
            {email}
            {id === user.id ? <Badge tone="info">{t('you')}</Badge> : null}
          </span>
        ),
      },
    ],
    [t, user.id],
  )
  if (isConflict(error)) return <External />
  return (
    <Page title={t('title')} lead={t('leadReader')} wide>
      <ErrorPanel error={error} onRetry={reload} />
      {data ? (
        <Panel title={t('accounts')} flush>
          <DataTable
            name="people"
            caption={t('title')}
            rows={data}
            rowKey={({ id }) => id}
            columns={columns}
            search
            empty={<EmptyState icon="person" title={t('none')} text={t('noneText')} />}
          />
        </Panel>
      ) : error === undefined ? (
        <LoadingState />
      ) : null}
    </Page>
  )
}
