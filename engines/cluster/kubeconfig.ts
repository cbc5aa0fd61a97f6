import { writeFileSync } from 'node:fs'
import type { Authority } from '../certificates.ts'

/** Writes a kubeconfig: the address of the API server and the credentials of a client. JSON is valid YAML. */
export function writeKubeconfig(
  file: string,
  { server, authority, user, group }: { server: string; authority: Authority; user: string; group: string },
): string {
  const { certificate, key } = authority.issueClient(user.replaceAll(':', '-'), user, group)
  const name = 'storey'
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    clusters: [{ name, cluster: { server, 'certificate-authority': authority.certificate } }],
    users: [{ name, user: { 'client-certificate': certificate, 'client-key': key } }],
    contexts: [{ name, context: { cluster: name, user: name } }],
  }
  writeFileSync(file, JSON.stringify(config, null, 2), { mode: 0o600 })
  return file
}
