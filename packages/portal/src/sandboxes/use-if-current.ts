import type { ChangeOptions, SandboxRecord } from '@storey/sdk'
import { inVersion, isOutdated } from '@storey/web'
import { usePortal } from '../app/api.tsx'

/** For what is meant for the sandbox as the page shows it. Where somebody else was quicker, the page shows what it is now. */
export function useIfCurrent(record: SandboxRecord, onChange: (record: SandboxRecord) => void) {
  const { api } = usePortal()
  return async <T>(send: (options: ChangeOptions) => Promise<T>): Promise<T> => {
    try {
      return await send(inVersion(record))
    } catch (error) {
      if (isOutdated(error)) onChange(await api.sandboxes.get(record.sandboxId))
      throw error
    }
  }
}
