import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join, relative } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'

describe('a start with a Node that is too old', () => {
  it.each(['18.20.4', '20.11.1'])('prints one sentence and exits on Node %s', (version) => {
    const { status, stdout, stderr } = spawnSync(process.execPath, ['scripts/run.mjs', 'packages/host/src/main.ts'], {
      env: { ...process.env, npm_config_user_agent: `npm/10.2.4 node/v${version} linux x64 workspaces/false` },
      encoding: 'utf8',
    })
    expect(status).toBe(1)
    expect(stdout).toBe('')
    expect(stderr).toBe(
      `storey: this is Node ${version}, and Storey needs Node 20.19 or a later 20, or 22.12 or later: see https://nodejs.org\n`,
    )
  })
})

describe.runIf(process.platform !== 'win32')('a program that a signal ends', () => {
  const program = join(temporaryFolder('storey-run'), 'end.mjs')
  writeFileSync(program, 'process.kill(process.pid, process.argv[2]); setTimeout(() => {}, 10_000)')
  const run = (signal: string) => {
    const args = ['scripts/run.mjs', relative('.', program), signal]
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
    return { status, stderr }
  }

  it('is reported with its signal; the exit code is that of a shell, 128 plus the signal', () => {
    expect(run('SIGKILL')).toEqual({
      status: 137,
      stderr: expect.stringMatching(
        /end\.mjs was ended by SIGKILL\. The system does this when memory is used up.*\.\n$/,
      ),
    })
    expect(run('SIGABRT')).toEqual({
      status: 128 + constants.signals.SIGABRT,
      stderr: expect.stringContaining('was ended by SIGABRT.'),
    })
    expect(run('SIGTERM')).toEqual({ status: 143, stderr: '' })
  })

  it.runIf(process.platform === 'linux')('is reported in JSON if it is the service in production', async () => {
    const MASTER_SECRET = '0123456789abcdef0123456789abcdef'
    const env = { ...process.env, MODE: 'production', DATA_DIR: temporaryFolder('storey-run'), MASTER_SECRET }
    const child = spawn(process.execPath, ['scripts/run.mjs', 'packages/host/src/main.ts'], { env })
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
    let stderr = ''
    child.stderr.setEncoding('utf8').on('data', (chunk) => {
      stderr += chunk
    })
    const children = `/proc/${child.pid}/task/${child.pid}/children`
    const service = () => Number(readFileSync(children, 'utf8').trim().split(' ')[0])
    await expect.poll(() => existsSync(children) && service()).toBeGreaterThan(0)
    const pid = service()
    process.kill(pid, 'SIGKILL')
    expect(await ended).toBe(137)
    expect(JSON.parse(stderr.trim().split('\n').at(-1)!)).toEqual({
      level: 'fatal',
      time: expect.stringMatching(/^\d{4}-.*Z$/),
      name: 'storey',
      pid,
      msg: expect.stringContaining('packages/host/src/main.ts was ended by SIGKILL.'),
    })
  })
})
