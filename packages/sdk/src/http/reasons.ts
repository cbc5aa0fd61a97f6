/**
 * Describes why there was no response, based on the error of the transport.
 *
 * @experimental
 */
export function reasonOf(error: unknown): string {
  const { code, cause, errors } = (error ?? {}) as { code?: unknown; cause?: unknown; errors?: unknown[] }
  const known = typeof code === 'string' ? wordsFor(code) : undefined
  if (known !== undefined) return known
  if (Array.isArray(errors) && errors.length > 0) return reasonOf(errors[0])
  // `fetch` throws "fetch failed" with the reason in `cause`.
  if (cause !== undefined && cause !== error) return reasonOf(cause)
  return typeof code === 'string' ? `the connection failed (${code})` : 'the connection failed'
}

/**
 * Whether a request that got no response may have arrived at the service, judged by the error of the transport. False
 * if there was no connection.
 *
 * @experimental
 */
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
const NO_ROUTE = 'there is no route to that host'
const UNTRUSTED = 'its certificate is not trusted by this machine'

const REASONS: Record<string, string> = {
  ECONNREFUSED: 'nothing listens there',
  ENOTFOUND: 'the host does not exist',
  EAI_AGAIN: 'the name of the host cannot be resolved at the moment',
  ECONNRESET: BROKE,
  ECONNABORTED: BROKE,
  EPIPE: BROKE,
  ERR_STREAM_PREMATURE_CLOSE: BROKE,
  UND_ERR_SOCKET: BROKE,
  Z_BUF_ERROR: BROKE,
  Z_DATA_ERROR: 'the response was corrupted in transit',
  ETIMEDOUT: 'no response came in time',
  UND_ERR_CONNECT_TIMEOUT: 'no response came in time',
  EHOSTUNREACH: NO_ROUTE,
  ENETUNREACH: NO_ROUTE,
  EADDRNOTAVAIL: NO_ROUTE,
  EINVAL: NO_ROUTE,
  EACCES: 'this machine does not allow the connection',
  EPERM: 'this machine does not allow the connection',
  EPROTO: 'the server does not speak TLS: does the address need http instead of https?',
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_HAS_EXPIRED: 'its certificate has expired',
  ERR_TLS_CERT_ALTNAME_INVALID: 'its certificate is for another host',
}

function wordsFor(code: string): string | undefined {
  if (code.startsWith('HPE_')) return 'the server does not speak HTTP'
  return code.startsWith('ERR_SSL_') ? REASONS.EPROTO : REASONS[code]
}
