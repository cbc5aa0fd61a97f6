import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { reasonOf, watchNpm } from './watch-npm.mjs'

let printed = ''
const print = (text: string) => {
  printed += text
}

beforeEach(() => {
  printed = ''
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

describe('an installation', () => {
  it('reports what was downloaded, even without a terminal', () => {
    const watch = watchNpm({ print, probe: async () => undefined, isTerminal: false })
    watch.take('npm http fetch GET 200 https://registry.example/a 12ms (cache miss)\nnpm http fetch GET 200 https://re')
    watch.take('gistry.example/b 9ms (cache miss)\n')
    vi.advanceTimersByTime(5_000)
    expect(printed).toBe('Installing packages… 5 s, 2 downloaded\n')
    watch.end()
  })

  it('reports an unreachable registry once, at the first failed attempt, with the reason', () => {
    const watch = watchNpm({ print, probe: async () => undefined, isTerminal: false })
    watch.take('npm http fetch GET https://registry.example/a attempt 1 failed with ECONNREFUSED\n')
    watch.take('npm http fetch GET https://registry.example/b attempt 1 failed with ECONNREFUSED\n')
    expect(printed).toContain('cannot be reached: registry.example (ECONNREFUSED)')
    expect(printed.match(/cannot be reached/g)).toHaveLength(1)
    watch.end()
  })

  it('names the setting for the certificates of a private network', () => {
    const watch = watchNpm({ print, probe: async () => undefined, isTerminal: false })
    watch.take('npm http fetch GET https://registry.example/a attempt 1 failed with SELF_SIGNED_CERT_IN_CHAIN\n')
    expect(printed).toContain('NODE_EXTRA_CA_CERTS')
    watch.end()
  })

  it('checks the registry when nothing is downloaded, and reports the reason within 10 s', async () => {
    const watch = watchNpm({ print, probe: async () => 'connect ETIMEDOUT', isTerminal: false })
    await vi.advanceTimersByTimeAsync(10_000)
    expect(printed).toContain('cannot be reached: connect ETIMEDOUT')
    watch.end()
  })

  it('forwards the errors of npm, but not its warnings', async () => {
    const watch = watchNpm({ print, probe: async () => undefined, isTerminal: false })
    await vi.advanceTimersByTimeAsync(4_000)
    watch.take('npm warn deprecated x@1.0.0: old\nnpm error code E404\n')
    watch.end()
    expect(printed).toBe('npm error code E404\n')
  })
})

describe('the reason of a failed ping', () => {
  it.each([
    [
      'npm error code ECONNREFUSED\nnpm error FetchError: request failed, reason: connect ECONNREFUSED 127.0.0.1:9\n',
      'connect ECONNREFUSED 127.0.0.1:9',
    ],
    ['npm error code EIDLETIMEOUT\n', 'EIDLETIMEOUT'],
    ['npm error code E404\nnpm error 404 Not Found\n', undefined],
    ['', undefined],
  ])('is read from %j', (output, reason) => {
    expect(reasonOf(output)).toBe(reason)
  })
})
