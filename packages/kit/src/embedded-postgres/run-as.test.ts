import { spawnSync } from 'node:child_process'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { temporaryFolder } from '../testing/temporary-folder.ts'
import { chooseUser } from './run-as.ts'

const isRoot = process.getuid?.() === 0

describe('the user that runs PostgreSQL', () => {
  let folder: string
  beforeAll(() => {
    folder = temporaryFolder('storey-private')
    writeFileSync(join(folder, 'tool'), '')
    chmodSync(join(folder, 'tool'), 0o755)
  })

  it.each([0o700, 0o711])('is unprivileged, and can access a folder of mode %o', (mode) => {
    chmodSync(folder, mode)
    const runAs = chooseUser([folder])
    // `test` uses access(2), as initdb does.
    const [program, args] = runAs.command('sh', ['-c', 'test -x "$0/tool" && id -u', folder])
    const { status, stdout } = spawnSync(program, args, { ...runAs.identity, encoding: 'utf8' })
    expect(status).toBe(0)
    expect(Number(stdout) === 0).toBe(false)
    expect(Number(stdout) === process.getuid?.()).toBe(!isRoot)
  })
})
