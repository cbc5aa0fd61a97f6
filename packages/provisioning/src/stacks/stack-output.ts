import type { ChildProcess } from 'node:child_process'
import type { Readable } from 'node:stream'
import type { Log } from '@storey/kit/log'

/** An incomplete line is truncated to this number of characters, because it is buffered until it ends. */
const MAX_LINE = 64 * 1024

/**
 * Forwards the output of a stack. In the form `json`, the log lines of the stack are JSON and are forwarded unchanged;
 * other output (a crash, a Node.js warning, an out-of-memory report) is logged as JSON with the sandbox's id. In the
 * form `lines`, all output is forwarded unchanged.
 */
export function forwardOutput(child: ChildProcess, sandboxId: string, form: 'json' | 'lines', log: Log): void {
  const pass = (line: string) => process.stderr.write(`${line}\n`)
  for (const [name, stream] of [['stdout', child.stdout] as const, ['stderr', child.stderr] as const]) {
    if (!stream) continue
    onLines(stream, (lines) => {
      if (form === 'lines') return void lines.forEach(pass)
      const strange = lines.filter((line) => {
        const isOwn = isJson(line)
        if (isOwn) pass(line)
        return !isOwn && line.trim() !== ''
      })
      if (strange.length > 0) log.warn({ sandboxId, stream: name, text: strange.join('\n') }, 'stack output')
    })
  }
}

/** Calls `take` with the complete lines of each chunk. At the end, the rest of the text counts as a line too. */
function onLines(stream: Readable, take: (lines: string[]) => void): void {
  let rest = ''
  stream.setEncoding('utf8')
  stream.on('data', (chunk: string) => {
    const lines = (rest + chunk).split('\n')
    rest = lines.pop()!.slice(0, MAX_LINE)
    if (lines.length > 0) take(lines)
  })
  stream.on('end', () => rest !== '' && take([rest]))
  stream.on('error', () => undefined)
}

function isJson(line: string): boolean {
  if (!line.startsWith('{')) return false
  try {
    JSON.parse(line)
    return true
  } catch {
    return false
  }
}
