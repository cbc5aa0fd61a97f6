import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, join, posix } from 'node:path'
import { chooseCoding, knownTag, tagOfCoding } from '../http/index.ts'
import { API_PATHS } from './api-paths.ts'
import { contentSecurityPolicy } from './policy.ts'

/** What the server provides to a page. */
export interface WebAppContext {
  /** Served at `/config.json`. */
  config: Readonly<Record<string, unknown>>
  /** The content security policy. */
  policy: string
}

/** A built web app, kept in memory. */
export interface WebApp {
  /** Handles a request for the app; false: the request is not for the app. */
  serve(request: IncomingMessage, response: ServerResponse, context: () => WebAppContext): boolean
}

interface File {
  type: string
  bytes: Buffer
  /** The content compressed with Brotli; undefined if the build wrote no `.br` file. */
  brotli: Buffer | undefined
  etag: string
  /** Whether the file never changes. */
  isImmutable: boolean
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.ico': 'image/x-icon',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.woff2': 'font/woff2',
}
const CONFIG_PATH = '/config.json'
/** A file in this folder never changes, because its name contains a hash of its content. */
const IMMUTABLE_FOLDER = '/assets/'

function readFiles(folder: string, entry: string): Map<string, File> {
  if (!existsSync(join(folder, entry))) throw new Error(`there is no built web app in ${folder}: run npm run build`)
  const files = new Map<string, File>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = TYPES[extname(entry.name)]
    if (!entry.isFile() || type === undefined) continue
    const path = join(entry.parentPath, entry.name)
    const bytes = readFileSync(path)
    const brotli = existsSync(`${path}.br`) ? readFileSync(`${path}.br`) : undefined
    const name = posix.join('/', path.slice(folder.length).replaceAll('\\', '/'))
    files.set(name, { type, bytes, brotli, etag: etagOf(bytes), isImmutable: name.startsWith(IMMUTABLE_FOLDER) })
  }
  return files
}

/** Reads the output folder of a build. */
export function openWebApp(folder: string): WebApp {
  const files = readFiles(folder, 'index.html')
  const page = files.get('/index.html')!

  return {
    serve(request, response, context) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const path = pathOf(request.url ?? '/')
      if (API_PATHS.test(path)) return false
      const file = path === '/index.html' ? undefined : files.get(path)
      if (path !== CONFIG_PATH && file === undefined && !isPage(path, request)) return false
      const pageContext = context()
      answer(request, response, path === CONFIG_PATH ? configFile(pageContext) : (file ?? page), pageContext)
      return true
    },
  }
}

/** The files of a build below a path, for a page that something else serves. */
export interface WebFiles {
  /** Handles a request for one of the files; false: the request is for something else. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
}

/** Reads the output folder of a build, which must contain the file `entry`. Its files are served below `prefix`. */
export function openWebFiles(folder: string, { prefix, entry }: { prefix: string; entry: string }): WebFiles {
  const files = readFiles(folder, entry)
  return {
    serve(request, response) {
      if (request.method !== 'GET' && request.method !== 'HEAD') return false
      const path = pathOf(request.url ?? '/')
      const file = path.startsWith(`${prefix}/`) ? files.get(path.slice(prefix.length)) : undefined
      if (file === undefined) return false
      answer(request, response, file, { policy: contentSecurityPolicy({}) })
      return true
    },
  }
}

const pathOf = (url: string): string => url.split(/[?#]/, 1)[0]!

/**
 * Whether to respond with the app's page, which chooses its content by the path. `/` is always a page. Another path is
 * a page if the request accepts HTML, and the path names no file and does not begin with two slashes: a link to a path
 * with two slashes would lead to another host.
 */
const isPage = (path: string, { headers }: IncomingMessage): boolean =>
  path === '/' || (/\btext\/html\b/.test(headers.accept ?? '') && extname(path) === '' && !path.startsWith('//'))

function configFile({ config }: WebAppContext): File {
  const bytes = Buffer.from(JSON.stringify(config))
  return { type: TYPES['.json']!, bytes, brotli: undefined, etag: etagOf(bytes), isImmutable: false }
}

function answer(request: IncomingMessage, response: ServerResponse, file: File, { policy }: { policy: string }): void {
  const takesBrotli = file.brotli !== undefined && chooseCoding(request.headers['accept-encoding']) === 'br'
  const etag = takesBrotli ? tagOfCoding(file.etag, 'br') : file.etag
  const headers: Record<string, string | number> = {
    'cache-control': file.isImmutable ? 'public, max-age=31536000, immutable' : 'no-cache',
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
    etag,
    'referrer-policy': 'same-origin',
    vary: 'accept-encoding',
    'x-content-type-options': 'nosniff',
  }
  const known = tagOfClient(request, file)
  if (known !== undefined) return void response.writeHead(304, { ...headers, etag: known }).end()
  const bytes = takesBrotli ? file.brotli! : file.bytes
  response.writeHead(200, {
    ...headers,
    'content-type': file.type,
    'content-length': bytes.length,
    ...(takesBrotli ? { 'content-encoding': 'br' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : bytes)
}

/** The tag of the file that the client has, in any content coding. A malformed If-None-Match is ignored. */
function tagOfClient({ headers }: IncomingMessage, { etag }: File): string | undefined {
  try {
    return knownTag(headers, etag)
  } catch {
    return undefined
  }
}

const etagOf = (bytes: Buffer): string => `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`
