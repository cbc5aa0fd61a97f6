import { createFairQueue, type FairQueue } from './fair-queue.ts'

export interface FairSlotsOptions {
  /** The maximum number of concurrent items of a group. */
  perGroup: number
  /** After this time an item loses its slot even if it still runs, because it probably waits for something else. */
  holdMs: number | (() => number)
}

/** Begins an item, which calls `leave` when it is done. */
type Begin = (leave: () => void) => void

interface Group {
  used: number
  waiting: FairQueue<Begin>
}

/** Each group has a few slots. Within a group, items that wait for a slot take turns by key. */
export function createFairSlots({ perGroup, holdMs }: FairSlotsOptions) {
  const groups = new Map<string, Group>()

  function beginNext(name: string, group: Group): void {
    while (group.used < perGroup) {
      const begin = group.waiting.take()
      if (begin === undefined) break
      occupy(name, group, begin)
    }
    if (group.used === 0 && group.waiting.size === 0 && groups.get(name) === group) groups.delete(name)
  }

  function occupy(name: string, group: Group, begin: Begin): void {
    let isOver = false
    const leave = () => {
      if (isOver) return
      isOver = true
      clearTimeout(timer)
      group.used--
      beginNext(name, group)
    }
    const timer = setTimeout(leave, typeof holdMs === 'number' ? holdMs : holdMs()).unref()
    group.used++
    begin(leave)
  }

  return {
    /** Calls `begin` at its turn. Returns a function that ends the wait. */
    enter(key: string, begin: Begin, name = ''): () => void {
      const group: Group = groups.get(name) ?? { used: 0, waiting: createFairQueue() }
      groups.set(name, group)
      // Callers may enter the same `begin` twice. Each call creates its own item, so that the end of one wait does not
      // remove the item of the other call.
      const item: Begin = (leave) => begin(leave)
      group.waiting.add(key, item)
      beginNext(name, group)
      return () => void group.waiting.remove(key, item)
    },
    get waiting(): number {
      return [...groups.values()].reduce((sum, { waiting }) => sum + waiting.size, 0)
    },
  }
}
