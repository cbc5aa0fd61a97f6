import { describe, expect, it } from 'vitest'
import { nextSort, readArrangement, sortText } from './address.ts'

const value = () => null
const columns = [
  { key: 'name', title: 'Name', value, filter: 'text' as const },
  { key: 'area', title: 'Area', value },
]
const read = (query: string, prefix?: string) => readArrangement(new URLSearchParams(query), columns, prefix)

describe('the search, filters and sort of a table in the URL', () => {
  it('are read from its parameters', () => {
    expect(read('q=a b&name=x&sort=-area')).toEqual({
      search: 'a b',
      filters: { name: 'x' },
      sort: { key: 'area', isDescending: true },
    })
    expect(read('')).toEqual({ search: '', filters: {}, sort: undefined })
  })

  it('are ignored for columns without a filter, and if a filter is empty', () => {
    expect(read('area=5&name=').filters).toEqual({})
  })

  it('are read from the parameters with the prefix of the table', () => {
    expect(read('name=x&p.name=y&p.q=z', 'p.')).toMatchObject({ search: 'z', filters: { name: 'y' } })
  })

  it('keep the text of the sort when it is read and written again', () => {
    for (const text of ['area', '-area']) expect(sortText(read(`sort=${text}`).sort)).toBe(text)
    expect(sortText(undefined)).toBeNull()
  })

  it('sort ascending, then descending, then not at all, with each click on a header', () => {
    const first = nextSort(undefined, 'area')
    const second = nextSort(first, 'area')
    expect([first, second, nextSort(second, 'area')].map(sortText)).toEqual(['area', '-area', null])
    expect(sortText(nextSort(second, 'name'))).toBe('name')
  })
})
