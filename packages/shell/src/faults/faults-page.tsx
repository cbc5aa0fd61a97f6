import { ButtonLink, Page, setQuery, Tabs, useRoute, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { ActiveFaults } from './active-faults.tsx'
import { ResolvedFaults } from './resolved-faults.tsx'
import { faultTexts } from './texts.ts'

export default function FaultsPage(): ReactNode {
  const t = useTexts(faultTexts)
  const { may } = useShell()
  const { query } = useRoute()
  return (
    <Page
      title={t('title')}
      wide
      lead={may('building.faults:write') ? undefined : t('readOnly')}
      actions={<ButtonLink to="/faults/rules" icon="list" label={t('rules')} />}
    >
      <Tabs
        label={t('title')}
        selected={query.get('show') === 'past' ? 'past' : 'active'}
        onSelect={(key) => setQuery({ show: key === 'past' ? 'past' : null })}
        tabs={[
          { key: 'active', label: t('active'), content: () => <ActiveFaults /> },
          { key: 'past', label: t('past'), content: () => <ResolvedFaults /> },
        ]}
      />
    </Page>
  )
}
