import { format } from 'node:util'
import type { Log } from '@storey/kit/log'

const CONSOLE = { debug: 'debug', log: 'info', info: 'info', warn: 'warn', error: 'error', trace: 'debug' } as const

/**
 * Redirects the warnings of Node.js, and everything that code prints with `console`, to the log. An uncaught exception
 * is logged too, and ends the process.
 */
export function captureStrayOutput(log: Log): void {
  for (const [method, level] of Object.entries(CONSOLE)) {
    console[method as keyof typeof CONSOLE] = (...args: unknown[]) => log[level](format(...args))
  }
  process.removeAllListeners('warning')
  process.on('warning', (err) => log.warn({ err }, 'Node.js warning'))
  process.on('uncaughtException', (err) => {
    log.fatal({ err }, 'uncaught exception, exiting')
    process.exit(1)
  })
}
