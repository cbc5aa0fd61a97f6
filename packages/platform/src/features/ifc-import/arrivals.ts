import { problems } from '@storey/contract'

/** Files on their way in count among the imports that wait: each may take as much of the disk. */
export function createArrivals() {
  const counts = new Map<string, number>()
  return {
    /** Throws QUOTA_EXCEEDED where so many wait, with those that arrive, that there is no place for one more. */
    async hold(buildingId: string, waiting: number, work: () => Promise<void>): Promise<void> {
      const arriving = counts.get(buildingId) ?? 0
      problems.checkQuota('importsWaiting', waiting + arriving)
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
