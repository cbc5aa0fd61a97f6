import { navigate, useRoute } from '@storey/web'
import { useLayoutEffect } from 'react'

/** The URL parameters of the plan, which was at `/` before the overview page was added. */
const PLAN_PARAMETERS = ['storey', 'room', 'colour', 'view']

/** Where an old address leads to; undefined for an address that is not old. */
export function currentAddress(path: string, query: URLSearchParams): string | undefined {
  return path === '/' && PLAN_PARAMETERS.some((name) => query.has(name)) ? `/plan?${query}` : undefined
}

/** Replaces an old address by the current address of the page. */
export function OldAddresses(): null {
  const { path, query } = useRoute()
  const address = currentAddress(path, query)
  useLayoutEffect(() => {
    if (address !== undefined) navigate(address, { replace: true })
  }, [address])
  return null
}
