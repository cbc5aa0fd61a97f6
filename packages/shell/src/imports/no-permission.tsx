import { EmptyState, Page, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { importTexts } from './texts.ts'

/** Shown on the pages of imports to users whose role has no permission for them. */
export function NoPermission({ title }: { title: string }): ReactNode {
  const t = useTexts(importTexts)
  return (
    <Page title={title}>
      <EmptyState icon="key" title={t('noPermission')} text={t('noPermissionText')} />
    </Page>
  )
}
