import type { Load } from './servers.store.ts'

const NONE: Load = { sandboxes: 0, bytes: 0, awake: 0 }

/**
 * The server with the least load. The load is the sum of three shares: of the sandboxes, of their bytes, and of the
 * running stacks. Among servers with the same load, it is the one with the fewest sandboxes, then the first by id.
 */
export function chooseServer(candidates: readonly string[], loads: ReadonlyMap<string, Load>): string | undefined {
  const all = candidates.map((id) => ({ id, ...(loads.get(id) ?? NONE) }))
  const sum = (figure: keyof Load) => all.reduce((total, load) => total + load[figure], 0)
  const totals = { sandboxes: sum('sandboxes'), bytes: sum('bytes'), awake: sum('awake') }
  const share = (value: number, total: number) => (total === 0 ? 0 : value / total)
  const loadOf = (load: Load) =>
    share(load.sandboxes, totals.sandboxes) + share(load.bytes, totals.bytes) + share(load.awake, totals.awake)
  const [first] = all.sort((a, b) => loadOf(a) - loadOf(b) || a.sandboxes - b.sandboxes || (a.id < b.id ? -1 : 1))
  return first?.id
}
