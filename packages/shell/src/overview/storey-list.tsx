import type { StoreyNode } from '@storey/sdk'
import { Link, useRoute, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { shellWords } from '../app/words.ts'
import { useBuildingData } from '../building/building-data.tsx'
import styles from './overview.module.css'

/** The storeys as they stand: the highest on top. */
export function StoreyList({ current }: { current: StoreyNode | undefined }): ReactNode {
  const t = useWords(shellWords)
  const { query } = useRoute()
  const { storeys, spacesOf } = useBuildingData()
  const addressOf = (code: string) => {
    const next = new URLSearchParams(query)
    next.set('storey', code)
    next.delete('room')
    return `/?${next}`
  }
  return (
    <nav className={styles.storeys} aria-label={t('storeys')}>
      {storeys.toReversed().map(({ id, code, name }) => (
        <Link key={id} to={addressOf(code)} aria-current={id === current?.id ? 'true' : undefined}>
          <code>{code}</code>
          <span>{name}</span>
          <small>{spacesOf(id).length}</small>
        </Link>
      ))}
    </nav>
  )
}
