import { EmptyState, Page, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useShell } from '../app/shell.ts'
import { peopleTexts } from './texts.ts'

/** Shown if the accounts are managed at an external identity provider, which Storey does not administer. */
export function External(): ReactNode {
  const t = useTexts(peopleTexts)
  const { config } = useShell()
  const texts = { issuer: config.issuer ?? '', tenant: config.organizationId }
  return (
    <Page title={t('title')}>
      <EmptyState icon="person" title={t('external')} text={t('externalText', texts)} />
    </Page>
  )
}
