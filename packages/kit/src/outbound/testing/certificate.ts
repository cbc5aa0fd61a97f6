import { generateKeyPairSync, sign } from 'node:crypto'

/** A self-signed certificate for these names and IPv4 addresses, with its key, both as PEM. */
export function selfSigned({
  names = [],
  addresses = [],
  validUntil = new Date('2120-01-01'),
}: {
  names?: string[]
  addresses?: string[]
  validUntil?: Date
}) {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const name = sequence(der(0x31, sequence(COMMON_NAME, der(0x0c, Buffer.from('storey test')))))
  const alternatives = sequence(
    ...names.map((text) => der(0x82, Buffer.from(text))),
    ...addresses.map((text) => der(0x87, Buffer.from(text.split('.').map(Number)))),
  )
  const extensions = sequence(
    sequence(BASIC_CONSTRAINTS, der(0x04, sequence(der(0x01, Buffer.of(0xff))))),
    sequence(ALTERNATIVE_NAMES, der(0x04, alternatives)),
  )
  const tbsCertificate = sequence(
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.of(1)),
    sequence(ECDSA_SHA256),
    name,
    sequence(
      der(0x17, Buffer.from('200101000000Z')),
      der(0x18, Buffer.from(`${validUntil.toISOString().replace(/\.\d+|[-:T]/g, '')}`)),
    ),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, extensions),
  )
  const signature = der(0x03, Buffer.of(0), sign('sha256', tbsCertificate, privateKey))
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    cert: pem(sequence(tbsCertificate, sequence(ECDSA_SHA256), signature)),
  }
}

const ECDSA_SHA256 = Buffer.from('06082a8648ce3d040302', 'hex')
const COMMON_NAME = Buffer.from('0603550403', 'hex')
const BASIC_CONSTRAINTS = Buffer.from('0603551d13', 'hex')
const ALTERNATIVE_NAMES = Buffer.from('0603551d11', 'hex')

function der(tag: number, ...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const head = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.of(tag, ...head), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, ...parts)
}

function pem(bytes: Buffer): string {
  return `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`
}
