import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeDeployFile } from '../deploy-file.ts'
import { debianProgram } from '../fetch/debian.ts'
import { NAMES, type ReverseProxy, runProxy } from './proxy.ts'

export function haproxy(): ReverseProxy {
  const program = debianProgram('haproxy')
  const { stdout } = spawnSync(program.path, ['-v'], { encoding: 'utf8', env: { ...process.env, ...program.env } })
  return {
    name: 'HAProxy',
    version: /version (\S+)/.exec(stdout)?.[1] ?? stdout,
    hasMqtt: true,
    keepsStreams: true,
    async start(ports, { folder, combined }) {
      const file = writeDeployFile('haproxy/haproxy.cfg', join(folder, 'haproxy.cfg'), {
        ...NAMES,
        'log /dev/log local0': 'log stdout format raw local0',
        // An ordinary user may not open enough files for more connections.
        'maxconn 16384': 'maxconn 2000',
        '    user haproxy\n': '',
        '    group haproxy\n': '',
        '/run/haproxy/admin.sock': join(folder, 'admin.sock'),
        '/etc/haproxy/tls/storey.pem': combined,
        'bind [::]:': '# bind [::]:',
        'bind :443 ': `bind 127.0.0.1:${ports.https} `,
        'bind :80\n': `bind 127.0.0.1:${ports.http}\n`,
        'bind :8883 ': `bind 127.0.0.1:${ports.mqtts} `,
        '127.0.0.1:4000': `127.0.0.1:${ports.storey}`,
        '127.0.0.1:1883': `127.0.0.1:${ports.mqtt}`,
      })
      return await runProxy(program, ['-W', '-db', '-f', file], ports.https, {
        stop: 'SIGUSR1',
        async reload(child) {
          child.kill('SIGUSR2')
          await sleep(1_000)
        },
      })
    },
  }
}
