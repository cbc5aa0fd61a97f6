import { readFileSync } from 'node:fs'
import { ConfigError } from '@storey/kit/config'
import { describe, expect, it } from 'vitest'
import { mqttAddress, mqttConfig } from './mqtt-config.ts'
import { readSettings } from './settings.ts'

describe('settings', () => {
  it('[HST-02, HST-09, HST-11, HST-12, STK-07, STK-11] have defaults if no variable is set', () => {
    const settings = readSettings({})
    expect(settings).toMatchObject({
      mode: 'development',
      host: '127.0.0.1',
      port: 4000,
      baseDomain: 'localhost',
      maxActiveSandboxes: 3,
      rateLimitPerMinute: 100,
      sandboxRateLimitPerMinute: 1000,
      expiryGraceMs: 24 * 3_600_000,
      sandboxStorageMb: 4096,
      stackIdleMs: 30 * 60_000,
      shutdownDelayMs: 0,
      spareStacks: 1,
      kubernetes: undefined,
      spacesPageCap: 1000,
      shellModuleRoute: 'on',
      corsOrigins: [],
      natsUrls: [],
      metricsPort: 9464,
      metricsHost: '127.0.0.1',
      accessLog: undefined,
      healthCheckRanges: [],
      databaseUrl: undefined,
    })
    expect(settings.publicUrl.href).toBe('http://localhost:4000/')
    expect(settings.dataDir).toMatch(/\.data$/)
    expect(Object.isFrozen(settings)).toBe(true)
  })

  it('[HST-09] read an empty variable as absent', () => {
    expect(readSettings({ PORT: '', MODE: ' ' })).toMatchObject({ port: 4000, mode: 'development' })
  })

  it('[HST-10] report all invalid variables together, by name', () => {
    const wrong = {
      PORT: '0',
      METRICS_PORT: '70000',
      BASE_DOMAIN: 'a b',
      PUBLIC_URL: 'https://x/y',
      MASTER_SECRET: 'short',
    }
    try {
      readSettings(wrong)
      expect.unreachable()
    } catch (err) {
      expect(err).toBeInstanceOf(ConfigError)
      const names = (err as ConfigError).errors.map((sentence) => sentence.split(' ')[0])
      expect(names.sort()).toEqual(Object.keys(wrong).sort())
      expect((err as ConfigError).message).not.toContain('short')
    }
  })

  it('[HST-79, HST-80] read the database servers of sandboxes, and name a wrong entry without its password', () => {
    expect(readSettings({}).tenantServers).toEqual([])
    const urls = 'postgres://a:p@db1/x, control ,postgresql://a:p@db2:5433/x?sslmode=verify-full'
    const { tenantServers } = readSettings({ TENANT_DATABASE_URLS: urls })
    expect(tenantServers.map(String)).toEqual(urls.split(',').map((url) => url.trim()))
    const errorOf = (text: string) => {
      try {
        return `accepted: ${readSettings({ TENANT_DATABASE_URLS: text }).tenantServers}`
      } catch (err) {
        return (err as ConfigError).message
      }
    }
    expect(errorOf('postgres://a:secret@db1/x,mysql://a:secret@db2')).toMatch(
      /^TENANT_DATABASE_URLS .* entry 2 is neither$/,
    )
    expect(errorOf('postgres://a:secret@db1/x,postgres://b:secret@db1:5432/y')).toContain('entry 2 is db1:5432 again')
    expect(errorOf('postgres://a:secret@db1/x,db2')).not.toContain('secret')
  })

  it('[HST-73] accept a file, stdout or off as the destination of the access log', () => {
    expect(readSettings({ ACCESS_LOG: 'stdout' }).accessLog).toBe('stdout')
    expect(readSettings({ ACCESS_LOG: '/var/log/access.log' }).accessLog).toEqual({ file: '/var/log/access.log' })
    expect(readSettings({ ACCESS_LOG: 'off' }).accessLog).toBeUndefined()
  })

  it.each([
    ['ACCESS_LOG', 'on'],
    ['HEALTH_CHECK_RANGES', '10.0.0.0/99'],
    ['BASE_DOMAIN', '10.0.0.1'],
    ['BASE_DOMAIN', '-a-.example'],
    ['BASE_DOMAIN', 'a'.repeat(64)],
    ['BASE_DOMAIN', `${'a.'.repeat(120)}example`],
    ['PUBLIC_URL', 'https://user@storey.example'],
    ['PUBLIC_URL', 'https://storey.example/#here'],
    ['HTTPS_PROXY', 'nonsense'],
    ['http_proxy', 'socks5://proxy.example'],
    ['NODE_EXTRA_CA_CERTS', '/no/such/file.pem'],
  ])('[HST-10] refuse %s=%s', (name, value) => {
    expect(() => readSettings({ [name]: value })).toThrow(new RegExp(`^${name} must `))
  })

  it('[HST-33] limit connections, in total and per address', () => {
    expect(readSettings({})).toMatchObject({ maxConnections: 4_000, maxConnectionsPerAddress: 400 })
    const given = { MAX_CONNECTIONS: '20000', MAX_CONNECTIONS_PER_ADDRESS: '50' }
    expect(readSettings(given)).toMatchObject({ maxConnections: 20_000, maxConnectionsPerAddress: 50 })
    expect(() => readSettings({ MAX_CONNECTIONS: '0' })).toThrow('MAX_CONNECTIONS')
  })

  it('[WHK-44] accept address ranges for webhooks, and refuse other texts', () => {
    const given = { WEBHOOK_ALLOWED_RANGES: '10.20.0.0/16, fd12::/16', WEBHOOK_DENIED_RANGES: '8.8.8.8' }
    expect(readSettings(given)).toMatchObject({
      webhookAllowedRanges: ['10.20.0.0/16', 'fd12::/16'],
      webhookDeniedRanges: ['8.8.8.8'],
    })
    for (const wrong of [{ WEBHOOK_ALLOWED_RANGES: '10.0.0.0/40' }, { WEBHOOK_DENIED_RANGES: 'intranet' }]) {
      expect(() => readSettings(wrong)).toThrow(Object.keys(wrong)[0]!)
    }
  })

  it('[MQT-03, MQT-09] disable MQTT by default, accept an external broker, and use port 1883 for the embedded one', () => {
    expect(readSettings({})).toMatchObject({ mqttEnabled: false, mqttUrl: undefined, mqttPort: 1883 })
    expect(readSettings({ MQTT_ENABLED: 'true', MQTT_URL: 'mqtts://broker.example' })).toMatchObject({
      mqttEnabled: true,
      mqttUrl: new URL('mqtts://broker.example'),
    })
    const refused = [
      { MQTT_ENABLED: 'yes' },
      { MQTT_URL: 'http://broker.example' },
      { MQTT_URL: 'mqtt://user:secret@broker.example' },
      { MQTT_ENABLED: 'true', MQTT_PORT: '4000' },
    ]
    for (const settings of refused) expect(() => readSettings(settings), JSON.stringify(settings)).toThrow(/^MQTT_/)
  })

  it('[MQT-26] accept the address of MQTT for clients, without credentials or path', () => {
    const settings = readSettings({ MQTT_ENABLED: 'true', MQTT_PUBLIC_URL: 'mqtts://mqtt.example.com:8883' })
    expect(mqttConfig(settings)?.publicUrl?.href).toBe('mqtts://mqtt.example.com:8883')
    expect(mqttAddress(mqttConfig(settings))).toBe('mqtts://mqtt.example.com:8883')
    expect(readSettings({}).mqttPublicUrl).toBeUndefined()
    for (const wrong of ['https://a.example', 'mqtts://me:secret@a.example', 'mqtts://a.example/x', 'mqtts:'])
      expect(() => readSettings({ MQTT_PUBLIC_URL: wrong }), wrong).toThrow(/^MQTT_PUBLIC_URL/)
  })

  it('accept a NATS server with credentials, and never print them', () => {
    expect(readSettings({ NATS_URL: 'tls://storey:hunter2@bus.example:4222' }).natsUrls[0]?.host).toBe(
      'bus.example:4222',
    )
    for (const NATS_URL of ['ws://storey:hunter2@bus.example', 'storey:hunter2@bus.example:4222', 'bus.example']) {
      expect(() => readSettings({ NATS_URL }), NATS_URL).toThrow(/^NATS_URL must be a URL that starts with \S+ or \S+$/)
    }
  })

  it('[HST-15] accept several servers of a NATS cluster, with one scheme and one account', () => {
    const hostsOf = (NATS_URL: string) => readSettings({ NATS_URL }).natsUrls.map(({ host }) => host)
    expect(hostsOf('nats://storey:hunter2@a:4222, nats://b:4222,nats://storey:hunter2@c:4222')).toEqual([
      'a:4222',
      'b:4222',
      'c:4222',
    ])
    for (const NATS_URL of [
      'nats://a,tls://b',
      'nats://storey:hunter2@a,nats://storey:hunter3@b',
      'nats://a,nats://me@b',
    ])
      expect(() => readSettings({ NATS_URL }), NATS_URL).toThrow(
        /^NATS_URL must have the same scheme and credentials [^:]+$/,
      )
  })

  it('[RAT-08] trust the listed proxies, by address or range, and none by default', () => {
    expect(readSettings({}).trustedProxies).toEqual([])
    expect(readSettings({ TRUSTED_PROXIES: '10.0.0.0/8, 2001:db8::1' }).trustedProxies).toMatchObject([
      { bits: 8 },
      { bits: 128 },
    ])
    for (const wrong of ['proxy.example', '10.0.0.0/40', '*', '10.0.0.1;10.0.0.2']) {
      expect(() => readSettings({ TRUSTED_PROXIES: wrong }), wrong).toThrow(/^TRUSTED_PROXIES must/)
    }
  })

  it('[IDN-04] keep the text of an issuer unchanged, because issuers are compared as texts', () => {
    for (const SANDBOXES_ISSUER of ['https://id.example', 'https://id.example/', 'https://id.example/realms/x'])
      expect(readSettings({ SANDBOXES_ISSUER }).sandboxesIssuer).toBe(SANDBOXES_ISSUER)
    for (const wrong of ['https://id.example/?x=1', 'https://a:b@id.example/', 'id.example'])
      expect(() => readSettings({ DEVELOPERS_ISSUER: wrong }), wrong).toThrow(/^DEVELOPERS_ISSUER must/)
  })

  it('[IDN-31] accept an audience only for an external provider', () => {
    const settings = { SANDBOXES_ISSUER: 'https://id.example/realms/x', SANDBOXES_AUDIENCE: 'storey' }
    expect(readSettings(settings).sandboxesAudience).toBe('storey')
    expect(() => readSettings({ DEVELOPERS_AUDIENCE: 'storey' })).toThrow(/^DEVELOPERS_AUDIENCE needs/)
  })

  it('[IDN-43] accept other client ids, scopes and names of claims only for an external provider', () => {
    const developers = { DEVELOPERS_ISSUER: 'https://id.example' }
    const defaults = readSettings({})
    expect([defaults.portalClientId, defaults.cliClientId, defaults.shellClientId]).toEqual([
      ...['svc-portal', 'svc-cli', 'svc-shell'],
    ])
    expect([defaults.developersScope, defaults.developersClaims]).toEqual(['openid email profile', {}])
    expect(
      readSettings({
        ...developers,
        PORTAL_CLIENT_ID: '0oa1',
        CLI_CLIENT_ID: '0oa2',
        DEVELOPERS_SCOPE: ' openid  api://storey/access ',
        DEVELOPERS_CLAIMS: 'org_id=https://example.com/org_id, sub = oid',
      }),
    ).toMatchObject({
      portalClientId: '0oa1',
      cliClientId: '0oa2',
      developersScope: 'openid api://storey/access',
      developersClaims: { org_id: 'https://example.com/org_id', sub: 'oid' },
    })
    const names = ['PORTAL_CLIENT_ID', 'CLI_CLIENT_ID', 'SHELL_CLIENT_ID', 'SANDBOXES_SCOPE', 'SANDBOXES_CLAIMS']
    for (const name of names) {
      const value = name.endsWith('CLAIMS') ? 'roles=roles' : 'openid'
      expect(() => readSettings({ [name]: value }), name).toThrow(new RegExp(`^${name} needs an external provider`))
    }
    for (const wrong of ['tenant_id=x', 'org_id', 'org_id=', '=x'])
      expect(() => readSettings({ ...developers, DEVELOPERS_CLAIMS: wrong }), wrong).toThrow(/^DEVELOPERS_CLAIMS must/)
    expect(() => readSettings({ ...developers, DEVELOPERS_SCOPE: 'email' })).toThrow(/^DEVELOPERS_SCOPE must/)
  })

  it('[IDN-07] refuse one client for both the portal and the tool, because only tokens of the portal may create keys', () => {
    const same = { DEVELOPERS_ISSUER: 'https://id.example', PORTAL_CLIENT_ID: 'one', CLI_CLIENT_ID: 'one' }
    expect(() => readSettings(same)).toThrow(/^CLI_CLIENT_ID must differ/)
  })

  it('[IDN-42] accept a client for administration only for an external realm, and only with the secret of the client', () => {
    const settings = { IDENTITY_ADMIN: 'keycloak', SANDBOXES_ISSUER: 'https://id.example/auth/realms/x' }
    const url = 'https://id.example/auth/admin/realms/x'
    expect(readSettings({}).identityAdmin).toBeUndefined()
    expect(readSettings({ ...settings, IDENTITY_ADMIN_CLIENT_SECRET: 'hush' }).identityAdmin).toEqual({
      ...{ kind: 'keycloak', url, clientId: 'svc-admin', clientSecret: 'hush' },
    })
    expect(() => readSettings(settings)).toThrow(/^IDENTITY_ADMIN_CLIENT_SECRET is required/)
    const secret = { IDENTITY_ADMIN: 'keycloak', IDENTITY_ADMIN_CLIENT_SECRET: 'hush' }
    expect(() => readSettings(secret)).toThrow(/^IDENTITY_ADMIN needs an external provider/)
    expect(() => readSettings({ ...secret, SANDBOXES_ISSUER: 'https://id.example' })).toThrow(/^IDENTITY_ADMIN_URL/)
  })

  it('accept origins in the form of the Origin header', () => {
    const CORS_ORIGINS = 'https://app.example.com, http://localhost:6001'
    expect(readSettings({ CORS_ORIGINS }).corsOrigins).toEqual(['https://app.example.com', 'http://localhost:6001'])
    for (const wrong of ['*', 'null', 'https://app.example.com/', 'app.example.com', 'https://App.example.com'])
      expect(() => readSettings({ CORS_ORIGINS: wrong }), wrong).toThrow(/^CORS_ORIGINS must/)
  })

  it('[HST-16] are documented in the operations guide, if settings.ts passes their names to SettingsReader', () => {
    const guide = readFileSync('docs/operations.md', 'utf8')
    const source = readFileSync('packages/host/src/settings.ts', 'utf8')
    const names = [...source.matchAll(/read\.\w+\('([A-Z_]+)'/g)].map((match) => match[1]!)
    expect(names.length).toBeGreaterThan(10)
    for (const name of names) expect(guide, name).toMatch(new RegExp(`^\\| \`${name}\` +\\|`, 'm'))
  })
})
