import type { RequestQuery } from '@storey/sdk'
import { Checkbox, Select, setQuery, TextField, useTexts } from '@storey/web'
import { type ReactNode, useEffect, useState } from 'react'
import styles from './requests.module.css'
import { CATEGORIES, PRIORITIES, STATES } from './states.ts'
import { requestTexts } from './texts.ts'

export type RequestFilters = Pick<RequestQuery, 'search' | 'state' | 'priority' | 'category' | 'overdue' | 'spaceId'>
export const FILTERS = ['search', 'state', 'priority', 'category', 'overdue', 'space'] as const

/** The filters are in the query string, so that a list can be shared as a link. Unknown values are ignored. */
export function filtersOf(query: URLSearchParams): RequestFilters {
  const search = query.get('search')?.trim()
  const state = STATES.find((one) => one === query.get('state'))
  const priority = PRIORITIES.find((one) => one === query.get('priority'))
  const category = CATEGORIES.find((one) => one === query.get('category'))
  const spaceId = query.get('space')
  return {
    ...(search ? { search } : {}),
    ...(state ? { state } : {}),
    ...(priority ? { priority } : {}),
    ...(category ? { category } : {}),
    ...(query.get('overdue') === 'true' ? { overdue: true } : {}),
    ...(spaceId ? { spaceId } : {}),
  }
}

const DEBOUNCE_MS = 300
const ANY = ''

export function Filters({ filters }: { filters: RequestFilters }): ReactNode {
  const t = useTexts(requestTexts)
  const set = (name: (typeof FILTERS)[number], value: string) => setQuery({ [name]: value || null, page: null })
  const [search, setSearch] = useState(filters.search ?? '')
  const applied = filters.search ?? ''
  useEffect(() => setSearch((typed) => (typed.trim() === applied ? typed : applied)), [applied])
  useEffect(() => {
    if (search.trim() === applied) return
    const timer = setTimeout(() => setQuery({ search: search.trim() || null, page: null }), DEBOUNCE_MS)
    return () => clearTimeout(timer)
  }, [search, applied])
  const options = <Value extends string>(any: string, values: readonly Value[], label: (value: Value) => string) => [
    { value: ANY, label: any },
    ...values.map((value) => ({ value, label: label(value) })),
  ]
  return (
    <search className={styles.filters}>
      <TextField
        label={t('search')}
        type="search"
        value={search}
        onText={setSearch}
        placeholder={t('searchHint')}
        maxLength={200}
      />
      <Select
        label={t('state')}
        value={filters.state ?? ANY}
        options={options(t('anyState'), STATES, t)}
        onValue={(value) => set('state', value)}
      />
      <Select
        label={t('priority')}
        value={filters.priority ?? ANY}
        options={options(t('anyPriority'), PRIORITIES, t)}
        onValue={(value) => set('priority', value)}
      />
      <Select
        label={t('category')}
        value={filters.category ?? ANY}
        options={options(t('anyCategory'), CATEGORIES, t)}
        onValue={(value) => set('category', value)}
      />
      <Checkbox
        label={t('onlyOverdue')}
        checked={filters.overdue ?? false}
        onChecked={(checked) => set('overdue', checked ? 'true' : '')}
      />
    </search>
  )
}
