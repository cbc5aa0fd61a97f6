import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createTcpServer } from 'node:net'

export interface Served {
  status?: number
  type?: string
  body: string
}

export interface RemoteServer {
  origin: string
  entry: string
  close(): Promise<void>
}

/** The remote entry of a minimal build of a module. */
export function builtEntryText(name = 'air_quality', exposed = './Shell'): string {
  return [
    `const key="__mf_init__virtual:mf:__mfe_internal__${name}__mf_owner__1__mf_v__runtimeInit__mf_v__.js__";`,
    `var map={"${exposed}":async()=>import("./Shell-abc.js")};`,
    'const shares=()=>import("./_virtual_mf-localSharedImportMap_x.js");',
    'async function g(e){return map[e]}async function i(){}export{g as get,i as init};',
  ].join('')
}

export const sharesText = (react = 'react:r({singleton:!0,requiredVersion:`^19.0.0`}),') =>
  `const a={${react}"@storey/sdk":r({requiredVersion:\`^1.14.0\`})};export{a as usedShared};`

export const SHARES = '/assets/_virtual_mf-localSharedImportMap_x.js'
export const PART = '/assets/Shell-abc.js'
export const ENTRY = '/assets/remoteEntry.js'

/** The files of a valid module. */
export const validModule = (): Record<string, Served> => ({
  [ENTRY]: { body: builtEntryText() },
  [SHARES]: { body: sharesText() },
  [PART]: { body: 'export default () => null' },
})

const LOCALHOST = /^http:\/\/([a-z0-9-]+\.)?localhost(:\d+)?$/

/** Serves a module's files on a free port. By default, pages of localhost and its subdomains may read the files. */
export async function serveRemote(
  files: Record<string, Served>,
  allows: (origin: string) => boolean = (origin) => LOCALHOST.test(origin),
): Promise<RemoteServer> {
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    const file = files[request.url!.split('?')[0]!]
    const { origin } = request.headers
    if (origin !== undefined && allows(origin)) response.setHeader('access-control-allow-origin', origin)
    if (file === undefined) return response.writeHead(404).end()
    return response.writeHead(file.status ?? 200, { 'content-type': file.type ?? 'text/javascript' }).end(file.body)
  })
  return listening(server)
}

/** A TCP server that is not a web server. */
export function serveGibberish(): Promise<RemoteServer> {
  return listening(createTcpServer((socket) => socket.resume().end('220 mail.example ESMTP\r\n')) as Server)
}

async function listening(server: Server): Promise<RemoteServer> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  const origin = `http://127.0.0.1:${port}`
  return {
    origin,
    entry: origin + ENTRY,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
