/** The path at which the shell opens a module is this prefix and the module's slug. */
export const MODULE_ROUTE = '/sandbox/'

/** The hosts from which modules may be loaded over http: the developer's own machine. */
export const MODULE_HOSTS: readonly string[] = ['localhost', '127.0.0.1']

/** The same hosts as origins of a content security policy. */
export const MODULE_ORIGINS: readonly string[] = MODULE_HOSTS.map((host) => `http://${host}:*`)

/** Whether the shell's module route may load a remote entry from this address. */
export const isModuleAddress = ({ protocol, hostname, username, password }: URL): boolean =>
  protocol === 'http:' && MODULE_HOSTS.includes(hostname) && username === '' && password === ''
