import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { EngineMissing } from './fetch/cache.ts'

export interface Certificate {
  certificate: string
  key: string
}

/** A certificate authority in a folder, for engines that need TLS. */
export interface Authority {
  /** The path of the certificate that clients trust. */
  certificate: string
  issue(name: string, hosts: readonly string[], days?: number): Certificate
  /** A certificate of a client, for servers that read the user and its group from the subject. */
  issueClient(name: string, user: string, group: string): Certificate
}

const CLIENT_DAYS = 10

export function createAuthority(folder: string, name = 'Test authority'): Authority {
  const [key, certificate] = [join(folder, 'ca.key'), join(folder, 'ca.pem')]
  openssl('req', '-x509', ...newKey(key), '-out', certificate, '-days', '30', '-subj', `/CN=${name}`)
  function sign(file: string, subject: string, extensions: string, days: number): Certificate {
    const at = (ending: string) => join(folder, `${file}.${ending}`)
    writeFileSync(at('ext'), extensions)
    openssl('req', ...newKey(at('key')), '-out', at('csr'), '-subj', subject)
    const signer = ['-CA', certificate, '-CAkey', key, '-CAcreateserial']
    openssl('x509', '-req', '-in', at('csr'), ...signer, '-out', at('pem'), '-days', `${days}`, '-extfile', at('ext'))
    return { certificate: at('pem'), key: at('key') }
  }
  return {
    certificate,
    issue(file, hosts, days = 10) {
      const names = hosts.map((host) => (/^[\d.]+$|:/.test(host) ? `IP:${host}` : `DNS:${host}`)).join(',')
      return sign(file, `/CN=${hosts[0]}`, `subjectAltName=${names}\nextendedKeyUsage=serverAuth,clientAuth\n`, days)
    },
    issueClient: (file, user, group) =>
      sign(file, `/O=${group}/CN=${user}`, 'extendedKeyUsage=clientAuth\n', CLIENT_DAYS),
  }
}

const newKey = (path: string) => ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc', '-keyout', path]

function openssl(...args: string[]): void {
  const { error, status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' })
  if (error !== undefined) throw new EngineMissing('openssl is required, but it is not on the PATH')
  if (status !== 0) throw new Error(`openssl ${args[0]} failed: ${stderr}`)
}
