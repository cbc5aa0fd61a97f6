import { LIMITS } from '@storey/contract'
import type { SandboxRecord } from '@storey/sdk'
import { type Loading, useLoad } from '@storey/web'
import { usePortal } from '../app/api.tsx'
import { LOOK_AGAIN_MS } from '../app/look-again.ts'

/** While something is being made; a sandbox takes a few seconds. */
const BUSY_MS = 2000

const again = (isBusy: boolean) => (isBusy ? BUSY_MS : LOOK_AGAIN_MS)

const isBusy = ({ status, migration }: SandboxRecord) => status === 'provisioning' || migration !== undefined

/** All sandboxes of the developer, newest first. */
export function useSandboxes(): Loading<SandboxRecord[]> {
  const { api } = usePortal()
  return useLoad(
    ['sandboxes'],
    async (signal) => (await api.sandboxes.list({ limit: LIMITS.page.max }, { signal })).data,
    {
      again: (all) => again(all.some(isBusy)),
      onReturn: true,
      isKept: true,
    },
  )
}

export function useSandbox(id: string): Loading<SandboxRecord> {
  const { api } = usePortal()
  return useLoad(['sandbox', id], (signal) => api.sandboxes.get(id, { signal }), {
    again: (record) => again(isBusy(record)),
    onReturn: true,
  })
}

/** Those that count: a failed one does not. */
export const activeOf = (all: readonly SandboxRecord[]): number =>
  all.filter(({ status }) => status !== 'failed').length
