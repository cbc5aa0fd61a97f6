import type { DataLayer } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { useShell } from '../app/shell.ts'

/** The poll interval while the live channel cannot report changes. */
const POLL_MS = 20_000

export function useLayerList(): Loading<DataLayer[]> {
  const { api } = useShell()
  return useLoad(
    ['layer-list', api.buildingId],
    async (signal) => (await api.layers.list({ limit: 200 }, { signal })).data,
    { pollMs: () => POLL_MS, changes: 'layers', isCached: true },
  )
}

export function useLayer(id: string, isEnabled = true): Loading<DataLayer> {
  const { api } = useShell()
  return useLoad(['layer', id], (signal) => api.layers.get(id, { signal }), {
    pollMs: () => POLL_MS,
    changes: 'layers',
    isEnabled,
  })
}
