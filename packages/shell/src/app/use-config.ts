import type { ShellConfig } from '@storey/contract'
import { ConfigUnavailable, type Loading, loadConfig, useLoad } from '@storey/web'
import { useRef } from 'react'

const AGAIN_MS = 3000

export interface Place extends Loading<ShellConfig> {
  /** Nobody has this host any more: the sandbox was deleted, or has expired. */
  isGone: boolean
  /** There was a building, and there will be another. */
  isReset: boolean
}

/** What the gateway says of this sandbox. */
export function useConfig(): Place {
  const hadBuilding = useRef(false)
  const loading = useLoad(
    ['config'],
    async () => {
      const next = await loadConfig<ShellConfig>()
      hadBuilding.current ||= next.buildingId !== null
      return next
    },
    { again: ({ buildingId }) => (buildingId === null ? AGAIN_MS : undefined) },
  )
  const { data, error } = loading
  return {
    ...loading,
    isGone: error instanceof ConfigUnavailable && error.status === 404,
    isReset: hadBuilding.current && data?.buildingId === null,
  }
}
