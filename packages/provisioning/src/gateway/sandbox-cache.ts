import { problems } from '@storey/contract'
import type { Database } from '@storey/kit/database'
import { findBySlugs, type SandboxRow } from '../features/sandboxes/index.ts'

const FRESH_MS = 1_000
const MAX_KEPT = 10_000
/** The maximum number of slugs in one query. */
const MAX_BATCH = 500
/**
 * The maximum number of slugs that wait for a query. Further lookups are refused: when so many wait, the database is
 * too slow, and more of them would only use memory.
 */
const MAX_WAITING = 10_000

interface Lookup {
  promise: Promise<SandboxRow | undefined>
  resolve(row: SandboxRow | undefined): void
  reject(err: unknown): void
}

/**
 * Finds sandboxes by slug. A result is cached for a second and invalidated when this process, or another control plane,
 * changes the sandbox. Unknown slugs are not cached, so made-up host names cannot fill the memory. Lookups are batched
 * into one query at a time, so they use at most one database connection.
 */
export function createSandboxCache({ control }: { control: Database }) {
  const known = new Map<string, { row: SandboxRow; until: number }>()
  /** Pending lookups by slug. */
  const lookups = new Map<string, Lookup>()
  const queue: { slug: string; lookup: Lookup }[] = []
  let isAsking = false

  function lookUp(slug: string): Promise<SandboxRow | undefined> {
    const shared = lookups.get(slug)
    if (shared) return shared.promise
    if (queue.length >= MAX_WAITING) throw problems.notReady('Too many host names are being looked up', 1)
    const lookup: Lookup = Promise.withResolvers<SandboxRow | undefined>()
    lookups.set(slug, lookup)
    queue.push({ slug, lookup })
    if (!isAsking) void askAll()
    return lookup.promise
  }

  async function askAll(): Promise<void> {
    isAsking = true
    while (queue.length > 0) {
      const batch = queue.splice(0, MAX_BATCH)
      const names = new Set(batch.map(({ slug }) => slug))
      try {
        const rows = await findBySlugs(control, [...names])
        const found = new Map(rows.map((row) => [row.slug, row]))
        for (const { slug, lookup } of batch) {
          // A slug that was invalidated during the query is not cached: its row may be from before the change.
          const row = found.get(slug)
          if (row && lookups.get(slug) === lookup) keep(row)
          lookup.resolve(row)
        }
      } catch (err) {
        for (const { lookup } of batch) lookup.reject(err)
      }
      for (const { slug, lookup } of batch) if (lookups.get(slug) === lookup) lookups.delete(slug)
    }
    isAsking = false
  }

  function keep(row: SandboxRow): void {
    if (known.size >= MAX_KEPT) known.clear()
    known.set(row.slug, { row, until: performance.now() + FRESH_MS })
  }

  return {
    async find(slug: string): Promise<SandboxRow | undefined> {
      const kept = known.get(slug)
      if (kept && performance.now() < kept.until) return kept.row
      known.delete(slug)
      return await lookUp(slug)
    },
    invalidate(slug: string): void {
      known.delete(slug)
      lookups.delete(slug)
    },
    invalidateAll(): void {
      known.clear()
      lookups.clear()
    },
  }
}

export type SandboxCache = ReturnType<typeof createSandboxCache>
