export interface Figure {
  what: string
  /** NaN if it could not be measured, for example because the program to compare with is not installed. */
  measured: number
  /** Undefined for a figure without a limit, for example a time that depends on the speed of the machine. */
  limit?: number
  unit: string
}

/** False for a figure that could not be measured, because NaN is not at most any limit. */
export const isWithinLimit = ({ measured, limit = Number.POSITIVE_INFINITY }: Figure): boolean => measured <= limit

/**
 * Prints a line for each figure: the measured value, its limit, and the ratio of the two. Returns whether all figures
 * were measured and are within their limits. The caller decides about the exit code: some benchmarks have limits in
 * milliseconds, which a busy machine exceeds without a fault of the product, so they must not fail because of them.
 */
export function report(title: string, figures: readonly Figure[]): boolean {
  const rows = figures.map((figure) => {
    const { what, measured, limit, unit } = figure
    if (Number.isNaN(measured)) return [what, 'not measured', '', '', 'missing']
    const value = `${inDigits(measured)} ${unit}`
    if (limit === undefined) return [what, value, '', '', '']
    const verdict = isWithinLimit(figure) ? 'good' : 'over'
    const ratio = limit === 0 ? '' : (measured / limit).toFixed(2)
    return [what, value, `${inDigits(limit)} ${unit}`, ratio, verdict]
  })
  const all = [['', 'measured', 'limit', 'ratio', ''], ...rows]
  const widths = all[0]!.map((_, column) => Math.max(...all.map((row) => row[column]!.length)))
  const lines = all.map((row) =>
    row.map((cell, i) => (i === 0 ? cell.padEnd(widths[i]!) : cell.padStart(widths[i]!))).join('  '),
  )
  process.stdout.write(`\n${title}\n${lines.join('\n')}\n`)
  return figures.every(isWithinLimit)
}

const inDigits = (value: number): string => (value >= 100 ? value.toFixed(0) : value.toFixed(2))

export async function timed<T>(work: () => Promise<T>): Promise<{ value: T; seconds: number }> {
  const from = performance.now()
  const value = await work()
  return { value, seconds: (performance.now() - from) / 1000 }
}

export const median = (values: readonly number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1]!
