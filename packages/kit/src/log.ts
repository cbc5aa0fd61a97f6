import { printable, printableLine } from '@storey/contract/printable'
import { type DestinationStream, type Logger, pino } from 'pino'
import { traceFields } from './tracing/index.ts'

export type Log = Logger
export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'silent'] as const
export type LogLevel = (typeof LOG_LEVELS)[number]

const SECRETS = ['token', 'password', 'secret', 'plaintext', 'authorization', 'req.headers.authorization', '*.password']

export interface LogOptions {
  level: LogLevel
  /** `lines` for a person at a terminal, `json` for a collector. */
  form: 'json' | 'lines'
  name: string
  /** Added to every line of the form `json`. */
  fields?: Record<string, string>
}

/** Logs go to stderr: stdout is for the program's output. */
export function createLog(options: LogOptions): Log {
  const destination =
    options.form === 'lines' ? linesTo(process.stderr) : jsonTo(pino.destination({ dest: 2, sync: true }))
  return pino(
    {
      level: options.level,
      redact: { paths: SECRETS, censor: '[hidden]' },
      base: options.form === 'lines' ? null : { name: options.name, pid: process.pid, ...options.fields },
      timestamp: pino.stdTimeFunctions.isoTime,
      mixin: traceFields,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  )
}

export const silentLog: Log = pino({ level: 'silent' })

/** In JSON text unprintable characters occur only in strings, where their escapes are equivalent. */
function jsonTo(stream: DestinationStream): DestinationStream {
  return { write: (line) => stream.write(printable(line)) }
}

function linesTo(stream: NodeJS.WritableStream): DestinationStream {
  return {
    write(line: string) {
      const { level, time, msg, err, ...rest } = JSON.parse(line)
      const fields = Object.entries(rest).map(([key, value]) => `${key}=${printableLine(plain(value))}`)
      const cause = err === undefined ? [] : [`error="${printableLine(messageOf(err))}"`, stackOf(err, level)]
      stream.write(
        `${printable([time.slice(11, 19), level.padEnd(5), msg, ...fields, ...cause].join(' ').trimEnd())}\n`,
      )
    },
  }
}

/** A thrown value need not be an Error. */
const messageOf = (err: unknown): string => String((err as Partial<Error> | null)?.message ?? err)

/**
 * The stack trace begins with the message, which may contain lines that a client sent. The indent keeps these lines
 * from looking like log lines.
 */
function stackOf(err: unknown, level: string): string {
  const stack = (err as Partial<Error> | null)?.stack
  return level === 'error' && stack !== undefined ? `\n${stack.replaceAll(/^/gm, '    ')}` : ''
}

function plain(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
