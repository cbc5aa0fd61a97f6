export interface Selection {
  /** The keys of the selected rows. */
  selected: ReadonlySet<string>
  onChange(selected: ReadonlySet<string>): void
}

/** Selects or deselects rows; the others stay as they are. */
export function withRows(selected: ReadonlySet<string>, keys: readonly string[], isSelected: boolean): Set<string> {
  const next = new Set(selected)
  for (const key of keys) {
    if (isSelected) next.add(key)
    else next.delete(key)
  }
  return next
}

/** Whether all, some or none of the rows are selected. */
export function shareOf(selected: ReadonlySet<string>, keys: readonly string[]): 'all' | 'some' | 'none' {
  const count = keys.filter((key) => selected.has(key)).length
  return count === 0 ? 'none' : count === keys.length ? 'all' : 'some'
}

/** The keys from one row to another, for a click with Shift; only the key `to` if `from` is not in the list. */
export function rangeBetween(keys: readonly string[], from: string | undefined, to: string): readonly string[] {
  const [a, b] = [keys.indexOf(from ?? to), keys.indexOf(to)]
  return a === -1 ? [to] : keys.slice(Math.min(a, b), Math.max(a, b) + 1)
}
