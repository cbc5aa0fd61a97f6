import { isIP } from 'node:net'

/** The host of a URL as a name or address to connect to: `hostname` has brackets around an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')

/** The server name that TLS sends; empty if the host is an IP address, because only names may be sent. */
export const serverNameOf = (host: string): string => (isIP(host) === 0 ? host : '')
