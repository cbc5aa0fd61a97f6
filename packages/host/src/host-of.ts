/** The host of a URL as a name or address to connect to: `hostname` has brackets around an IPv6 address. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '')
