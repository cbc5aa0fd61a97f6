export type AddressRefusal = 'invalid_url' | 'not_https' | 'private_address' | 'unresolvable'

const SENTENCES: Record<AddressRefusal, string> = {
  invalid_url: 'The url is not valid',
  not_https: 'The url is not https',
  private_address: 'The url leads to an address that is not allowed',
  unresolvable: 'The host of the url cannot be resolved',
}

/** The message names the violated rule but not what was found, so that nobody can probe a network with it. */
export class AddressRefused extends Error {
  override name = 'AddressRefused'
  readonly reason: AddressRefusal

  constructor(reason: AddressRefusal) {
    super(SENTENCES[reason])
    this.reason = reason
  }
}

/**
 * How far a request without a response got. `stale_socket`: it was sent on a pooled connection that the receiver had
 * closed.
 */
export type Progress = 'not_connected' | 'stale_socket' | 'sent'

/** A request without a response. The message is public, so the cause, which names addresses, is left out. */
export class OutboundFailed extends Error {
  override name = 'OutboundFailed'
  /** The error code of the operating system, of Node or of this client, for the log. */
  readonly code: string
  readonly progress: Progress

  constructor(code: string, progress: Progress) {
    super(sentenceFor(code))
    this.code = code
    this.progress = progress
  }
}

const BY_CODE: Record<string, string> = {
  ETIMEDOUT: 'the request timed out',
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed',
  EPIPE: 'the connection was closed',
  ENETUNREACH: 'the host cannot be reached',
  EHOSTUNREACH: 'the host cannot be reached',
  EADDRNOTAVAIL: 'the host cannot be reached',
  EPROTO: 'the TLS handshake failed',
  EINTERIM: 'the response is not valid HTTP',
  EINVALIDRESPONSE: 'the response is not valid HTTP',
  ECLOSED: 'the sender is shutting down',
}

function sentenceFor(code: string): string {
  if (BY_CODE[code] !== undefined) return BY_CODE[code]
  if (code.startsWith('ERR_SSL_')) return 'the TLS handshake failed'
  // OpenSSL has about forty codes for an invalid certificate.
  if (/CERT|CRL|UNABLE_TO|HOSTNAME_MISMATCH|INVALID_(CA|PURPOSE)|PATH_LENGTH/.test(code))
    return 'the certificate is not valid'
  return 'the request failed'
}
