import { appendFileSync, renameSync, statSync } from 'node:fs'

const MAX_BYTES = 5 * 1024 * 1024
const QUOTED_LINES = 5

/** The server's log file. When it has more than 5 MB, it is renamed to `<file>.1` and replaces an older `<file>.1`. */
export function createServerLog(file: string) {
  let last = ''
  return {
    file,
    write(text: string): void {
      last = (last + text).slice(-4_000)
      try {
        // The size is read each time, because an operator may have moved or deleted the file.
        const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
        if (bytes > MAX_BYTES) renameSync(file, `${file}.1`)
        appendFileSync(file, text, { mode: 0o600 })
      } catch {
        // A log that cannot be written, for example on a full disk, must not end the service.
      }
    },
    /** Call it at each start of the server, so that `quote` returns only output since this start. */
    begin(): void {
      last = ''
    },
    /** The reason why the server exited, and the last lines of its log. */
    quote(): string {
      const lines = last.trim().split('\n')
      const reason = /(?:FATAL|PANIC):\s+(.*)/.exec(last)?.[1] ?? lines.at(-1) ?? ''
      if (reason === '') return 'no reason given'
      const quoted = lines.slice(-QUOTED_LINES).map((line) => `  ${line}`)
      return [`${reason} (${file})`, ...(lines.length > 1 ? ['Its log ends with:', ...quoted] : [])].join('\n')
    },
  }
}

export type ServerLog = ReturnType<typeof createServerLog>
