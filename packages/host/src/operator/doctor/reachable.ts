/** The address at which this machine reaches a service that listens on `host`. */
export const reachable = (host: string) => (host === '0.0.0.0' ? '127.0.0.1' : host === '::' ? '::1' : host)
