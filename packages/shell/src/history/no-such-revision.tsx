import { Button, EmptyState, LoadingState, setQuery, useWords } from '@storey/web'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { historyWords } from './words.ts'

interface NoSuchRevisionProps {
  /** As the address has it. */
  at: string
  /** What the page reaches. */
  first: number
  last: number
}

/** The address leads nowhere: it says so, with the way out. */
export function NoSuchRevision({ at, first, last }: NoSuchRevisionProps): ReactNode {
  const t = useWords(historyWords)
  const { reload } = useBuildingData()
  const isNumber = /^[1-9]\d*$/.test(at)
  // It may have been written after the building was last read.
  const [isSure, setIsSure] = useState(!(isNumber && Number(at) > last))
  const latest = useRef(reload)
  useEffect(() => {
    if (!isSure) void latest.current().finally(() => setIsSure(true))
  }, [isSure])
  if (!isSure) return <LoadingState />
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
