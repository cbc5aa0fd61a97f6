import { isLoopbackAddress } from '@storey/kit/outbound'

/** Whether a host of a setting or of a Host header is `localhost` or a loopback address. */
export const isLoopback = (host: string): boolean => host.toLowerCase() === 'localhost' || isLoopbackAddress(host)
