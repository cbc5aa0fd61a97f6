import { ButtonLink, EmptyState, Page, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { layerTexts } from './texts.ts'

export function LayerNotFound(): ReactNode {
  const t = useTexts(layerTexts)
  return (
    <Page title={t('notFound')} back={{ to: '/layers', label: t('back') }}>
      <EmptyState
        icon="search"
        title={t('notFound')}
        text={t('notFoundText')}
        action={<ButtonLink to="/layers" label={t('allLayers')} />}
      />
    </Page>
  )
}
