import { isIPv4 } from 'node:net'
import { AddressRefused } from './errors.ts'

/** The target of a URL, parsed by the URL standard. */
export interface Target {
  protocol: 'https:' | 'http:'
  /** An address, or a name without its final dot. */
  hostname: string
  isAddress: boolean
  port: number
  path: string
  /** The value of the Host header. */
  authority: string
}

/** Labels of letters, digits, hyphens and underscores, which a resolver treats only as a name. */
const NAME = /^(?=.{1,253}$)[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/

/**
 * Parsing normalizes unusual notations (`0x7f.1`, `2130706433`, full-width digits, escapes), so rules must check the
 * result, never the text.
 */
export function readTarget(text: string, allowHttp: boolean): Target {
  const url = URL.parse(text)
  if (url === null) throw new AddressRefused('invalid_url')
  const { protocol } = url
  if (protocol !== 'https:' && protocol !== 'http:') throw new AddressRefused('not_https')
  if (url.username !== '' || url.password !== '' || url.port === '0') throw new AddressRefused('invalid_url')
  if (protocol === 'http:' && !allowHttp) throw new AddressRefused('not_https')

  const isV6 = url.hostname.startsWith('[')
  const hostname = isV6 ? url.hostname.slice(1, -1) : url.hostname.replace(/\.$/, '')
  const isAddress = isV6 || isIPv4(hostname)
  if (!isAddress && !NAME.test(hostname)) throw new AddressRefused('invalid_url')
  return {
    protocol,
    hostname,
    isAddress,
    port: Number(url.port) || (protocol === 'https:' ? 443 : 80),
    path: url.pathname + url.search,
    authority: (isV6 ? url.hostname : hostname) + (url.port && `:${url.port}`),
  }
}
