import { execFileSync, spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { runTool } from '../../testing/test-context.ts'

async function scriptFor(shell: string): Promise<string> {
  const { code, stdout } = await runTool(['completion', shell])
  expect(code).toBe(0)
  return stdout
}

const has = (shell: string) => spawnSync(shell, ['--version']).status === 0

/** The completions that bash offers at the end of a line. */
function offered(script: string, line: string): string[] {
  const file = join(temporaryFolder('svc-completion'), 'svc.bash')
  writeFileSync(file, script)
  // Words are also split at "=", as bash does.
  const words = line.split(/ |(?==)|(?<==)/)
  const quoted = words.map((word) => `'${word}'`).join(' ')
  const ask = `. '${file}'; COMP_WORDS=(${quoted}); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); compopt() { :; }; _svc; printf '%s\\n' "\${COMPREPLY[@]}"`
  return execFileSync('bash', ['--norc', '-c', ask], { encoding: 'utf8' }).split('\n').filter(Boolean)
}

describe('completion', () => {
  it('[CLI-37] completes commands, options and values in bash', async () => {
    const script = await scriptFor('bash')
    expect(offered(script, 'svc ')).toEqual(expect.arrayContaining(['login', 'logout', 'whoami', 'sandbox', 'module']))
    expect(offered(script, 'svc log')).toEqual(['login', 'logout', 'logs'])
    expect(offered(script, 'svc sandbox re')).toEqual(['reset'])
    expect(offered(script, 'svc --api x sandbox con')).toEqual(['connect'])
    expect(offered(script, 'svc --api=x sandbox con')).toEqual(['connect'])
    expect(offered(script, 'svc sandbox create --t')).toEqual(['--type', '--ttl-days', '--token'])
    expect(offered(script, 'svc sandbox create --type ')).toEqual(['mall', 'office'])
    expect(offered(script, 'svc sandbox create --type=of')).toEqual(['office'])
    expect(offered(script, 'svc sandbox create --format=')).toEqual(['text', 'json'])
    expect(offered(script, 'svc completion ')).toEqual(['bash', 'zsh', 'fish'])
    expect(offered(script, 'svc sandbox delete sbx_1 --y')).toEqual(['--yes'])
  })

  it('[CLI-37] prints scripts for zsh and fish that have valid syntax and contain the commands, options and values', async () => {
    for (const shell of ['zsh', 'fish'] as const) {
      const script = await scriptFor(shell)
      for (const word of ['sandbox', 'install', 'remote-entry', 'equipment-density', 'peak-evenings', 'doctor']) {
        expect(script).toContain(word)
      }
      const file = join(temporaryFolder('svc-completion'), `svc.${shell}`)
      writeFileSync(file, script)
      // The script for zsh quotes like sh, so bash can check it if zsh is not installed. The script for fish is checked
      // only where fish is installed.
      const [program, flag] = has(shell) ? [shell, '-n'] : ['bash', '-n']
      if (shell === 'zsh' || has('fish')) expect(spawnSync(program, [flag, file], { encoding: 'utf8' }).stderr).toBe('')
    }
  })
})
