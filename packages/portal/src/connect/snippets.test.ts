import { readFileSync } from 'node:fs'
import { VERSION } from '@storey/contract'
import { describe, expect, it } from 'vitest'
import { masked, sdkInstall, snippetsOf, TOOL_ALIAS } from './snippets.ts'

const parts = {
  sandboxId: 'sbx_1',
  serviceUrl: 'http://localhost:4000',
  connection: {
    apiUrl: 'http://tower-ab12c.localhost:4000',
    pathUrl: 'http://localhost:4000/s/mall-abcde',
    consoleUrl: 'http://tower-ab12c.localhost:4000',
    token: 'header.payload.signature',
    organizationId: 'org_1',
    siteId: 'site',
    buildingId: 'b-1',
    mqtt: {
      url: 'mqtt://localhost:1883',
      username: 'sbx_1',
      password: 'secret',
      topic: 'svc/org_1/site/b-1/telemetry',
    },
  },
}

describe('snippets', () => {
  it('contain the connect command, and all variables that it sets', () => {
    const { cli, environment } = snippetsOf(parts)
    expect(cli).toContain('eval "$(svc sandbox connect sbx_1)"')
    expect(environment.split('\n')).toEqual([
      'export SVC_API_URL=http://tower-ab12c.localhost:4000',
      'export SVC_API_TOKEN=header.payload.signature',
      'export SVC_SANDBOX_API_URL=http://localhost:4000',
      'export SVC_BUILDING_ID=b-1',
      'export SVC_ORGANIZATION_ID=org_1',
      'export SVC_CONSOLE_URL=http://tower-ab12c.localhost:4000',
    ])
  })

  it('use the same alias as the README', () => {
    const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')
    expect(readme.split('\n')).toContain(TOOL_ALIAS)
  })

  it('install the SDK as the README does', () => {
    const readme = readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8')
    for (const line of sdkInstall(VERSION).split('\n')) expect(readme).toContain(line.split(/ {2,}/)[0])
  })

  it('contain the token only in the export commands, and never a password', () => {
    const { cli, curl, sdk, mqtt, environment } = snippetsOf(parts)
    for (const text of [cli, curl, sdk, mqtt]) {
      expect(text).not.toContain(parts.connection.token)
      expect(text).not.toContain('secret')
    }
    expect(masked(environment, parts.connection.token)).not.toContain('header.payload')
  })

  it('have no MQTT snippet if the connection has no MQTT', () => {
    expect(snippetsOf({ ...parts, connection: { ...parts.connection, mqtt: null } }).mqtt).toBeUndefined()
  })

  it.each([
    ['mqtt://localhost', '-h localhost -p 1883 -u sbx_1'],
    ['mqtt://localhost:1884', '-h localhost -p 1884 -u sbx_1'],
    ['mqtts://mqtt.example.com', '-h mqtt.example.com -p 8883 --tls-use-os-certs -u sbx_1'],
    ['mqtts://mqtt.example.com:443', '-h mqtt.example.com -p 443 --tls-use-os-certs -u sbx_1'],
    ['mqtts://[2001:db8::1]', '-h 2001:db8::1 -p 8883 --tls-use-os-certs -u sbx_1'],
  ])('publish to %s, with TLS if the scheme is mqtts', (url, options) => {
    const mqtt = { ...parts.connection.mqtt, url }
    const snippet = snippetsOf({ ...parts, connection: { ...parts.connection, mqtt } }).mqtt
    expect(snippet).toContain(`mosquitto_pub ${options} `)
  })

  it('publish without credentials if the broker manages its own accounts', () => {
    const mqtt = { ...parts.connection.mqtt, username: null, password: null }
    expect(snippetsOf({ ...parts, connection: { ...parts.connection, mqtt } }).mqtt).not.toContain('-P')
  })
})
