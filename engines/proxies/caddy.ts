import { execFile, execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { writeDeployFile } from '../deploy-file.ts'
import { debianProgram } from '../fetch/debian.ts'
import { NAMES, type ReverseProxy, runProxy } from './proxy.ts'

const run = promisify(execFile)

export function caddy(): ReverseProxy {
  const program = debianProgram('caddy')
  return {
    name: 'Caddy',
    version: execFileSync(program.path, ['version'], { encoding: 'utf8' }).trim().split(' ')[0]!,
    hasMqtt: false,
    keepsStreams: false,
    async start(ports, { folder, certificate, key }) {
      const file = writeDeployFile('caddy/Caddyfile', join(folder, 'Caddyfile'), {
        ...NAMES,
        'localhost:2019': `localhost:${ports.admin}`,
        '/etc/caddy/tls/storey.pem': certificate,
        '/etc/caddy/tls/storey.key': key,
        'auto_https off': `auto_https off\n\thttps_port ${ports.https}\n\thttp_port ${ports.http}`,
        '127.0.0.1:4000': `127.0.0.1:${ports.storey}`,
      })
      const args = ['run', '--adapter', 'caddyfile', '--config', file]
      const env = { ...program.env, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder }
      return await runProxy({ ...program, env }, args, ports.https, {
        stop: 'SIGTERM',
        async reload() {
          const again = ['reload', '--adapter', 'caddyfile', '--config', file, '--force']
          await run(program.path, again, { env: { ...process.env, ...env } })
        },
      })
    },
  }
}
