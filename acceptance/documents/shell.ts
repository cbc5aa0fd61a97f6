import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

export interface Shell {
  /** Runs commands as if they were typed, and returns what they print. Rejects if one of them fails. */
  run(text: string): Promise<string>
  close(): void
}

/** A command with this comment keeps running. The next command starts when the running one is ready. */
const KEEPS_RUNNING = /^([^#\n]*\S)\s+# in one terminal$/gm

/** A command that keeps running is ready when it has printed how to stop it. */
const UNTIL_READY = 'for _ in {1..300}; do grep -qs Ctrl-C .running && break; sleep 0.1; done'

/** One bash process runs all blocks, so aliases and variables stay from one block to the next. */
export function openShell(cwd: string, env: Record<string, string>, onOutput: (text: string) => void): Shell {
  const child = spawn('bash', ['--noprofile', '--norc'], { cwd, env, stdio: 'pipe', detached: true })
  child.stdin.on('error', () => undefined)
  child.stdin.write('exec 2>&1\nshopt -s expand_aliases\n')
  let output = ''
  let changed: () => void = () => undefined
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
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
      const file = join(cwd, '.block.sh')
      writeFileSync(file, text.replaceAll(KEEPS_RUNNING, `$1 > .running 2>&1 & ${UNTIL_READY}`))
      // The commands are in a file, because a command that reads stdin would otherwise read the commands after it.
      child.stdin.write(`failed=; trap 'failed="$BASH_COMMAND"' ERR; source '${file}' < /dev/null; trap - ERR\n`)
      child.stdin.write(`echo; echo "${mark}:$failed"\n`)
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
