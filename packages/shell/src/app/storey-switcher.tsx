import { Icon, navigate, useRoute, useTexts } from '@storey/web'
import type { ReactNode } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { useStorey } from '../building/use-storey.ts'
import styles from './frame.module.css'
import { shellTexts } from './texts.ts'

/** The pages that show something of one storey. */
const STOREY_PAGE = /^\/(plan$|rooms\/|elements\/|points\/)/

/** Opens the plan of a storey from any page. */
export function StoreySwitcher(): ReactNode {
  const t = useTexts(shellTexts)
  const { path, query } = useRoute()
  const { storeys } = useBuildingData()
  const found = useStorey()
  const storey = STOREY_PAGE.test(path) ? found : undefined
  const go = (code: string) => {
    const next = new URLSearchParams(path === '/plan' ? query : {})
    next.set('storey', code)
    next.delete('room')
    navigate(`/plan?${next}`)
  }
  return (
    <span className={`st-select ${styles.switcher}`}>
      <select aria-label={t('storey')} value={storey?.code ?? ''} onChange={(event) => go(event.target.value)}>
        {storey ? null : (
          <option value="" disabled>
            {t('selectStorey')}
          </option>
        )}
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
