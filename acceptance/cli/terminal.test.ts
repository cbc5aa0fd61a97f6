import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { api } from '../system/shared.ts'
import { env, key, SMALL, sandboxes, useNewDeveloper } from './new-developer.ts'
import { execute, svcOnTerminal, TOOL } from './tool.ts'

useNewDeveloper()

describe('svc on a terminal', () => {
  it('[CLI-10] shows the progress of creating a sandbox, and then the sandbox', async () => {
    const { code, stdout } = await svcOnTerminal(['sandbox', 'create', '--name', 'On screen', ...SMALL], { env })
    expect(code).toBe(0)
    expect(stdout).toMatch(/[█░]{24}\s+\d+ %/)
    const created = (await sandboxes()).find(({ name }) => name === 'On screen')!
    // What remains on the screen: the output after the progress line was last cleared.
    const left = stdout.slice(stdout.lastIndexOf('\u001b[2K'))
    expect(left).toMatch(/On screen.* is ready\./)
    expect(left).toContain(created.sandboxId)
    expect(left).not.toContain('░')
  })

  it('prints the results of whoami, logout, extend, install, a dry run and completion', async () => {
    const { sandboxId } = (await sandboxes()).find(({ name }) => name === 'On screen')!
    const manifest = join(temporaryFolder('svc-manifest'), 'manifest.json')
    writeFileSync(manifest, '{"slug": "air", "name": "Air", "version": "1.0.0", "sdkVersion": "1.14.0"}')
    const answers: [string[], RegExp][] = [
      [['whoami'], /An API key from SVC_API_TOKEN/],
      [['logout'], /You were not signed in/],
      [['sandbox', 'extend', sandboxId, '--days', '1'], /1 left/],
      [['sandbox', 'install', manifest, '--sandbox', sandboxId], /Air.* is installed/],
      [['sandbox', 'create', '--dry-run', '--seed', 'x'], /48;5;\d+m/],
      [['completion', 'fish'], /complete -c svc/],
    ]
    for (const [words, expected] of answers) {
      const { code, stdout } = await svcOnTerminal(words, { env })
      expect({ words, code }).toEqual({ words, code: 0 })
      expect(stdout).toMatch(expected)
    }
  })

  it('[CLI-20] lists sandboxes as a table with a header, in colour by default', async () => {
    const { code, stdout } = await svcOnTerminal(['sandbox', 'list'], { env })
    expect(code).toBe(0)
    expect(stdout).toContain('\u001b[2m')
    const plain = await svcOnTerminal(['sandbox', 'list'], { env: { ...env, NO_COLOR: '1' } })
    const [head, ...rows] = plain.stdout.trim().split(/\r?\n/)
    expect(head).toMatch(/^ID +NAME +STATUS +BUILDING +EXPIRES +ADDRESS$/)
    expect(rows).toHaveLength(1)
    const column = head!.indexOf('STATUS')
    for (const row of rows) expect(row.slice(column)).toMatch(/^ready /)
  })

  it('prints a hint how to connect, besides the export lines', async () => {
    const [{ sandboxId } = { sandboxId: '' }] = await sandboxes()
    const { stdout } = await svcOnTerminal(['sandbox', 'connect', sandboxId], { env })
    expect(stdout).toContain('export SVC_API_URL=')
    expect(stdout).toContain(`eval "$(svc sandbox connect ${sandboxId})"`)
  })

  it('asks before it resets or deletes, and stops when the answer is no', async () => {
    const { sandboxId } = (await sandboxes()).find(({ name }) => name === 'On screen')!
    const answer = (word: string) => {
      let isAnswered = false
      return {
        env,
        onOutput(text: string, { type }: { type(text: string): void }) {
          if (!text.includes('[y/N]') || isAnswered) return
          isAnswered = true
          type(`${word}\n`)
        },
      }
    }
    for (const verb of ['reset', 'delete']) {
      const kept = await svcOnTerminal(['sandbox', verb, sandboxId], answer('n'))
      expect(kept.code).toBe(1)
      expect(kept.stdout).toContain('Nothing was changed.')
    }
    expect((await api(key, `/api/v1/sandboxes/${sandboxId}`)).json.status).toBe('ready')
    const gone = await svcOnTerminal(['sandbox', 'delete', sandboxId], answer('y'))
    expect(gone).toMatchObject({ code: 0, stdout: expect.stringContaining(`Deleted ${sandboxId}.`) })
  })

  it('[CLI-30] prints no error when a pipe is closed early', async () => {
    const shell = `set -o pipefail; '${process.execPath}' '${TOOL}' sandbox create --dry-run --storeys 50 | head -c 10`
    const { code, stderr } = await execute('bash', ['-c', shell], { env })
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  })
})
