import type { StoreyNode } from '@storey/sdk'
import { Link, useRoute, useWords } from '@storey/web'
import { type ReactNode, useEffect, useRef } from 'react'
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
  const list = useRef<HTMLElement>(null)
  const id = current?.id
  // Only this box is scrolled: the page stays where it is.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another storey is another line to be seen
  useEffect(() => {
    const box = list.current
    const line = box?.querySelector<HTMLElement>('[aria-current]')
    if (!box || !line) return
    const [top, bottom] = [line.offsetTop - box.offsetTop, line.offsetTop - box.offsetTop + line.offsetHeight]
    if (top < box.scrollTop || bottom > box.scrollTop + box.clientHeight) {
      box.scrollTop = (top + bottom - box.clientHeight) / 2
    }
  }, [id])
  return (
    <nav ref={list} className={styles.storeys} aria-label={t('storeys')}>
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
