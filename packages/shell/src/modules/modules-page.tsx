import type { ModuleRecord } from '@storey/sdk'
import {
  Badge,
  Code,
  type Column,
  EmptyState,
  ErrorPanel,
  Link,
  LoadingState,
  Page,
  Panel,
  Table,
  useLoad,
  useTexts,
} from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { useBuildingTimes } from '../building/building-times.ts'
import { installCommand } from './install-command.ts'
import styles from './modules.module.css'
import { moduleTexts } from './texts.ts'

const firstModule = (sandbox: string) =>
  ['svc module create my-module', 'cd my-module', installCommand(sandbox), 'npm run dev:remote'].join('\n')

export default function ModulesPage(): ReactNode {
  const t = useTexts(moduleTexts)
  const times = useBuildingTimes()
  const { client, config } = useShell()
  const { data, error, reload } = useLoad(['modules'], (signal) => client.modules.list({ limit: 200 }, { signal }), {
    isCached: true,
  })

  const columns: Column<ModuleRecord>[] = [
    {
      key: 'name',
      title: t('name'),
      isHeader: true,
      cell: ({ slug, name }) => (
        <Link to={`/sandbox/${slug}`} aria-label={t('open', { name })}>
          {name}
        </Link>
      ),
    },
    { key: 'version', title: t('version'), cell: ({ version }) => version },
    { key: 'sdk', title: t('sdk'), cell: ({ sdkVersion }) => sdkVersion },
    {
      key: 'state',
      title: t('state'),
      cell: ({ compatible }) =>
        compatible ? <Badge tone="good">{t('compatible')}</Badge> : <Badge tone="bad">{t('notCompatible')}</Badge>,
    },
    {
      key: 'address',
      title: t('address'),
      cell: ({ remoteEntryUrl }) => <code className={styles.address}>{remoteEntryUrl}</code>,
    },
    {
      key: 'updated',
      title: t('updated'),
      cell: ({ updatedAt }) => <time dateTime={updatedAt}>{times.dateTime(updatedAt)}</time>,
    },
  ]
  return (
    <Page title={t('title')} lead={t('intro')} wide>
      <ErrorPanel error={error} onRetry={reload} />
      {data ? (
        <Panel flush>
          <Table
            caption={t('title')}
            columns={columns}
            rows={data.data}
            rowKey={({ slug }) => slug}
            empty={
              <EmptyState icon="plug" title={t('none')} text={t('noneText')}>
                <Code text={firstModule(config.sandboxSlug)} title="shell" />
              </EmptyState>
            }
          />
        </Panel>
      ) : error === undefined ? (
        <LoadingState />
      ) : null}
    </Page>
  )
}
