import { LIMITS } from '@storey/contract'
import type { SandboxRecord } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { usePortal } from '../app/api.tsx'
import { POLL_MS } from '../app/poll-interval.ts'

/** The poll interval while a sandbox is being created, reset or migrated, which takes a few seconds. */
const BUSY_POLL_MS = 2000

const pollMs = (isBusy: boolean) => (isBusy ? BUSY_POLL_MS : POLL_MS)

const isBusy = ({ status, migration }: SandboxRecord) => status === 'provisioning' || migration !== undefined

/** The newest sandboxes of the developer, at most one page. */
export function useSandboxes(): Loading<SandboxRecord[]> {
  const { api } = usePortal()
  return useLoad(
    ['sandboxes'],
    async (signal) => (await api.sandboxes.list({ limit: LIMITS.page.max }, { signal })).data,
    {
      pollMs: (all) => pollMs(all.some(isBusy)),
      refetchOnFocus: true,
      isCached: true,
    },
  )
}

export function useSandbox(id: string): Loading<SandboxRecord> {
  const { api } = usePortal()
  return useLoad(['sandbox', id], (signal) => api.sandboxes.get(id, { signal }), {
    pollMs: (record) => pollMs(isBusy(record)),
    refetchOnFocus: true,
  })
}

/** The number of sandboxes that count against the quota; failed ones do not. */
export const activeOf = (all: readonly SandboxRecord[]): number =>
  all.filter(({ status }) => status !== 'failed').length
