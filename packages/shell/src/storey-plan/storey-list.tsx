import type { StoreyNode } from '@storey/sdk'
import { Link, useRoute, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useRef } from 'react'
import { shellTexts } from '../app/texts.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { NodeMark } from '../fault-marks/node-mark.tsx'
import styles from './storey-plan.module.css'

/** The storeys, highest first. */
export function StoreyList({ current }: { current: StoreyNode | undefined }): ReactNode {
  const t = useTexts(shellTexts)
  const { query } = useRoute()
  const { storeys, spacesOf } = useBuildingData()
  const urlOf = (code: string) => {
    const next = new URLSearchParams(query)
    next.set('storey', code)
    next.delete('room')
    return `/plan?${next}`
  }
  const list = useRef<HTMLElement>(null)
  const id = current?.id
  // Scrolls the list, not the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls when the storey changes
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
        <Link key={id} to={urlOf(code)} aria-current={id === current?.id ? 'true' : undefined}>
          {code === name ? null : <code title={code}>{code}</code>}
          <span className={styles.storeyName} title={name}>
            {name}
          </span>
          <NodeMark nodeId={id} showsCount />
          <small>{spacesOf(id).length}</small>
        </Link>
      ))}
    </nav>
  )
}
