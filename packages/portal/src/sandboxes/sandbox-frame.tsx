import type { SandboxRecord } from '@storey/sdk'
import {
  ButtonLink,
  ErrorPanel,
  isNotFound,
  Link,
  type Loading,
  LoadingState,
  Page,
  useRoute,
  useTexts,
} from '@storey/web'
import type { ReactNode } from 'react'
import { usePageTitle } from '../app/page-title.ts'
import { SandboxNotFoundPage } from './sandbox-not-found-page.tsx'
import { sandboxTexts } from './sandbox-texts.ts'
import { StatusBadge } from './status-badge.tsx'

interface SandboxFrameProps {
  id: string
  sandbox: Loading<SandboxRecord>
  /** Used in the document title. */
  section: 'overview' | 'connect' | 'accounts'
  children: (record: SandboxRecord) => ReactNode
}

/** Header, status and navigation of the three pages of a sandbox. */
export function SandboxFrame(props: SandboxFrameProps): ReactNode {
  return isNotFound(props.sandbox.error) ? <SandboxNotFoundPage /> : <Frame {...props} />
}

function Frame({ id, sandbox, section, children }: SandboxFrameProps): ReactNode {
  const t = useTexts(sandboxTexts)
  const { path } = useRoute()
  const { data: record, error, reload } = sandbox
  usePageTitle(record ? (section === 'overview' ? record.name : `${t(section)}: ${record.name}`) : t('title'))
  const base = `/sandboxes/${id}`
  const sections = [
    [base, t('overview')],
    [`${base}/connect`, t('connect')],
    [`${base}/accounts`, t('accounts')],
  ] as const
  return (
    <Page
      title={record?.name ?? id}
      back={{ to: '/', label: t('back') }}
      lead={
        record ? (
          <span className="st-row">
            <StatusBadge {...record} />
            {t(record.buildingType)} · {t('storeys', { n: record.storeys })}
          </span>
        ) : undefined
      }
      actions={
        record?.status === 'ready' && record.consoleUrl ? (
          <ButtonLink to={`${base}/console`} label={t('open')} icon="external" kind="primary" />
        ) : undefined
      }
    >
      <ErrorPanel error={error} onRetry={reload} />
      {record ? (
        <>
          <nav className="sections" aria-label={t('sections')}>
            {sections.map(([to, label]) => (
              <Link key={to} to={to} aria-current={path === to ? 'page' : undefined}>
                {label}
              </Link>
            ))}
          </nav>
          {children(record)}
        </>
      ) : error ? null : (
        <LoadingState />
      )}
    </Page>
  )
}
