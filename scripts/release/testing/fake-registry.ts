import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { gunzipSync } from 'node:zlib'
import type { Manifest } from './release-folder.ts'

/** What `npm publish` sends. */
export interface Published {
  name: string
  access: string
  'dist-tags': Record<string, string>
  versions: Record<string, Manifest & { dist: { integrity: string; shasum: string } }>
  _attachments: Record<string, { data: string }>
}

export interface FakeRegistry {
  /** The host and the port. */
  host: string
  published: Published[]
  close(): void
}

/** A registry on the loopback interface: it keeps what is published, and answers questions about it. */
export async function fakeRegistry(): Promise<FakeRegistry> {
  const published: Published[] = []
  const server = createServer(async (request, response) => {
    const name = decodeURIComponent(request.url!.slice(1))
    const found = published.find((one) => one.name === name)
    if (request.method === 'PUT') published.push((await json(request)) as Published)
    response.writeHead(request.method === 'PUT' ? 201 : found ? 200 : 404, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(found ?? {}))
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const close = () => {
    server.close()
    server.closeAllConnections()
  }
  return { host: `127.0.0.1:${(server.address() as AddressInfo).port}`, published, close }
}

const BLOCK = 512

/** The package.json in a tarball of npm. A tar file is a header of one block for each file, then the file's blocks. */
export function packedManifestOf(tarball: Buffer): Manifest {
  const tar = gunzipSync(tarball)
  for (let at = 0; at < tar.length; ) {
    const field = (start: number, length: number) =>
      tar.toString('utf8', at + start, at + start + length).split('\0')[0]!
    const size = Number.parseInt(field(124, 12), 8)
    const start = at + BLOCK
    if (field(0, 100) === 'package/package.json') return JSON.parse(tar.toString('utf8', start, start + size))
    at = start + Math.ceil(size / BLOCK) * BLOCK
  }
  throw new Error('the tarball has no package.json')
}
