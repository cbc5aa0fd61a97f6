import { Page, Select, setQuery, Tabs, useRoute, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { ActiveFaults } from './active-faults.tsx'
import { ResolvedFaults } from './resolved-faults.tsx'
import { SEVERITIES } from './severities.ts'
import { faultTexts } from './texts.ts'

const ANY = ''

export default function FaultsPage(): ReactNode {
  const t = useTexts(faultTexts)
  const { may } = useShell()
  const { query } = useRoute()
  const severity = SEVERITIES.find((one) => one === query.get('severity'))
  return (
    <Page
      title={t('title')}
      wide
      lead={may('building.faults:write') ? undefined : t('readOnly')}
      actions={
        <Select
          label={t('severity')}
          value={severity ?? ANY}
          options={[
            { value: ANY, label: t('anySeverity') },
            ...SEVERITIES.map((value) => ({ value, label: t(value) })),
          ]}
          onValue={(value) => setQuery({ severity: value || null })}
        />
      }
    >
      <Tabs
        label={t('title')}
        selected={query.get('show') === 'past' ? 'past' : 'active'}
        onSelect={(key) => setQuery({ show: key === 'past' ? 'past' : null })}
        tabs={[
          { key: 'active', label: t('active'), content: () => <ActiveFaults severity={severity} /> },
          { key: 'past', label: t('past'), content: () => <ResolvedFaults severity={severity} /> },
        ]}
      />
    </Page>
  )
}
