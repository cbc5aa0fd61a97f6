import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { describe, expect, it } from 'vitest'
import { wordsOf } from './commands/completion/words.ts'
import { buildProgram } from './program.ts'
import { reportInterrupted } from './run.ts'
import { problem, sandboxRecord, scriptedService } from './testing/scripted-service.ts'
import { runTool } from './testing/test-context.ts'

const dry = (...words: string[]) => runTool(['sandbox', 'create', '--dry-run', ...words])

describe('the command line', () => {
  it('prints help and version to stdout', async () => {
    expect(await runTool(['--version'])).toMatchObject({ code: 0, stdout: '1.14.0\n', stderr: '' })
    for (const words of [[], ['--help'], ['help'], ['sandbox', 'create', '--help']]) {
      const { code, stdout, stderr } = await runTool(words)
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
      expect(stdout).toContain('Usage: svc')
    }
  })

  it('[CLI-34] exits with 64 for wrong usage, and suggests a correction', async () => {
    const wrong: [string[], RegExp][] = [
      [['sandbux'], /Unknown command 'sandbux'.*\n.*Did you mean sandbox/],
      [['sandbox', 'lits'], /Did you mean list/],
      [['sandbox'], /^Usage: svc sandbox/],
      [['module'], /^Usage: svc module/],
      [['sandbox', 'list', '--formt=json'], /Did you mean --format/],
      [['sandbox', 'list', 'more'], /Too many arguments/],
      [['sandbox', 'create', '--storeys', '51'], /--storeys.*from 1 to 50/],
      [['sandbox', 'create', '--storeys', '1.5'], /whole number/],
      [['sandbox', 'create', '--area-sqm', 'big'], /--area-sqm.*Must be a number/],
      [['sandbox', 'create', '--name', ' '], /--name.*empty/],
      [['sandbox', 'create', '--type', 'castle'], /mall, office/],
      [['sandbox', 'create', '--out', 'x'], /--out needs --dry-run/],
      [['sandbox', 'extend', 'sbx_1'], /--days/],
      [['sandbox', 'delete', ' '], /Must not be empty/],
      [['sandbox', 'delete', 'x'.repeat(201)], /id, slug or name/],
      [['sandbox', 'connect'], /No sandbox is named/],
      [['sandbox', 'list', '--api', 'ftp://x'], /--api is "ftp:\/\/x"/],
      [['sandbox', 'list', '--token', ' '], /--token is not a token/],
      [['sandbox', 'list', '--api', ''], /--api is empty/],
      [['sandbox', 'list', '--api', ' '], /--api is empty/],
      [['login', '--token', 'x'], /--token cannot be used with login/],
      [['bogus'], /Unknown command 'bogus'\.\n(?!.*Did you mean)/],
      [['trigger', 'alrm'], /alarm, value, outage\.\n.*Did you mean alarm\?/],
      [['sandbox', 'create', '--type', 'mal'], /mall, office\.\n.*Did you mean mall\?/],
      [['completion', 'tcsh'], /bash, zsh, fish/],
      [['whoami', '--format', 'xml'], /text, json/],
    ]
    for (const [words, expected] of wrong) {
      const { code, stdout, stderr } = await runTool(words)
      expect({ words, code, stdout }).toEqual({ words, code: 64, stdout: '' })
      expect(stderr).toMatch(expected)
    }
  })

  it('[CLI-34] prints only the help of a group if its command is missing, or a problem object if --format=json is given', async () => {
    for (const group of ['sandbox', 'module']) {
      const { stderr } = await runTool([group])
      expect(stderr).toBe((await runTool([group, '--help'])).stdout)
      const json = await runTool([group, '--format=json'])
      expect(JSON.parse(json.stderr)).toMatchObject({ code: 'USAGE', detail: 'A command is missing.' })
    }
  })

  it('[CLI-29] prints every error as a problem object with --format=json', async () => {
    const { url } = await scriptedService(() =>
      problem(429, 'QUOTA_EXCEEDED', '3 sandboxes are active already', { limit: 3 }),
    )
    const env = { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url }
    const ends: [string[], Record<string, string>, number, object][] = [
      [['sandbox', 'list'], env, 1, { status: 429, code: 'QUOTA_EXCEEDED', requestId: 'req_1', limit: 3 }],
      [['sandbox', 'list'], { ...env, SVC_SANDBOX_API_URL: 'http://127.0.0.1:1' }, 2, { code: 'UNREACHABLE' }],
      [['sandbox', 'list'], {}, 1, { code: 'NOT_SIGNED_IN' }],
      [['sandbox', 'lits'], {}, 64, { code: 'USAGE' }],
      [['sandbox'], {}, 64, { code: 'USAGE' }],
      [['sandbox', 'create', '--storeys=0'], {}, 64, { code: 'USAGE' }],
    ]
    for (const [words, environment, code, members] of ends) {
      const ended = await runTool([...words, '--format=json'], { env: environment })
      expect({ words, code: ended.code, stdout: ended.stdout }).toEqual({ words, code, stdout: '' })
      const problem = JSON.parse(ended.stderr)
      expect(problem).toMatchObject(members)
      expect(Object.keys(problem)).toEqual(
        expect.arrayContaining(['type', 'title', 'status', 'detail', 'code', 'requestId']),
      )
    }
  })

  it('[CLI-28] accepts --format=json with every subcommand', async () => {
    const { context } = await runTool(['--version'])
    const nodes = wordsOf(await buildProgram(context, undefined))
    expect(nodes.map(({ path }) => path.join(' '))).toEqual(
      expect.arrayContaining(['login', 'logout', 'whoami', 'completion', 'sandbox install', 'module doctor']),
    )
    for (const { path, options } of nodes) {
      const format = options.find(({ long }) => long === '--format')
      expect({ path, choices: format?.choices }).toEqual({ path, choices: ['text', 'json'] })
    }
    expect(JSON.parse((await runTool(['completion', 'zsh', '--format=json'])).stdout).script).toContain('#compdef svc')
    expect(JSON.parse((await runTool(['logout', '--format=json'])).stdout)).toMatchObject({ wasSignedIn: false })
  })

  it('prints what happened, the request id, and what to do next', async () => {
    let quota = 'sandboxes'
    const { url } = await scriptedService(() =>
      problem(429, 'QUOTA_EXCEEDED', `3 ${quota} are active already`, { quota }),
    )
    const env = { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url }
    const { stderr } = await runTool(['sandbox', 'list'], { env })
    expect(stderr.split('\n')).toEqual([
      'svc: 3 sandboxes are active already.',
      '     QUOTA_EXCEEDED (429), request req_1',
      '     → `svc sandbox list` shows your sandboxes, and `svc sandbox delete <sandbox>` removes one.',
      '',
    ])
    quota = 'webhooks'
    const other = await runTool(['sandbox', 'list'], { env })
    expect(other.stderr).not.toContain('delete')
  })

  it('suggests no sign-in to a disabled account, and `npm start` only for a service on this machine', async () => {
    const detail = 'This account is disabled: ask the operator of the service'
    const { url } = await scriptedService(() => problem(401, 'UNAUTHENTICATED', detail))
    const env = { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url }
    const refused = await runTool(['sandbox', 'list'], { env })
    expect(refused.stderr).toContain(`${detail}.`)
    expect(refused.stderr).not.toMatch(/svc login|API key/)
    for (const [address, start] of [
      ['http://127.0.0.1:1', 'start it with `npm start`'],
      ['http://service.invalid', 'check that it is running'],
    ]) {
      const { stderr } = await runTool(['sandbox', 'list'], { env: { ...env, SVC_SANDBOX_API_URL: address! } })
      expect(stderr).toContain(start)
    }
  })

  it('removes terminal control characters from network data', async () => {
    const data = [sandboxRecord({ name: 'Evil\u001b[2J\u0007name', status: 'ready' })]
    const { url } = await scriptedService(() => ({ json: { data, total: 1, limit: 50, offset: 0 } }))
    const env = { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url, NO_COLOR: '1' }
    for (const terminal of [true, false]) {
      const { stdout } = await runTool(['sandbox', 'list'], { env, terminal })
      expect(stdout).toContain('Evil[2Jname')
      expect(stdout).not.toContain('\u001b')
    }
  })

  it('removes terminal control characters from the note about an interruption', async () => {
    let text = ''
    const { context } = await runTool(['--version'])
    context.out.raw = (more) => (text += more)
    context.interruptNote = 'Creating Evil\u001b[2J.'
    reportInterrupted(context)
    expect(text).toBe('\nCreating Evil[2J.\n')
  })

  it('escapes control characters in JSON', async () => {
    const name = 'Evil\u009b2J\u007f\u202ename'
    const data = [sandboxRecord({ name, status: 'ready' })]
    const { url } = await scriptedService(() => ({ json: { data, total: 1, limit: 50, offset: 0 } }))
    const env = { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url }
    const { stdout } = await runTool(['sandbox', 'list', '--format=json'], { env })
    expect(stdout).toContain('Evil\\u009b2J\\u007f\\u202ename')
    expect(stdout).not.toMatch(/[^ -~\n]/)
    expect(stdout).toContain('sandboxId')
  })

  it('[CLI-07] does not repeat a token that was given in the wrong place', async () => {
    const [key, jwt] = [`svc_${'a1'.repeat(23)}`, `eyJ${'a'.repeat(20)}.eyJ${'b'.repeat(20)}.${'c'.repeat(40)}`]
    for (const words of [[key], ['sandbox', jwt], ['sandbox', 'delete', key], ['sandbox', 'list', `--tokn=${key}`]]) {
      for (const form of [[], ['--format=json']]) {
        const { code, stderr } = await runTool([...words, ...form])
        expect(code).toBe(64)
        expect(stderr).not.toMatch(/a1a1|aaaa|bbbb|cccc/)
      }
    }
  })

  it('[CLI-47] asks on a terminal before it deletes a sandbox, and does not ask in a script that names the sandbox', async () => {
    const { url, received } = await scriptedService(() => ({ status: 204 }))
    const env = { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url }
    const remove = (options: object, ...more: string[]) =>
      runTool(['sandbox', 'delete', 'sbx_1', ...more], { env, ...options })
    expect(await remove({ terminal: true, stdin: 'n\n' })).toMatchObject({ code: 1, stdout: '' })
    expect(await remove({ terminal: true, stdin: '' })).toMatchObject({ code: 1 })
    expect(received).toHaveLength(0)
    expect(await remove({ terminal: true, stdin: 'y\n' })).toMatchObject({ code: 0 })
    expect(await remove({ terminal: true }, '--yes')).toMatchObject({ code: 0 })
    expect(await remove({})).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse((await remove({}, '--format=json')).stdout)).toEqual({ sandboxId: 'sbx_1', deleted: true })
    expect(received.map(({ method }) => method)).toEqual(Array(4).fill('DELETE'))
  })

  it('[CLI-17, CLI-19] shows a building without network or credential, and writes the whole building to a file', async () => {
    const cwd = temporaryFolder('svc-dry')
    const words = ['sandbox', 'create', '--dry-run', '--seed', 'demo', '--type', 'mall', '--out', 'building.json']
    const env = { SVC_SANDBOX_API_URL: 'http://127.0.0.1:1' }
    const { code, stdout } = await runTool(words, { cwd, env })
    expect(code).toBe(0)
    expect(stdout).toContain('demo')
    expect(stdout).toMatch(/sha256:[0-9a-f]{64}/)
    expect(stdout).toMatch(/┏[━┯]+┓/)
    const written = JSON.parse(readFileSync(join(cwd, 'building.json'), 'utf8'))
    const summary = JSON.parse((await runTool([...words, '--format=json'], { cwd, env })).stdout)
    expect(summary).toMatchObject({ seed: 'demo', buildingType: 'mall', fingerprint: written.fingerprint })
    expect(summary).toMatchObject({ spaces: written.spaces.length, points: written.points.length })
  })

  it('refuses invalid options before any call, with and without --dry-run', async () => {
    const { url, received } = await scriptedService(() => ({ status: 500 }))
    const env = { SVC_API_TOKEN: 'svc_key', SVC_SANDBOX_API_URL: url }
    const refused: [string[], RegExp][] = [
      [['--spaces-min', '20', '--spaces-max', '3'], /--spaces-min \(20\) is greater than --spaces-max/],
      [['--area-sqm', '20'], /--area-sqm is too small for 5 storeys.*\n.*at least 100/],
      [['--area-sqm', '99', '--storeys', '50', '--spaces-max', '1'], /at least 100/],
      [['--seed', 'a\u0007b'], /--seed.*no control characters/],
      [['--name', 'a\u001bb'], /--name.*no control character, line separator, zero-width space/],
      [['--name', 'a\u202eb'], /--name.*no control character, line separator, zero-width space/],
      [['--name', '---'], /--name.*at least one letter or digit/],
      [['--name', 'x'.repeat(65)], /--name.*64/],
      [['--seed', 'x'.repeat(65)], /--seed.*64/],
    ]
    for (const [words, expected] of refused) {
      const ends = [await runTool(['sandbox', 'create', ...words], { env }), await dry(...words)]
      expect(
        ends.map(({ code }) => code),
        words.join(' '),
      ).toEqual([64, 64])
      expect(ends[0]!.stderr).toBe(ends[1]!.stderr)
      expect(ends[0]!.stderr).toMatch(expected)
    }
    expect(received).toEqual([])
  })

  it('refuses a storey that does not exist, and a file that cannot be written', async () => {
    expect(await dry('--storey', 'L77')).toMatchObject({ code: 64, stderr: expect.stringContaining('L00') })
    const folder = temporaryFolder('svc-dry')
    writeFileSync(join(folder, 'file'), '')
    const nowhere = await dry('--out', join(folder, 'file', 'x.json'))
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('a part of the path is a file') })
    expect(await dry('--out', folder)).toMatchObject({ code: 1, stderr: expect.stringContaining('it is a folder.') })
  })

  it('reports that an address from SVC_API_URL may be that of a sandbox', async () => {
    const { url } = await scriptedService(() => problem(404, 'NOT_FOUND', 'No such route'))
    const { stderr } = await runTool(['sandbox', 'list'], { env: { SVC_API_TOKEN: 'svc_key', SVC_API_URL: url } })
    expect(stderr).toContain('set SVC_SANDBOX_API_URL')
  })
})
