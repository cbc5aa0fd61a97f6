const [MINUTE_SECONDS, DAY_SECONDS] = [60, 86_400]

/** Words under a time axis: hours within a day, and the date where a day begins. */
export function timeLabels(splits: readonly number[], stepSeconds: number, locale: string, timeZone: string): string[] {
  const tag = locale === 'en' ? 'en-GB' : locale
  const date = new Intl.DateTimeFormat(tag, { day: 'numeric', month: 'short', timeZone })
  const seconds = stepSeconds < MINUTE_SECONDS ? ({ second: '2-digit' } as const) : {}
  const time = new Intl.DateTimeFormat(tag, { hour: '2-digit', minute: '2-digit', ...seconds, timeZone })
  let shown = ''
  return splits.map((at) => {
    const day = date.format(at * 1000)
    const clock = time.format(at * 1000)
    const isNewDay = day !== shown
    shown = day
    if (stepSeconds >= DAY_SECONDS) return day
    return isNewDay ? `${clock}\n${day}` : clock
  })
}
