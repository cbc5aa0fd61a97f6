import { readFileSync } from 'node:fs'
import { Agent as HttpAgent } from 'node:http'
import { Agent } from 'node:https'

/** The address of the API server and the files with its credentials. */
export interface ApiAddress {
  url: URL
  /** The file with the certificates of the API server's authority; absent: the system's certificates. */
  caFile?: string | undefined
  /** The file with the token of a service account. Kubernetes renews the token, so the file is read again. */
  tokenFile?: string | undefined
  /** The files of a client certificate and its key. */
  certificateFile?: string | undefined
  keyFile?: string | undefined
}

export interface ApiConnection {
  url: URL
  agent: Agent | HttpAgent
  headers(): Record<string, string>
}

const READ_TOKEN_EVERY_MS = 60_000

export function openApiConnection({ url, caFile, tokenFile, certificateFile, keyFile }: ApiAddress): ApiConnection {
  const file = (path: string | undefined) => (path === undefined ? undefined : readFileSync(path))
  const agent =
    url.protocol === 'http:'
      ? new HttpAgent({ keepAlive: true })
      : new Agent({ keepAlive: true, ca: file(caFile), cert: file(certificateFile), key: file(keyFile) })
  let token: { text: string; readAt: number } | undefined
  return {
    url,
    agent,
    headers() {
      if (tokenFile === undefined) return {}
      if (!token || performance.now() - token.readAt > READ_TOKEN_EVERY_MS)
        token = { text: readFileSync(tokenFile, 'utf8').trim(), readAt: performance.now() }
      return { authorization: `Bearer ${token.text}` }
    },
  }
}
