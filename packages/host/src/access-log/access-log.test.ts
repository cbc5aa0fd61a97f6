import { execFileSync } from 'node:child_process'
import { closeSync, constants, existsSync, openSync, readFileSync, renameSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import type { ObservedRequest } from '@storey/kit/http'
import { silentLog } from '@storey/kit/log'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import type { Span } from '@storey/kit/tracing'
import { describe, expect, it } from 'vitest'
import { accessLine, openAccessLog } from './access-log.ts'

const observed = (fields: Partial<ObservedRequest> = {}): ObservedRequest => ({
  request: { method: 'GET' } as IncomingMessage,
  target: '/api/v1/spaces/7?token=secret',
  ...{ startedAtMs: 0, isUpgrade: false, span: undefined },
  clientAddress: '203.0.113.7',
  requestId: 'req_1',
  ...{ part: 'stack', route: '/api/v1/spaces/:id', sandboxId: 'sbx_a', caller: { kind: 'account', id: 'u1' } },
  ...{ status: 200, durationMs: 12.3456, bytes: 789, isAborted: false },
  ...fields,
})
const lineOf = (fields?: Partial<ObservedRequest>) =>
  JSON.parse(accessLine(observed(fields), new Date('2026-03-01T08:00:00Z')))

describe('a line of the access log', () => {
  it('[HST-73] has what identifies a request, and no query', () => {
    expect(lineOf()).toEqual({
      time: '2026-03-01T08:00:00.000Z',
      ...{ method: 'GET', path: '/api/v1/spaces/7', route: '/api/v1/spaces/:id', part: 'stack', status: 200 },
      ...{ durationMs: 12.35, bytes: 789, client: '203.0.113.7', requestId: 'req_1', sandboxId: 'sbx_a' },
      ...{ callerKind: 'account', callerId: 'u1' },
    })
    expect(lineOf({ span: { traceId: '4bf92f35' } as Span })).toMatchObject({ trace_id: '4bf92f35' })
    expect(lineOf({ isAborted: true, status: 499 })).toMatchObject({ aborted: true, status: 499 })
  })

  it('[HST-85] has no control characters', () => {
    const fields = { target: '/a\u009b31m', clientAddress: 'x\u007f' }
    expect(accessLine(observed(fields), new Date()).trimEnd()).not.toMatch(/[^ -~]/)
    expect(lineOf(fields)).toMatchObject({ path: '/a\u009b31m', client: 'x\u007f' })
  })

  it('[HST-73] has no key or token that a client put into the path, and no id of a sign-in', () => {
    const key = `svc_${'A1b2'.repeat(12)}`
    const jwt = 'eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln'
    expect(lineOf({ target: `/api/${key}/x/${jwt}?${key}` }).path).toBe('/api/[hidden]/x/[hidden]')
    const signIn = { part: 'realms', route: '/realms/:realm/*', target: '/realms/sandboxes/interaction/AbCdEf' }
    expect(lineOf(signIn).path).toBe('/realms/:realm/*')
    expect(lineOf({ target: '/'.padEnd(5_000, 'a') }).path).toHaveLength(1_024)
  })

  it.each([
    ['http://user:pw@localhost:4000/zz', '/zz'],
    ['http://user:p/w@localhost', '/'],
    ['HTTPS://user:p?w@localhost/zz', '/'],
    ['http://localhost/api/v1/spaces?at=me@example.com', '/api/v1/spaces'],
  ])('[HST-73] has only the path of the absolute URL %s, without credentials', (target, path) => {
    expect(lineOf({ target }).path).toBe(path)
  })

  it.each([
    ['the secret of a webhook', `whsec_${'Ab+/'.repeat(8)}`],
    ['the secret of a service account', 'Ab3d'.repeat(10)],
    ['the password of a broker', '0a1b2c'.repeat(8)],
    ['a refresh token', `${'Ab-3_'.repeat(8)}xyz`],
    ['a key with an encoded underscore', `svc%5F${'A1b2'.repeat(6)}`],
    ['a key with encoded letters', `s%76c_${'A1b2'.repeat(6)}`],
    ['a key that was encoded twice', `svc%255f${'A1b2'.repeat(6)}`],
    ['the encoded secret of a webhook', `whsec%5F${'Ab%2B%2F'.repeat(8)}`],
    ['a token with encoded dots', 'eyJhbGciOiJFUzI1NiJ9%2eeyJzdWIiOiIxIn0%2Ec2lnbmF0dXJl'],
  ])('[HST-73] does not contain %s that a client put into the path', (_what, secret) => {
    expect(lineOf({ target: `/p/${secret}` }).path).toBe('/p/[hidden]')
    // No part of the secret is left at the end of a path that is truncated.
    expect(lineOf({ target: `/${'p/'.repeat(500)}${secret}` }).path.slice(1_001)).toBe('[hidden]')
  })

  it.each([
    '/api/v1/buildings/0198c1d2-7f00-7aaa-8bbb-0123456789ab/spaces',
    '/s/a-sandbox-with-a-name-of-more-than-40-characters/api/v1/spaces',
    '/api/v1/data-layers/lay_0a1b2c3d/values',
    '/api/v1/spaces/a%20b%0Ac%41%2541%zz',
  ])('[HST-73] keeps the ids and names in the path %s', (target) => {
    expect(lineOf({ target }).path).toBe(target)
  })
})

describe('the access log', () => {
  it('[HST-73] continues in a new file when the file is moved away, as logrotate does', async () => {
    const file = join(temporaryFolder('storey-access-log'), 'access.log')
    const log = openAccessLog({ file }, silentLog)
    log.end(observed({ requestId: 'req_before' }))
    await expect.poll(() => readFileSync(file, 'utf8')).toContain('req_before')
    renameSync(file, `${file}.1`)
    let count = 0
    await expect
      .poll(
        () => {
          log.end(observed({ requestId: `req_${count++}` }))
          return existsSync(file) && readFileSync(file, 'utf8') !== ''
        },
        { timeout: 10_000 },
      )
      .toBe(true)
    log.end(observed({ requestId: 'req_last' }))
    await log.close()
    const ids = [`${file}.1`, file].flatMap((path) =>
      readFileSync(path, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line).requestId),
    )
    expect(ids).toEqual(['req_before', ...Array.from({ length: count }, (_, i) => `req_${i}`), 'req_last'])
    expect(log.dropped()).toBe(0)
  })

  it('[HST-73] cannot be opened if its file cannot be written, and the error names the setting', () => {
    const file = join(temporaryFolder('storey-access-log'), 'missing', 'access.log')
    expect(() => openAccessLog({ file }, silentLog)).toThrow('ACCESS_LOG: the file cannot be written')
  })

  it.runIf(process.platform === 'linux')(
    '[HST-73] cannot be opened on a pipe without a reader, and is not blocked by a reader that does not read',
    async () => {
      const file = join(temporaryFolder('storey-access-log'), 'pipe')
      execFileSync('mkfifo', [file])
      expect(() => openAccessLog({ file }, silentLog)).toThrow('it is a pipe that nobody reads')
      const reader = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK)
      const log = openAccessLog({ file }, silentLog)
      // These are more lines than the pipe can hold.
      for (let i = 0; i < 2_000; i++) log.end(observed())
      await log.close()
      closeSync(reader)
    },
  )

  it.runIf(existsSync('/dev/full'))('[HST-73] drops and counts lines that cannot be written', async () => {
    const log = openAccessLog({ file: '/dev/full' }, silentLog)
    for (let i = 0; i < 3; i++) log.end(observed())
    await log.close()
    expect(log.dropped()).toBe(3)
  })
})
