import type { SandboxRecord } from '@storey/sdk'
import { ButtonLink, ErrorPanel, isGone, Link, type Loading, LoadingState, Page, useRoute, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { usePageTitle } from '../app/page-title.ts'
import { GonePage } from './gone-page.tsx'
import { sandboxWords } from './sandbox-words.ts'
import { StatusBadge } from './status-badge.tsx'

interface SandboxFrameProps {
  id: string
  sandbox: Loading<SandboxRecord>
  /** The section, for the document's title. */
  section: 'overview' | 'connect' | 'accounts'
  children: (record: SandboxRecord) => ReactNode
}

/** What the three pages of a sandbox have in common. */
export function SandboxFrame(props: SandboxFrameProps): ReactNode {
  return isGone(props.sandbox.error) ? <GonePage /> : <Frame {...props} />
}

function Frame({ id, sandbox, section, children }: SandboxFrameProps): ReactNode {
  const t = useWords(sandboxWords)
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
            <StatusBadge status={record.status} />
            {t(record.buildingType)} · {t('storeys', { n: record.storeys })}
          </span>
        ) : undefined
      }
      actions={
        record?.status === 'ready' && record.consoleUrl ? (
          <ButtonLink to={record.consoleUrl} label={t('open')} icon="external" kind="primary" />
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
