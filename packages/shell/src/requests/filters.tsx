import type { RequestQuery } from '@storey/sdk'
import { Checkbox, Select, setQuery, TextField, useWords } from '@storey/web'
import { type ReactNode, useEffect, useState } from 'react'
import styles from './requests.module.css'
import { CATEGORIES, PRIORITIES, STATES } from './states.ts'
import { requestWords } from './words.ts'

export type RequestFilters = Pick<RequestQuery, 'search' | 'state' | 'priority' | 'category' | 'overdue' | 'spaceId'>
export const FILTERS = ['search', 'state', 'priority', 'category', 'overdue', 'space'] as const

/** The filters stand in the address, so that a list can be sent to somebody. What is not known there is passed over. */
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

const TYPING_MS = 300
const ANY = ''

export function Filters({ filters }: { filters: RequestFilters }): ReactNode {
  const t = useWords(requestWords)
  const set = (name: (typeof FILTERS)[number], value: string) => setQuery({ [name]: value || null, page: null })
  const [search, setSearch] = useState(filters.search ?? '')
  const given = filters.search ?? ''
  useEffect(() => setSearch((typed) => (typed.trim() === given ? typed : given)), [given])
  useEffect(() => {
    if (search.trim() === given) return
    const timer = setTimeout(() => setQuery({ search: search.trim() || null, page: null }), TYPING_MS)
    return () => clearTimeout(timer)
  }, [search, given])
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
