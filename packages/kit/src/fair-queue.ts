export interface FairQueueOptions<T> {
  /** When this many items wait, a new item evicts the last item of the key with the most items, or is refused. */
  max: number
  onEvict(item: T): void
}

/**
 * Waiting items by key. Keys take turns, however many items each has; items of one key are taken in order of arrival.
 */
export interface FairQueue<T extends object> {
  readonly size: number
  countOf(key: string): number
  /** The keys with waiting items, in the order of their turns. */
  keys(): Iterable<string>
  first(key: string): T | undefined
  /** Adds an item. False: the queue is full, and no other key has more items than this key would have. */
  add(key: string, item: T): boolean
  remove(key: string, item: T): boolean
  /** Removes and returns the next item, or the first item of the given key. The item's key then has the last turn. */
  take(key?: string): T | undefined
}

export function createFairQueue<T extends object>(options?: FairQueueOptions<T>): FairQueue<T> {
  const queues = new Map<string, Set<T>>()
  const max = options?.max ?? Number.POSITIVE_INFINITY
  let size = 0

  const countOf = (key: string) => queues.get(key)?.size ?? 0
  const first = (key: string) => queues.get(key)?.values().next().value

  function remove(key: string, item: T): boolean {
    const items = queues.get(key)
    if (!items?.delete(item)) return false
    size--
    if (items.size === 0) queues.delete(key)
    return true
  }

  function evictFor(key: string): boolean {
    let longest = key
    let most = countOf(key) + 1
    for (const [other, items] of queues) if (items.size > most) [longest, most] = [other, items.size]
    if (longest === key) return false
    const last = [...queues.get(longest)!].at(-1)!
    remove(longest, last)
    options?.onEvict(last)
    return true
  }

  return {
    get size() {
      return size
    },
    countOf,
    keys: () => queues.keys(),
    first,
    add(key, item) {
      if (size >= max && !evictFor(key)) return false
      queues.set(key, (queues.get(key) ?? new Set()).add(item))
      size++
      return true
    },
    remove,
    take(key = queues.keys().next().value ?? '') {
      const items = queues.get(key)
      const item = first(key)
      if (items === undefined || item === undefined) return undefined
      remove(key, item)
      if (queues.delete(key)) queues.set(key, items)
      return item
    },
  }
}
