import { Button, EmptyState, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { appTexts } from './texts.ts'

export function Unreachable(): ReactNode {
  const t = useTexts(appTexts)
  return (
    <main className="st-standalone">
      <EmptyState
        level={1}
        icon="plug"
        title={t('unreachable')}
        text={t('unreachableText')}
        action={<Button label={t('reload')} kind="primary" onClick={() => location.reload()} />}
      />
    </main>
  )
}
