import { describe, expect, it } from 'vitest'
import { checkSettings } from './check-settings.ts'

const SECRET = '0123456789abcdef0123456789abcdef'
const PRODUCTION = {
  MODE: 'production',
  MASTER_SECRET: SECRET,
  PUBLIC_URL: 'https://storey.example.com',
  BASE_DOMAIN: 'example-sandboxes.com',
  TRUSTED_PROXIES: '10.0.0.5',
}

const foundIn = (env: Record<string, string>) =>
  checkSettings(env)
    .found.all.filter(({ level }) => level !== 'ok')
    .map(({ level, text }) => `${level}: ${text}`)

describe('the settings', () => {
  it('[OPR-09] cause no warning or problem by default, and in production with a proxy', () => {
    expect(foundIn({})).toEqual([])
    expect(foundIn(PRODUCTION)).toEqual([])
  })

  it('[OPR-09] cause no warning or problem if the service listens on every address of a pod', () => {
    expect(foundIn({ ...PRODUCTION, HOST: '0.0.0.0', KUBERNETES_SERVICE_HOST: '10.96.0.1' })).toEqual([])
  })

  it.each([
    [{ PUBLIC_URL: 'http://storey.example.com' }, 'problem: PUBLIC_URL is http://storey.example.com: passwords'],
    [{ BASE_DOMAIN: 'localhost' }, 'problem: sandboxes are at <slug>.localhost, which other machines cannot reach'],
    [{ BASE_DOMAIN: 'sandboxes.example.com' }, 'warning: PUBLIC_URL and BASE_DOMAIN share the domain example.com'],
    [{ TRUSTED_PROXIES: '' }, 'warning: PUBLIC_URL is https, so a proxy is in front, but TRUSTED_PROXIES is empty'],
    [{ TRUSTED_PROXIES: '0.0.0.0/0' }, 'problem: TRUSTED_PROXIES contains every address'],
    [{ MODE: 'development' }, 'warning: MODE is development, but PUBLIC_URL is https://storey.example.com'],
    [{ HOST: '0.0.0.0' }, 'warning: the service listens on every address'],
    [{ RATE_LIMIT_PER_MINUTE: '0' }, 'warning: RATE_LIMIT_PER_MINUTE is 0'],
    [{ MASTER_SECRET: 'x'.repeat(40) }, 'problem: MASTER_SECRET has fewer than 10 different characters'],
    [{ PORT: 'abc' }, 'problem: PORT must be a whole number'],
    [{ MASTER_SECRET: '' }, 'problem: MASTER_SECRET is required in production'],
  ])('[OPR-09] of production with %j cause a warning or a problem', (change, finding) => {
    expect(foundIn({ ...PRODUCTION, ...change })).toEqual([expect.stringContaining(finding)])
  })

  it('[OPR-09] that are invalid are all named, and the valid settings are checked', () => {
    const env = { ...PRODUCTION, PORT: 'abc', MASTER_SECRET: 'short', BASE_DOMAIN: 'localhost' }
    const { settings, found } = checkSettings(env)
    expect(found.all.filter(({ level }) => level === 'problem')).toHaveLength(3)
    expect(settings).toMatchObject({ mode: 'production', port: 4000, masterSecret: undefined })
  })
})
