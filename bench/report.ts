export interface Figure {
  what: string
  measured: number
  limit: number
  unit: string
}

/** Prints a line for each figure: the measured value, its limit, and the ratio of the two. */
export function report(title: string, figures: readonly Figure[]): void {
  const number = (value: number) => (value >= 100 ? value.toFixed(0) : value.toFixed(2))
  const rows = figures.map(({ what, measured, limit, unit }) => [
    what,
    `${number(measured)} ${unit}`,
    `${number(limit)} ${unit}`,
    (measured / limit).toFixed(2),
    measured <= limit ? 'good' : 'over',
  ])
  const all = [['', 'measured', 'limit', 'ratio', ''], ...rows]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const lines = all.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
  )
  process.stdout.write(`\n${title}\n${lines.join('\n')}\n`)
}

export async function timed<T>(work: () => Promise<T>): Promise<{ value: T; seconds: number }> {
  const from = performance.now()
  const value = await work()
  return { value, seconds: (performance.now() - from) / 1000 }
}

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
