import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import type { Writable } from 'node:stream'

export interface Shell {
  /** Runs commands as if they were typed, and returns what they print. Rejects if one of them fails. */
  run(text: string): Promise<string>
  close(): void
}

/** What a line says when its command does not end by itself: it runs while the others do. */
const KEEPS_RUNNING = /^([^#\n]*\S)\s+# in one terminal$/gm

/** An interactive shell of a user, with aliases and variables that last from one block to the next. */
export function openShell(cwd: string, env: Record<string, string>, onOutput: (text: string) => void): Shell {
  // Commands are read from a pipe of their own, so that none of them finds the next ones on its stdin.
  const stdio = ['ignore', 'pipe', 'inherit', 'pipe'] as const
  const child = spawn('bash', ['/dev/fd/3'], { cwd, env, stdio: [...stdio], detached: true })
  const commands = child.stdio[3] as Writable
  commands.on('error', () => undefined)
  commands.write('exec 2>&1\nshopt -s expand_aliases\n')
  let output = ''
  let changed: () => void = () => undefined
  child.stdout!.setEncoding('utf8').on('data', (text: string) => {
    output += text
    onOutput(output)
    changed()
  })
  child.on('exit', () => changed())

  async function until(mark: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const found = mark.exec(output)
      if (found) return found
      if (child.exitCode !== null) throw new Error(`the shell ended:\n${output}`)
      await new Promise<void>((resolve) => {
        changed = resolve
      })
    }
  }

  return {
    async run(text) {
      output = ''
      const mark = randomUUID()
      const typed = text.replaceAll(KEEPS_RUNNING, '$1 &')
      // Each line is a command of its own, so that an alias that one defines is known to the next.
      commands.write(`failed=; trap 'failed="$BASH_COMMAND"' ERR\n${typed}\ntrap - ERR; echo; echo "${mark}:$failed"\n`)
      const [whole, failed] = await until(new RegExp(`\\n${mark}:(.*)\\n`))
      const printed = output.slice(0, output.indexOf(whole!))
      if (failed !== '') throw new Error(`${failed} failed:\n${printed}`)
      return printed
    },
    close() {
      if (child.exitCode === null) process.kill(-child.pid!, 'SIGTERM')
    },
  }
}
