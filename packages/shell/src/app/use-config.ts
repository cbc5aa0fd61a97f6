import type { ShellConfig } from '@storey/contract'
import { ConfigUnavailable, type Loading, loadConfig, useLoad } from '@storey/web'
import { useRef } from 'react'

const POLL_MS = 3000

export interface ConfigState extends Loading<ShellConfig> {
  /** The sandbox was deleted or has expired. */
  isDeleted: boolean
  /** The sandbox had a building and has none now: it is being reset or migrated, is suspended, or has failed. */
  hasLostBuilding: boolean
}

/** Loads the config of this sandbox and polls it until there is a building. */
export function useConfig(): ConfigState {
  const hadBuilding = useRef(false)
  const loading = useLoad(
    ['config'],
    async () => {
      const next = await loadConfig<ShellConfig>()
      hadBuilding.current ||= next.buildingId !== null
      return next
    },
    { pollMs: ({ buildingId }) => (buildingId === null ? POLL_MS : undefined) },
  )
  const { data, error } = loading
  return {
    ...loading,
    isDeleted: error instanceof ConfigUnavailable && error.status === 404,
    hasLostBuilding: hadBuilding.current && data?.buildingId === null,
  }
}
