import type { ChangeOptions, SandboxRecord } from '@storey/sdk'
import { changeShown } from '@storey/web'
import { usePortal } from '../app/api.tsx'

/**
 * Makes a change conditional on the version that the page shows. If somebody else has changed the sandbox since, the
 * change fails and the page shows the new record.
 */
export function useIfUnchanged(record: SandboxRecord, onChange: (record: SandboxRecord) => void) {
  const { api } = usePortal()
  return <T>(send: (options: ChangeOptions) => Promise<T>): Promise<T> =>
    changeShown(record, { read: () => api.sandboxes.get(record.sandboxId), onOutdated: onChange, send })
}
