import { StoreyError, UnreachableError } from '@storey/sdk'
import { expect, it } from 'vitest'
import { mayHaveArrived } from './may-have-arrived.ts'

const unreachable = (code: string) =>
  new UnreachableError('http://localhost:4000', 'the connection failed', {
    cause: new TypeError('fetch failed', { cause: { code } }),
  })
const refused = (status: number) =>
  new StoreyError({ type: 'about:blank', title: '', status, detail: '', code: 'UNKNOWN' })

it.each([
  ['ECONNRESET', true, unreachable('ECONNRESET')],
  ['ETIMEDOUT', true, unreachable('ETIMEDOUT')],
  ['502', true, refused(502)],
  ['504', true, refused(504)],
  ['503', false, refused(503)],
  ['ECONNREFUSED', false, unreachable('ECONNREFUSED')],
  ['EADDRNOTAVAIL', false, unreachable('EADDRNOTAVAIL')],
  ['CERT_HAS_EXPIRED', false, unreachable('CERT_HAS_EXPIRED')],
  ['ERR_SSL_WRONG_VERSION_NUMBER', false, unreachable('ERR_SSL_WRONG_VERSION_NUMBER')],
])('a request that failed with %s may have arrived at the service: %s', (_, expected, error) => {
  expect(mayHaveArrived(error)).toBe(expected)
})
