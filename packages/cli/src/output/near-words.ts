/** Keeps only the suggestions that are close to the typed word, such as `login` for `loign`. */
export function nearSuggestions(message: string, suggestion: string): string {
  const typed = /'([^']+)'/.exec(message)?.[1]
  const list = /^Did you mean (?:one of )?(.+)\?$/.exec(suggestion)?.[1]
  if (typed === undefined || list === undefined) return suggestion
  const near = list.split(', ').filter((word) => typingErrors(typed, word) <= Math.max(1, Math.floor(word.length / 3)))
  if (near.length === 0) return ''
  return near.length === 1 ? `Did you mean ${near[0]}?` : `Did you mean one of ${near.join(', ')}?`
}

/** The number of typing errors between two words: letters that are wrong, missing, added or swapped. */
function typingErrors(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, column) => column)]
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const wrong = rows[i - 1]![j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      const swapped = a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? rows[i - 2]![j - 2]! + 1 : wrong
      row.push(Math.min(wrong, swapped, rows[i - 1]![j]! + 1, row[j - 1]! + 1))
    }
    rows.push(row)
  }
  return rows[a.length]![b.length]!
}
