import { pino } from 'pino'
import { UNDOCUMENTED } from '../http/errors.ts'
import type { Log } from '../log.ts'

/** A silent log that records problems which an API returned but does not document. */
export function watchDocumented(): { log: Log; check(): void } {
  const found: string[] = []
  const log = pino(
    { level: 'warn' },
    {
      write(line) {
        const { msg, method, route, code } = JSON.parse(line) as Record<string, string>
        if (msg === UNDOCUMENTED) found.push(`${method} ${route} answered ${code}`)
      },
    },
  )
  return {
    log,
    check() {
      if (found.length > 0) throw new Error(`list these problems in the config of their routes:\n${found.join('\n')}`)
    },
  }
}
