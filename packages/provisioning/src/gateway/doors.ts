import type { Clock } from '@storey/kit/clock'
import type { Database } from '@storey/kit/database'
import { findBySlug, type SandboxRow } from '../features/sandboxes/sandboxes.store.ts'

const FRESH_MS = 1_000
const MOST = 10_000

/**
 * Which sandbox stands behind a host name. An answer is kept for a second, and forgotten at once when this process
 * changes the sandbox; unknown names are not kept, so that nobody can fill the memory with them.
 */
export function createDoors({ control, clock }: { control: Database; clock: Clock }) {
  const known = new Map<string, { row: SandboxRow; until: number }>()
  return {
    async find(slug: string): Promise<SandboxRow | undefined> {
      const kept = known.get(slug)
      if (kept && Date.now() < kept.until && kept.row.expiresAt > clock.now()) return kept.row
      known.delete(slug)
      const row = await findBySlug(control, slug, clock.now())
      if (!row) return undefined
      if (known.size >= MOST) known.clear()
      known.set(slug, { row, until: Date.now() + FRESH_MS })
      return row
    },
    changed(slug: string): void {
      known.delete(slug)
    },
  }
}

export type Doors = ReturnType<typeof createDoors>
