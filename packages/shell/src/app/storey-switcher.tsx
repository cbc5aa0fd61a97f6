import { Icon, navigate, useRoute, useWords } from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { useStorey } from '../building/use-storey.ts'
import styles from './frame.module.css'
import { shellWords } from './words.ts'

/** Goes to a storey's plan from anywhere. */
export function StoreySwitcher(): ReactNode {
  const t = useWords(shellWords)
  const { path, query } = useRoute()
  const { storeys } = useBuildingData()
  const storey = useStorey()
  const go = (code: string) => {
    const next = new URLSearchParams(path === '/' ? query : {})
    next.set('storey', code)
    next.delete('room')
    navigate(`/?${next}`)
  }
  return (
    <span className={`st-select ${styles.switcher}`}>
      <select aria-label={t('storey')} value={storey?.code ?? ''} onChange={(event) => go(event.target.value)}>
        {storeys.toReversed().map(({ id, code, name }) => (
          <option key={id} value={code}>
            {name}
          </option>
        ))}
      </select>
      <Icon name="chevron" size={12} />
    </span>
  )
}
