import { type AddressInfo, createServer, type Server } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { readSettings } from '../../settings.ts'
import { checkBrokers } from './check-brokers.ts'

const findingsAt = async (env: Record<string, string>) =>
  (await checkBrokers(readSettings(env))).all.map(({ level, text }) => `${level}: ${text}`)

describe('an external MQTT broker', () => {
  it('[OPR-09] must be reachable, and needs an account', async () => {
    const env = { MQTT_ENABLED: 'true', MQTT_URL: 'mqtt://127.0.0.1:1', MQTT_USERNAME: 'storey' }
    expect(await findingsAt({ ...env, MQTT_PASSWORD: 'right' })).toContain(
      'problem: the MQTT broker 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
    )
    expect(await findingsAt(env)).toContain(
      'problem: MQTT_USERNAME or MQTT_PASSWORD is not set: no observations are read from the broker',
    )
  })
})

describe('NATS', () => {
  const servers: Server[] = []
  afterEach(async () => {
    for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve))
  })

  /** Starts a server that answers CONNECT like a NATS server with one account. */
  async function nats(hello: string, password = 'right'): Promise<string> {
    const server = createServer((socket) => {
      socket.write(hello)
      socket.on('error', () => undefined)
      socket.on('data', (sent) => {
        const isKnown = String(sent).includes(`"user":"storey","pass":"${password}"`)
        socket.write(isKnown ? 'PONG\r\n' : "-ERR 'Authorization Violation'\r\n")
      })
    })
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  it('[OPR-09] must accept the credentials at every server of the setting', async () => {
    const host = await nats('INFO {"version":"2.12.0","auth_required":true}\r\n')
    expect(await findingsAt({ NATS_URL: `nats://storey:right@${host},nats://127.0.0.1:1` })).toEqual([
      `ok: NATS ${host} accepts the connection, version 2.12.0`,
      'problem: NATS 127.0.0.1:1: connect ECONNREFUSED 127.0.0.1:1',
      'ok: MQTT is off',
    ])
    const [refused] = await findingsAt({ NATS_URL: `nats://storey:wrong@${host}` })
    expect(refused).toBe(`problem: NATS ${host}: it refuses the connection: Authorization Violation`)
  })

  it('[OPR-09] can be used with a password that has an unencoded percent sign', async () => {
    const host = await nats('INFO {"version":"2.12.0","auth_required":true}\r\n', '50%off')
    expect((await findingsAt({ NATS_URL: `nats://storey:50%off@${host}` }))[0]).toMatch(
      /^ok: .* accepts the connection/,
    )
  })

  it('[OPR-09] must greet with INFO: another greeting is a problem', async () => {
    const host = await nats('SSH-2.0-OpenSSH_9.9\r\n')
    expect((await findingsAt({ NATS_URL: `nats://${host}` }))[0]).toBe(`problem: NATS ${host}: it is not a NATS server`)
  })
})
