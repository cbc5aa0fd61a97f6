import { randomBytes } from 'node:crypto'
import { lookup } from 'node:dns/promises'
import { request } from 'node:https'
import { isIPv6 } from 'node:net'
import { checkServerIdentity, connect, type PeerCertificate } from 'node:tls'
import { countOf } from '@storey/contract'
import { addressText, isInRange, parseRange } from '@storey/kit/client-address'
import { createAddressRule } from '@storey/kit/outbound'
import { hostOf, serverNameOf } from '../../host-of.ts'
import type { Settings } from '../../settings.ts'
import { Findings, reasonOf } from './finding.ts'

const LIMIT_MS = 8_000
const DAY_MS = 86_400_000
const SOON_DAYS = 21
const VERY_SOON_DAYS = 3

/** Checks names, certificates and the proxy as a client sees them, and the allowed ranges of webhooks. */
export async function checkNetwork(settings: Settings, isRunning: boolean): Promise<Findings> {
  const found = new Findings('network')
  const { publicUrl, baseDomain } = settings
  const sandboxHost = `doctor-${randomBytes(4).toString('hex')}.${baseDomain}`
  const hosts = [
    { host: hostOf(publicUrl), shown: publicUrl.hostname },
    { host: sandboxHost, shown: `*.${baseDomain}` },
  ]
  for (const { host, shown } of hosts) {
    if (!(await checkName(host, shown, found))) continue
    if (publicUrl.protocol === 'https:') await checkCertificate(host, shown, portOf(publicUrl), found)
  }
  if (isRunning && publicUrl.protocol === 'https:') await checkProxy(publicUrl, sandboxHost, found)
  checkWebhookRanges(settings, found)
  return found
}

const portOf = ({ port }: URL) => (port === '' ? 443 : Number(port))

/** Clients resolve names below localhost to loopback by themselves, so these names are not looked up. */
async function addressOf(host: string): Promise<string> {
  return /(^|\.)localhost$/.test(host) ? '127.0.0.1' : (await lookup(host)).address
}

async function checkName(host: string, shown: string, found: Findings): Promise<boolean> {
  try {
    found.ok(`${shown} resolves to ${await addressOf(host)}`)
    return true
  } catch (err) {
    const what = shown.startsWith('*') ? 'a wildcard record' : 'a record'
    found.problem(`${shown} does not resolve: ${reasonOf(err)}`, `add ${what} to your DNS that points to the proxy`)
    return false
  }
}

interface Seen {
  certificate: PeerCertificate
  /** Why the certificate is not trusted; undefined if it is trusted. */
  distrust: string | undefined
}

async function readCertificate(host: string, port: number): Promise<Seen> {
  const address = await addressOf(host)
  return await new Promise((resolve, reject) => {
    // The connection must not fail if the certificate is not trusted: the caller reports why.
    const servername = serverNameOf(host)
    const options = { host: address, port, servername, rejectUnauthorized: false, timeout: LIMIT_MS }
    const socket = connect(options, () => {
      const certificate = socket.getPeerCertificate()
      const distrust = socket.authorized ? undefined : String(socket.authorizationError)
      socket.destroy()
      resolve({ certificate, distrust })
    })
    socket.on('timeout', () => socket.destroy(new Error(`no answer within ${LIMIT_MS / 1000} seconds`)))
    socket.on('error', reject)
  })
}

async function checkCertificate(host: string, shown: string, port: number, found: Findings): Promise<void> {
  try {
    const { certificate, distrust } = await readCertificate(host, port)
    const days = Math.floor((new Date(certificate.valid_to).getTime() - Date.now()) / DAY_MS)
    const renew = 'renew it, and reload the proxy'
    if (checkServerIdentity(host, certificate) !== undefined)
      found.problem(
        `the certificate does not cover ${shown}, only ${certificate.subjectaltname ?? certificate.subject?.CN}`,
        `get one for ${shown} too`,
      )
    else if (days < 0) found.problem(`the certificate of ${shown} expired on ${certificate.valid_to}`, renew)
    else if (distrust !== undefined && !distrust.includes('ALTNAME'))
      found.problem(
        `the certificate of ${shown} is not trusted: ${distrust}`,
        'let the proxy send the whole chain, or set NODE_EXTRA_CA_CERTS to the file with the certificate of a private authority',
      )
    else if (days < VERY_SOON_DAYS)
      found.problem(`the certificate of ${shown} expires in ${countOf(days, 'day')}`, renew)
    else if (days < SOON_DAYS) found.warning(`the certificate of ${shown} expires in ${countOf(days, 'day')}`, renew)
    else found.ok(`the certificate covers ${shown} and is valid for ${countOf(days, 'day')}`)
  } catch (err) {
    found.problem(`TLS to ${shown} at port ${port} failed: ${reasonOf(err)}`, 'start the proxy, and open the port')
  }
}

interface ProxyAnswer {
  status: number
  isStorey: boolean
  hasHsts: boolean
}

/** Requests `/healthz` of a host through the proxy. */
async function askProxy(host: string, port: number): Promise<ProxyAnswer> {
  const address = await addressOf(host)
  const name = isIPv6(host) ? `[${host}]` : host
  const headers = { host: port === 443 ? name : `${name}:${port}` }
  const options = { host: address, port, servername: serverNameOf(host), path: '/healthz', headers }
  return await new Promise((resolve, reject) => {
    const sent = request({ ...options, agent: false, timeout: LIMIT_MS }, async (response) => {
      const text = (await response.toArray().catch(() => [])).join('')
      resolve({
        status: response.statusCode!,
        isStorey: text.includes('urn:storey:problem') || text.includes('"status":"ok"'),
        hasHsts: response.headers['strict-transport-security'] !== undefined,
      })
    })
    sent.on('timeout', () => sent.destroy(new Error(`no answer within ${LIMIT_MS / 1000} seconds`)))
    sent.on('error', reject)
    sent.end()
  })
}

/** Requests to the host of the service and to the hosts of sandboxes must reach Storey through the proxy. */
async function checkProxy(publicUrl: URL, sandboxHost: string, found: Findings): Promise<void> {
  const advice = 'compare the configuration of the proxy with that in deploy/ (docs/proxies.md)'
  const port = portOf(publicUrl)
  try {
    const { status, isStorey, hasHsts } = await askProxy(hostOf(publicUrl), port)
    if (!isStorey) found.problem(`${publicUrl.origin}/healthz answers ${status}, but not from Storey`, advice)
    else if (status !== 200) found.problem(`Storey answers ${status} to ${publicUrl.origin}/healthz`, advice)
    else found.ok(`the proxy forwards ${publicUrl.origin} to the service`)
    if (!hasHsts)
      found.warning('the proxy sends no Strict-Transport-Security header', 'add HSTS, as the files in deploy/ do')
    // No sandbox has this host, so Storey answers with a problem.
    if ((await askProxy(sandboxHost, port)).isStorey) found.ok('the proxy forwards the hosts of sandboxes')
    else found.problem('the proxy does not forward the hosts of sandboxes', advice)
  } catch (err) {
    found.problem(
      `requests through the proxy fail: ${reasonOf(err)}`,
      'start the proxy, and check its certificate and log',
    )
  }
}

function checkWebhookRanges({ mode, webhookAllowedRanges, webhookDeniedRanges }: Settings, found: Findings): void {
  const rangesOf = (texts: readonly string[]) => texts.map((text) => parseRange(text)!)
  const denied = rangesOf(webhookDeniedRanges)
  const allows = (text: string) => {
    const range = parseRange(text)!
    if (denied.some((one) => range.bits >= one.bits && isInRange(range.bytes, one))) return false
    const mayReceive = createAddressRule({ allowLocal: false, allowed: [range] })
    // The address before the slash may be one that is always refused, such as that of a metadata service. Therefore the
    // next address is tried too.
    const next = nextAddress(range.bytes)
    return mayReceive(addressText(range.bytes)) || (isInRange(next, range) && mayReceive(addressText(next)))
  }
  const allowed = webhookAllowedRanges.filter(allows)
  for (const text of webhookAllowedRanges) {
    if (allowed.includes(text)) continue
    found.warning(
      `WEBHOOK_ALLOWED_RANGES contains ${text}, which allows nothing`,
      'only private networks and ranges within loopback can be allowed, never the addresses of metadata services; a denied range takes precedence',
    )
  }
  if (allowed.length > 0) found.ok(`webhooks may be sent to ${allowed.join(', ')} over https`)
  else if (mode === 'production') found.ok('webhooks are sent to public addresses only')
}

/** The address after `address`. After the last address, the first one follows. */
export function nextAddress(address: Uint8Array): Uint8Array {
  const next = address.slice()
  for (let i = next.length - 1; i >= 0; i--) {
    // A byte of 255 becomes 0, and the byte before it is increased too.
    next[i]!++
    if (next[i] !== 0) break
  }
  return next
}
