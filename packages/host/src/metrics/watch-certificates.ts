import { connect, type DetailedPeerCertificate, type PeerCertificate } from 'node:tls'
import { createLoop, type Loop } from '@storey/kit/background'
import type { Log } from '@storey/kit/log'
import { hostOf, serverNameOf } from '../host-of.ts'

/** The certificate of a public name. */
export interface Certificate {
  /** The name, such as `storey.example.com`, or `*.example-sandboxes.com` for all sandboxes. */
  host: string
  /** Undefined until the certificate was read once. */
  expiresAtMs: number | undefined
  /** Whether the last attempt to read it succeeded. */
  isReadable: boolean
}

/** A TLS server, and the server name (SNI) that a client sends to it. */
export interface TlsAddress {
  /** The name in metrics. */
  host: string
  /** The server name that is sent. Empty if clients use an IP address, which must not be sent as a server name. */
  servername: string
  /** The host name or IP address to connect to. */
  address: string
  port: number
}

const EVERY_MS = 10 * 60_000
const RETRY = { firstMs: 15_000, maxMs: 60_000 }
const LIMIT_MS = 5_000

/** Periodically reads the certificates of public names from the servers at these addresses, as a client does. */
export function watchCertificates(
  addresses: readonly TlsAddress[],
  log: Log,
): { read(): readonly Certificate[]; loop: Loop } {
  const certificates = addresses.map(({ host }): Certificate => ({ host, expiresAtMs: undefined, isReadable: false }))
  const loop = createLoop({
    name: 'certificates',
    log,
    everyMs: EVERY_MS,
    retry: RETRY,
    async run() {
      const results = await Promise.allSettled(addresses.map(readExpiry))
      for (const [i, result] of results.entries()) {
        const certificate = certificates[i]!
        certificate.isReadable = result.status === 'fulfilled'
        if (result.status === 'fulfilled') certificate.expiresAtMs = result.value
      }
      const failed = results.find((result) => result.status === 'rejected')
      if (failed) throw failed.reason
    },
  })
  return { read: () => certificates, loop }
}

/** The earliest expiry of the certificates in the chain, in milliseconds since 1970. */
export function readExpiry({ servername, address, port }: TlsAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    // An expired certificate is accepted, because the metric has to show that it has expired. This is safe, because no
    // application data is sent.
    const socket = connect({ host: address, port, servername, rejectUnauthorized: false })
    const fail = (err: Error) => {
      socket.destroy()
      reject(err)
    }
    socket.setTimeout(LIMIT_MS, () => fail(new Error(`${servername || address}:${port} did not answer in time`)))
    socket.once('error', fail)
    socket.once('secureConnect', () => {
      const expiresAtMs = earliestExpiry(socket.getPeerCertificate(true))
      socket.destroy()
      if (Number.isFinite(expiresAtMs)) resolve(expiresAtMs)
      else reject(new Error(`${servername || address}:${port} has no certificate`))
    })
  })
}

function earliestExpiry(leaf: DetailedPeerCertificate): number {
  let earliest = Number.POSITIVE_INFINITY
  const seen = new Set<PeerCertificate>()
  for (
    let one: DetailedPeerCertificate | undefined = leaf;
    one?.valid_to && !seen.has(one);
    one = one.issuerCertificate
  ) {
    seen.add(one)
    earliest = Math.min(earliest, Date.parse(one.valid_to))
  }
  return earliest
}

interface PublicNames {
  publicUrl: URL
  baseDomain: string
  mqttPublicUrl?: URL | undefined
}

/** A name below the domain of sandboxes, so that the proxy sends the wildcard certificate of that domain. */
const ANY_SANDBOX = 'storey-certificate-check'

/** The public names that have a certificate: those of the service, of all sandboxes, and of MQTT. */
export function tlsAddresses({ publicUrl, baseDomain, mqttPublicUrl }: PublicNames): TlsAddress[] {
  const found: TlsAddress[] = []
  if (publicUrl.protocol === 'https:') {
    const port = Number(publicUrl.port) || 443
    const own = hostIn(publicUrl)
    // Both certificates are read at the host of the service: its proxy has both, and the name of a sandbox that does
    // not exist may have no address.
    found.push({ host: own.address, ...own, port })
    found.push({ host: `*.${baseDomain}`, ...own, servername: `${ANY_SANDBOX}.${baseDomain}`, port })
  }
  if (mqttPublicUrl?.protocol === 'mqtts:') {
    const own = hostIn(mqttPublicUrl)
    found.push({ host: `${own.address} (MQTT)`, ...own, port: Number(mqttPublicUrl.port) || 8883 })
  }
  return found
}

function hostIn(url: URL): { address: string; servername: string } {
  const address = hostOf(url)
  return { address, servername: serverNameOf(address) }
}
