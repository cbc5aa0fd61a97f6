import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { writeDeployFile } from '../deploy-file.ts'
import { debianProgram, unpackedPackage } from '../fetch/debian.ts'
import { NAMES, type ReverseProxy, runProxy } from './proxy.ts'

const STREAM_MODULE = 'usr/lib/nginx/modules/ngx_stream_module.so'

/** The temporary folders. An ordinary user cannot write to their default paths, which are compiled into the program. */
const TEMPORARY = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']

export function nginx(): ReverseProxy {
  const program = debianProgram('nginx')
  const { stderr } = spawnSync(program.path, ['-v'], { encoding: 'utf8', env: program.env })
  return {
    name: 'nginx',
    version: stderr.replace(/^.*nginx\//s, '').trim(),
    hasMqtt: true,
    keepsStreams: true,
    async start(ports, { folder, certificate, key }) {
      mkdirSync(join(folder, 'modules'), { recursive: true })
      const module = join(unpackedPackage('libnginx-mod-stream'), STREAM_MODULE)
      writeFileSync(join(folder, 'modules', 'stream.conf'), `load_module ${module};\n`)
      const temporary = TEMPORARY.map((each) => `${each}_temp_path ${join(folder, each)};`).join(' ')
      const file = writeDeployFile('nginx/nginx.conf', join(folder, 'nginx.conf'), {
        ...NAMES,
        'user www-data;': process.getuid?.() === 0 ? `user ${userInfo().username};` : '',
        '/run/nginx.pid': join(folder, 'nginx.pid'),
        '/etc/nginx/modules-enabled': join(folder, 'modules'),
        '/var/log/nginx': folder,
        'server_tokens off;': `server_tokens off; ${temporary}`,
        '/etc/nginx/tls/storey.pem': certificate,
        '/etc/nginx/tls/storey.key': key,
        'listen [::]:': '# listen [::]:',
        'listen 443 ': `listen 127.0.0.1:${ports.https} `,
        'listen 80': `listen 127.0.0.1:${ports.http}`,
        'listen 8883 ': `listen 127.0.0.1:${ports.mqtts} `,
        '127.0.0.1:4000': `127.0.0.1:${ports.storey}`,
        '127.0.0.1:1883': `127.0.0.1:${ports.mqtt}`,
      })
      const args = ['-p', folder, '-c', file, '-e', join(folder, 'error.log'), '-g', 'daemon off;']
      return await runProxy(program, args, ports.https, {
        stop: 'SIGQUIT',
        async reload(child) {
          child.kill('SIGHUP')
          await sleep(500)
        },
      })
    },
  }
}
