import { homedir } from 'node:os'
import { join } from 'node:path'
import { npmEnvironment } from '../../packages/cli/src/commands/module/project/npm-environment.mjs'

const NETWORK = /^(https?_proxy|no_proxy|all_proxy|node_extra_ca_certs|ssl_cert_file|ssl_cert_dir)$/i

/** The registry, proxy and certificate settings of the user's npm, for an npm that runs with another home folder. */
export function npmSettings(): Record<string, string> {
  const chosen = Object.entries(npmEnvironment(process.env)).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && (NETWORK.test(entry[0]) || /^npm_/i.test(entry[0])),
  )
  return {
    npm_config_userconfig: join(homedir(), '.npmrc'),
    npm_config_cache: join(homedir(), '.npm'),
    ...Object.fromEntries(chosen),
  }
}
