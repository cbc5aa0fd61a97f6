/**
 * Why no answer came, in words: of what a transport threw.
 *
 * @experimental
 */
export function reasonOf(error: unknown): string {
  const { code, cause, errors } = (error ?? {}) as { code?: unknown; cause?: unknown; errors?: unknown[] }
  const known = typeof code === 'string' ? wordsFor(code) : undefined
  if (known !== undefined) return known
  if (Array.isArray(errors) && errors.length > 0) return reasonOf(errors[0])
  // `fetch` throws "fetch failed" and has the reason in `cause`.
  if (cause !== undefined && cause !== error) return reasonOf(cause)
  return typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed'
}

/** Whether the request may have arrived at the service: false if there was no connection. */
export function mayHaveArrived(error: unknown): boolean {
  const { code, cause, errors } = (error ?? {}) as { code?: unknown; cause?: unknown; errors?: unknown[] }
  if (typeof code === 'string') return !NOT_CONNECTED.has(code) && !code.startsWith('ERR_SSL_')
  if (Array.isArray(errors) && errors.length > 0) return errors.some(mayHaveArrived)
  return cause === undefined || cause === error || mayHaveArrived(cause)
}

const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'UND_ERR_CONNECT_TIMEOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EADDRNOTAVAIL',
  'EINVAL',
  'EACCES',
  'EPERM',
  'EPROTO',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'CERT_HAS_EXPIRED',
  'ERR_TLS_CERT_ALTNAME_INVALID',
])

const BROKE = 'the connection broke'
const NO_WAY = 'there is no way to that host'
const UNTRUSTED = 'its certificate is not trusted by this machine'

const WORDS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host does not resolve now',
  ECONNRESET: BROKE,
  ECONNABORTED: BROKE,
  EPIPE: BROKE,
  ERR_STREAM_PREMATURE_CLOSE: BROKE,
  UND_ERR_SOCKET: BROKE,
  Z_BUF_ERROR: BROKE,
  Z_DATA_ERROR: 'the answer was spoilt on its way',
  ETIMEDOUT: 'no answer came in time',
  UND_ERR_CONNECT_TIMEOUT: 'no answer came in time',
  EHOSTUNREACH: NO_WAY,
  ENETUNREACH: NO_WAY,
  EADDRNOTAVAIL: NO_WAY,
  EINVAL: NO_WAY,
  EACCES: 'this machine does not allow the connection',
  EPERM: 'this machine does not allow the connection',
  EPROTO: 'it does not speak TLS: is the address one of http, and not of https?',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
}

function wordsFor(code: string): string | undefined {
  if (code.startsWith('HPE_')) return 'what answers there does not speak HTTP'
  return code.startsWith('ERR_SSL_') ? WORDS.EPROTO : WORDS[code]
}
