import { useMemo } from 'react'
import { setQuery, useRoute } from '../router/route.ts'
import type { Arrangement, Sort } from './arrange.ts'
import type { DataColumn } from './column.ts'

const SEARCH = 'q'
const SORT = 'sort'

/** The arrangement of a table in a query string. `prefix` distinguishes two tables on a page. */
export function readArrangement(
  query: URLSearchParams,
  columns: readonly DataColumn<never>[],
  prefix = '',
): Arrangement {
  const filters: Record<string, string> = {}
  for (const { key, filter } of columns) {
    const text = query.get(prefix + key)
    if (filter && text) filters[key] = text
  }
  return { search: query.get(prefix + SEARCH) ?? '', filters, sort: readSort(query.get(prefix + SORT)) }
}

function readSort(text: string | null): Sort | undefined {
  if (!text) return undefined
  return text.startsWith('-') ? { key: text.slice(1), isDescending: true } : { key: text, isDescending: false }
}

export const sortText = (sort: Sort | undefined): string | null =>
  sort ? `${sort.isDescending ? '-' : ''}${sort.key}` : null

/** A click on a header sorts ascending, then descending, then not at all. */
export function nextSort(sort: Sort | undefined, key: string): Sort | undefined {
  if (sort?.key !== key) return { key, isDescending: false }
  return sort.isDescending ? undefined : { key, isDescending: true }
}

export interface ArrangementInAddress extends Arrangement {
  isFiltered: boolean
  setSearch(text: string): void
  setFilter(key: string, text: string): void
  setSort(sort: Sort | undefined): void
  clear(): void
}

export function useArrangement(columns: readonly DataColumn<never>[], prefix: string): ArrangementInAddress {
  const { query } = useRoute()
  // The arrangement is compared as text, because a page can pass new columns on each render, and other parts of the
  // query can change.
  const read = JSON.stringify(readArrangement(query, columns, prefix))
  return useMemo(() => {
    const arrangement: Arrangement = JSON.parse(read)
    const keys = Object.keys(arrangement.filters)
    return {
      ...arrangement,
      isFiltered: keys.length > 0 || arrangement.search !== '',
      setSearch: (text) => setQuery({ [prefix + SEARCH]: text || null }),
      setFilter: (key, text) => setQuery({ [prefix + key]: text || null }),
      setSort: (sort) => setQuery({ [prefix + SORT]: sortText(sort) }),
      clear: () => setQuery(Object.fromEntries([SEARCH, ...keys].map((key) => [prefix + key, null]))),
    }
  }, [read, prefix])
}
