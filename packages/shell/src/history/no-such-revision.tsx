import { Button, EmptyState, LoadingState, setQuery, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { isRevisionNumber } from './revision-at.ts'
import { historyTexts } from './texts.ts'

interface NoSuchRevisionProps {
  /** The value in the URL; if that is the name of a snapshot, the number of its revision. */
  at: string
  /** The oldest loaded revision. */
  first: number
  last: number
}

/** Shown when the revision in the URL does not exist, or is older than the revisions that the page has loaded. */
export function NoSuchRevision({ at, first, last }: NoSuchRevisionProps): ReactNode {
  const t = useTexts(historyTexts)
  const { reload } = useBuildingData()
  const isNumber = isRevisionNumber(at)
  // The revision may be newer than the loaded building.
  const [isChecked, setIsChecked] = useState(!(isNumber && Number(at) > last))
  const latest = useRef(reload)
  useEffect(() => {
    if (!isChecked) void latest.current().finally(() => setIsChecked(true))
  }, [isChecked])
  if (!isChecked) return <LoadingState />
  const isTooOld = isNumber && Number(at) < first
  return (
    <EmptyState
      icon="search"
      title={isTooOld ? t('tooOld', { at }) : t('noRevision', { at })}
      text={isTooOld ? t('tooOldText', { n: String(first) }) : t('noRevisionText', { n: String(last) })}
      action={<Button label={t('showNewest')} onClick={() => setQuery({ at: null, from: null })} />}
    />
  )
}
