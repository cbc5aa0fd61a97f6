import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'

const IMPORT = /(?:\bfrom\s+|\bimport\s+|\bimport\s*\(\s*)'([^']+)'/g
/** How a file refers to another file that it starts as a thread or a process. */
const STARTED = /new URL\('(\.[^']+\.ts)', import\.meta\.url\)/g

/** Modules by which a program can connect to another machine or resolve its name. */
const NETWORK_MODULES =
  /^(node:)?(net|tls|http|https|http2|dgram|dns)(\/promises)?$|^(undici|ws|pg|socket\.io-client|mqtt|@nats-io\/.+|@opentelemetry\/otlp-exporter-base\/.+)$/
const GLOBALS = /\b(fetch|new WebSocket|new EventSource|navigator\.sendBeacon)\s*\(/g

const importsOf = (text: string) => [...text.matchAll(IMPORT)].map((match) => match[1]!)

function resolve(from: string, specifier: string): string | undefined {
  if (specifier.startsWith('.')) return normalize(join(dirname(from), specifier))
  const [, name, inside] = /^@storey\/([a-z]+)(\/.+)?$/.exec(specifier) ?? []
  if (name === undefined) return undefined
  const { exports } = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'))
  return join('packages', name, exports[`.${inside ?? ''}`])
}

/** Every file that the program can load, with its text. */
function reachable(entry: string, found = new Map<string, string>()): Map<string, string> {
  if (found.has(entry) || !existsSync(entry)) return found
  const text = readFileSync(entry, 'utf8')
  found.set(entry, text)
  const started = [...text.matchAll(STARTED)].map((match) => match[1]!)
  for (const specifier of [...importsOf(text), ...started]) {
    const file = resolve(entry, specifier)
    if (file !== undefined) reachable(file, found)
  }
  return found
}

const isHarmless = (name: string) => /^type |^(createServer|isIPv4|isIPv6|STATUS_CODES)$/.test(name)

function networkModulesOf(text: string): string[] {
  // Imports of types, servers and address parsers are left out, because they do not connect to anything.
  const code = text
    .replace(/^import type [^;]*?from '[^']+'$/gm, '')
    .replace(/import \{ (.+) \} from .+/g, (line, names: string) => (names.split(', ').every(isHarmless) ? '' : line))
  const modules = importsOf(code).filter((specifier) => NETWORK_MODULES.test(specifier))
  return [...new Set([...modules, ...[...code.matchAll(GLOBALS)].map((match) => match[1]!)])].sort()
}

const files = reachable('packages/platform/src/main.ts')

describe('[STK-12] a stack', () => {
  it('has network clients only for its database, bus, identity provider, trace collector and webhook receivers', () => {
    // The threads and processes of the stack are included.
    expect([...files.keys()]).toEqual(
      expect.arrayContaining([
        'packages/platform/src/features/telemetry/compaction/thread.ts',
        'packages/ifc/src/process/worker.ts',
        'packages/ifc/src/process/guard.ts',
      ]),
    )
    const withNetwork = [...files].filter(([, text]) => networkModulesOf(text).length > 0).map(([file]) => file)
    const places = new Set(withNetwork.map((file) => file.replace(/(kit\/src\/(outbound|database))\/.+/, '$1')))
    expect([...places].sort()).toEqual([
      'packages/kit/src/database',
      'packages/kit/src/outbound',
      'packages/kit/src/realm-keys.ts',
      'packages/kit/src/tracing/exporter.ts',
      'packages/platform/src/bus/nats-connection.ts',
      // This file wraps a client connection that the gateway transferred, and opens no connection itself.
      'packages/platform/src/direct-ingest/with-read-buffer.ts',
    ])
  })

  it('sends only webhook deliveries to addresses that clients give', () => {
    const senders = [...files].filter(([, text]) => /\boutbound\.send\(/.test(text)).map(([file]) => file)
    expect(senders).toEqual(['packages/platform/src/features/webhooks/delivery/make-attempt.ts'])
  })
})

it('a stack closes every outbound client that it creates', () => {
  const creators = [...files].filter(([, text]) => /= createOutbound\(/.test(text))
  expect(creators.map(([file]) => file).sort()).toEqual([
    'packages/platform/src/create-stack.ts',
    'packages/platform/src/http/http.ts',
  ])
  for (const [file, text] of creators) expect(text, file).toMatch(/onClose\b.*\boutbound\.close\(\)/)
})
