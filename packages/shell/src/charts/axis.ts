const [MINUTE_SECONDS, DAY_SECONDS] = [60, 86_400]

/**
 * The labels of a time axis: the time, and the date at the first label of each day; only dates for steps of a day or
 * more.
 */
export function timeLabels(splits: readonly number[], stepSeconds: number, locale: string, timeZone: string): string[] {
  const tag = locale === 'en' ? 'en-GB' : locale
  const date = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', timeZone })
  const seconds = stepSeconds < MINUTE_SECONDS ? ({ second: '2-digit' } as const) : {}
  const time = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', ...seconds, timeZone })
  let lastDay = ''
  return splits.map((at) => {
    const day = date.format(at * 1000)
    const clock = time.format(at * 1000)
    const isNewDay = day !== lastDay
    lastDay = day
    if (stepSeconds >= DAY_SECONDS) return day
    return isNewDay ? `${clock}\n${day}` : clock
  })
}
