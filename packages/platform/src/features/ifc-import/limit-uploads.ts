import { checkQuota } from '@storey/contract'

/**
 * Files that this process is receiving count as waiting imports, since each may need as much disk space as a waiting
 * import. Files that other processes are receiving do not count until they are complete (`insertImport`).
 */
export function createUploadLimit() {
  const counts = new Map<string, number>()
  return {
    /**
     * Counts an upload while `work` runs. Throws QUOTA_EXCEEDED if the waiting imports and the other uploads of the
     * building already reach the limit.
     */
    async hold(buildingId: string, waiting: number, work: () => Promise<void>): Promise<void> {
      const arriving = counts.get(buildingId) ?? 0
      checkQuota('importsWaiting', waiting + arriving)
      counts.set(buildingId, arriving + 1)
      try {
        await work()
      } finally {
        const left = counts.get(buildingId)! - 1
        if (left === 0) counts.delete(buildingId)
        else counts.set(buildingId, left)
      }
    },
  }
}
