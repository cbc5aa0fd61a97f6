import { LIVE_EVENTS } from '@storey/contract'
import { Button, Combobox, setQuery, TextField, useFormat, useRoute, useTexts } from '@storey/web'
import { type ReactNode, useMemo } from 'react'
import { useBuildingData } from '../building/building-data.tsx'
import { searchIndex } from '../search/find.ts'
import type { LogView } from './event-log.ts'
import styles from './events.module.css'
import type { EventFilter } from './filter-events.ts'
import { eventTexts } from './texts.ts'

/** The filter in the address: `?kind=a,b&node=id&q=text`. */
export function useEventFilter(): EventFilter {
  const { query } = useRoute()
  return useMemo(
    () => ({
      kinds: LIVE_EVENTS.filter((kind) => query.get('kind')?.split(',').includes(kind)),
      nodeId: query.get('node') ?? '',
      text: query.get('q') ?? '',
    }),
    [query],
  )
}

export const clearFilter = () => setQuery({ kind: null, node: null, q: null })

export function EventFilters({ filter, view }: { filter: EventFilter; view: LogView }): ReactNode {
  const t = useTexts(eventTexts)
  const format = useFormat()
  const building = useBuildingData()
  const { kinds, nodeId, text } = filter
  const options = useMemo(
    () => [
      ...building.storeys.map(({ id, name, code }) => ({ value: id, label: name, detail: code })),
      ...searchIndex(building).map(({ id, name, code, place }) => ({
        ...{ value: id, label: name, detail: place === '' ? code : `${code} · ${place}` },
      })),
    ],
    [building],
  )
  const toggle = (kind: string) => {
    const next = LIVE_EVENTS.filter((one) => (one === kind ? !kinds.includes(one) : kinds.includes(one)))
    setQuery({ kind: next.length === 0 ? null : next.join() })
  }
  return (
    <section className={styles.filters} aria-label={t('filters')}>
      {/* biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be a flex container in every browser */}
      <div className={styles.kinds} role="group" aria-label={t('kinds')}>
        <Button
          small
          kind={kinds.length === 0 ? 'plain' : 'quiet'}
          aria-pressed={kinds.length === 0}
          label={t('allKinds')}
          onClick={() => setQuery({ kind: null })}
        />
        {LIVE_EVENTS.map((kind) => (
          <Button
            key={kind}
            small
            kind={kinds.includes(kind) ? 'plain' : 'quiet'}
            aria-pressed={kinds.includes(kind)}
            label={`${kind} ${format.number(view.addedOf.get(kind) ?? 0)}`}
            onClick={() => toggle(kind)}
          />
        ))}
      </div>
      <div className={styles.fields}>
        <Combobox
          label={t('node')}
          options={options}
          value={nodeId}
          none={t('anyNode')}
          onChange={(value) => setQuery({ node: value || null })}
        />
        <TextField
          label={t('text')}
          placeholder={t('textHint')}
          type="search"
          value={text}
          onText={(value) => setQuery({ q: value || null })}
          autoComplete="off"
          spellCheck={false}
        />
      </div>
    </section>
  )
}
