import { Button, EmptyState, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { appWords } from './words.ts'

export function Unreachable(): ReactNode {
  const t = useWords(appWords)
  return (
    <main className="st-alone">
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
