import { StoreyError } from '@storey/sdk'
import { describe, expect, it } from 'vitest'
import { polling } from './polling.ts'

const notFound = new StoreyError({ type: 'about:blank', title: 'No', status: 404, detail: 'no', code: 'NOT_FOUND' })
const query = (state: object) => ({
  state: {
    ...{ data: undefined as number | undefined, error: null as unknown, status: 'pending' as const },
    ...{ dataUpdatedAt: 0, dataUpdateCount: 0, errorUpdateCount: 0 },
    ...state,
  },
})

describe('polling', () => {
  const { refetchInterval } = polling<number>({ pollMs: (data) => (data > 0 ? data : undefined) })

  it('takes its interval from the data, and stops if the data gives no interval', () => {
    expect(refetchInterval(query({ data: 5000, dataUpdateCount: 1 }))).toBe(5000)
    expect(refetchInterval(query({ data: 0, dataUpdateCount: 1 }))).toBe(false)
    expect(polling({}).refetchInterval(query({ data: 1, dataUpdateCount: 1 }))).toBe(false)
  })

  it('backs off after failures and stops after a 404', () => {
    const failing = query({ status: 'error', error: new Error('down') })
    const after = [1, 2, 3].map((errorUpdateCount) => {
      failing.state.errorUpdateCount = errorUpdateCount
      return refetchInterval(failing)
    })
    expect(after).toEqual([2000, 4000, 8000])
    expect(refetchInterval(query({ status: 'error', error: notFound, errorUpdateCount: 1 }))).toBe(false)
  })
})

describe('polling of data whose changes the live channel reports', () => {
  const { refetchInterval } = polling<number>({ pollMs: () => 5000, isReported: true })

  it('[LIV-21] stops after a response, and resumes after a failure', () => {
    const fresh = { data: 1, status: 'success', dataUpdateCount: 1 }
    expect(refetchInterval(query(fresh))).toBe(false)
    expect(refetchInterval(query({ ...fresh, status: 'error', error: new Error('down'), errorUpdateCount: 1 }))).toBe(
      5000,
    )
    expect(refetchInterval(query({}))).toBe(2000)
  })
})

describe('returning to the tab', () => {
  const refetches = (options: object, state: object) => polling<number>(options).refetchOnWindowFocus(query(state))

  it('refetches failed and overdue queries, and all other queries only with refetchOnFocus', () => {
    const fresh = { data: 5000, status: 'success', dataUpdatedAt: Date.now() }
    expect(refetches({}, { status: 'error', error: new Error('down') })).toBe('always')
    expect(refetches({ pollMs: () => 5000 }, { ...fresh, dataUpdatedAt: Date.now() - 6000 })).toBe('always')
    expect(refetches({ pollMs: () => 5000 }, fresh)).toBe(false)
    expect(refetches({ pollMs: () => 5000, refetchOnFocus: true }, fresh)).toBe(true)
  })
})
