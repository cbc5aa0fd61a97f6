import { credentialsIn } from '@storey/kit/url-credentials'
import { hostOf } from '../../host-of.ts'
import { isLoopback } from '../../is-loopback.ts'
import type { Settings } from '../../settings.ts'
import { Findings, reasonOf } from './finding.ts'
import { ProtocolClient } from './protocol-client.ts'

const NATS_PORT = 4222
const MQTT_PORTS = { 'mqtt:': 1883, 'mqtts:': 8883 }

/**
 * Checks NATS and the operator's own MQTT broker, if they are used: address, TLS and credentials. For the embedded MQTT
 * broker, only warns if clients connect without TLS in production.
 */
export async function checkBrokers(settings: Settings): Promise<Findings> {
  const found = new Findings('brokers')
  const [first] = settings.natsUrls
  for (const url of settings.natsUrls) {
    const name = `NATS ${url.host}`
    try {
      found.ok(`${name} accepts the connection, version ${await connectNats(url, first!)}`)
    } catch (err) {
      found.problem(
        `${name}: ${reasonOf(err)}`,
        'check NATS_URL; while no server in it accepts the connection, events reach only the process that published them',
      )
    }
  }
  if (settings.natsUrls.length === 0) found.ok('NATS is not used: events stay within each stack')
  await checkMqtt(settings, found)
  return found
}

/** Sends CONNECT and PING, and returns the version of the server. Credentials are those of the first URL. */
async function connectNats(url: URL, first: URL): Promise<string> {
  const host = hostOf(url)
  const client = await ProtocolClient.open({ host, port: Number(url.port || NATS_PORT), isTls: false })
  try {
    const greeting = String(await client.exchange('', (received) => received.includes('\r\n')))
    const info = JSON.parse(/^INFO (\{.*\})/.exec(greeting)?.[1] ?? '{}') as {
      version?: string
      tls_required?: boolean
    }
    if (info.version === undefined) throw new Error('it is not a NATS server')
    if (url.protocol === 'tls:' || info.tls_required) await client.secure(host)
    const { username: user, password: pass } = credentialsIn(first)
    const credentials = pass === '' && user !== '' ? { auth_token: user } : { user, pass }
    const options = { verbose: false, pedantic: false, name: 'storey-doctor', lang: 'node', version: '1', protocol: 1 }
    const connect = `CONNECT ${JSON.stringify({ ...options, ...(user === '' ? {} : credentials) })}\r\nPING\r\n`
    const answer = String(await client.exchange(connect, (received) => /PONG|-ERR/.test(String(received))))
    const refusal = /-ERR '?([^'\r\n]*)/.exec(answer)?.[1]
    if (refusal !== undefined) throw new Error(`it refuses the connection: ${refusal}`)
    return info.version
  } finally {
    client.close()
  }
}

async function checkMqtt(settings: Settings, found: Findings): Promise<void> {
  const { mqttEnabled, mqttUrl, mqttUsername, mqttPassword, mqttPublicUrl, mode, host } = settings
  if (!mqttEnabled) return found.ok('MQTT is off')
  if (mqttUrl === undefined) {
    if (mode === 'production' && mqttPublicUrl?.protocol !== 'mqtts:' && !isLoopback(host))
      found.warning(
        'clients connect to the embedded broker without encryption',
        'put a proxy with TLS in front of it, and set MQTT_PUBLIC_URL to its mqtts:// address (docs/proxies.md)',
      )
    return
  }
  if (mqttUsername === undefined || mqttPassword === undefined)
    return found.problem(
      'MQTT_USERNAME or MQTT_PASSWORD is not set: no observations are read from the broker',
      'set both',
    )
  try {
    await connectMqtt(mqttUrl, mqttUsername, mqttPassword)
    found.ok(`the MQTT broker ${mqttUrl.host} accepts the account`)
  } catch (err) {
    found.problem(
      `the MQTT broker ${mqttUrl.host}: ${reasonOf(err)}`,
      'check MQTT_URL and its account (deploy/mosquitto)',
    )
  }
}

const REFUSALS = [
  '',
  'it does not support MQTT 3.1.1',
  'it refuses the client id',
  'it is unavailable',
  'it refuses the user name or password',
  'the account is not authorized',
]

async function connectMqtt(url: URL, username: string, password: string): Promise<void> {
  const host = hostOf(url)
  const port = Number(url.port || MQTT_PORTS[url.protocol as keyof typeof MQTT_PORTS])
  const client = await ProtocolClient.open({ host, port, isTls: url.protocol === 'mqtts:' })
  try {
    const answer = await client.exchange(connectPacket(username, password), (received) => received.length >= 4)
    const code = answer[0] === 0x20 ? answer[3]! : 1
    if (code !== 0) throw new Error(REFUSALS[code] ?? `it refuses the connection with code ${code}`)
  } finally {
    client.close()
  }
}

/** CONNECT of MQTT 3.1.1 with a clean session. */
function connectPacket(username: string, password: string): Buffer {
  const text = (value: string) => {
    const bytes = Buffer.from(value)
    return Buffer.concat([Buffer.from([bytes.length >> 8, bytes.length & 0xff]), bytes])
  }
  const head = Buffer.concat([text('MQTT'), Buffer.from([4, 0xc2, 0, 30])])
  const body = Buffer.concat([head, text(`storey-doctor-${process.pid}`), text(username), text(password)])
  const length: number[] = []
  for (let rest = body.length; ; rest >>= 7) {
    if (rest < 128) {
      length.push(rest)
      break
    }
    length.push((rest & 0x7f) | 0x80)
  }
  return Buffer.concat([Buffer.from([0x10, ...length]), body])
}
