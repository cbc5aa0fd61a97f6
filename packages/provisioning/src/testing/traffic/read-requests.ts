/** A request as its sender intended it. */
export interface IntendedRequest {
  method: string
  target: string
  marker: string
  /** The values of the Authorization headers. */
  authorization: readonly string[]
  /** The host of an absolute target, or else the first Host header. */
  host: string
  body: string
  /** False if the end of the request was not sent or is invalid. */
  complete: boolean
}

const TOKEN = "[!#$%&'*+.^_`|~0-9A-Za-z-]+"
const REQUEST_LINE = new RegExp(`^(${TOKEN}) +(\\S+) +HTTP/1\\.([01])$`)
const FIELD = new RegExp(`^(${TOKEN}):[ \\t]*([\\t\\x20-\\x7e\\x80-\\xff]*?)[ \\t]*$`)

/**
 * Parses the requests in these bytes, strictly by RFC 9112 and independently of the tested code, up to the first
 * invalid one.
 */
export function readRequests(bytes: string): IntendedRequest[] {
  const found: IntendedRequest[] = []
  let rest = bytes
  for (;;) {
    rest = rest.replace(/^[\r\n]+/, '')
    const end = rest.indexOf('\r\n\r\n')
    const head = end < 0 ? undefined : readHead(rest.slice(0, end))
    if (head === undefined) return found
    const body = readBody(rest.slice(end + 4), head.fields)
    if (body === undefined) return found
    const { method, target, authority, fields } = head
    const [marker = ''] = fields.get('x-marker') ?? []
    const [host = ''] = authority === undefined ? (fields.get('host') ?? []) : [authority]
    const authorization = fields.get('authorization') ?? []
    found.push({ method, target, marker, authorization, host, body: body.text, complete: body.rest !== undefined })
    if (body.rest === undefined || isUpgrade(head)) return found
    rest = body.rest
  }
}

function readHead(text: string) {
  const [first = '', ...lines] = text.split('\r\n')
  const [, method, target, minor] = REQUEST_LINE.exec(first) ?? []
  if (method === undefined || target === undefined) return undefined
  const fields = new Map<string, string[]>()
  for (const line of lines) {
    const [, name, value] = FIELD.exec(line) ?? []
    if (name === undefined || value === undefined) return undefined
    fields.set(name.toLowerCase(), [...(fields.get(name.toLowerCase()) ?? []), value])
  }
  if (minor === '0' && fields.has('transfer-encoding')) return undefined
  const [whole = '', authority] = /^https?:\/\/([^/]*)/i.exec(target) ?? []
  return { method, target: target.slice(whole.length), authority, fields }
}

/** Whether the request is an upgrade, after which the bytes belong to another protocol. */
function isUpgrade({ target, fields }: { target: string; fields: Map<string, string[]> }): boolean {
  const has = (name: string, value: string) => (fields.get(name) ?? []).join().toLowerCase().includes(value)
  return target.startsWith('/socket') && has('connection', 'upgrade') && has('upgrade', 'websocket')
}

/** The body and the bytes after it. Without `rest` the body is incomplete. Undefined if the framing is invalid. */
function readBody(bytes: string, fields: Map<string, string[]>): { text: string; rest?: string } | undefined {
  const lengths = fields.get('content-length')
  const encodings = fields.get('transfer-encoding')
  if (encodings !== undefined) {
    if (lengths !== undefined || encodings.length > 1 || encodings[0]!.toLowerCase() !== 'chunked') return undefined
    return readChunks(bytes)
  }
  if (lengths === undefined) return { text: '', rest: bytes }
  if (lengths.length > 1 || !/^\d{1,15}$/.test(lengths[0]!)) return undefined
  const length = Number(lengths[0])
  return bytes.length < length ? { text: bytes } : { text: bytes.slice(0, length), rest: bytes.slice(length) }
}

function readChunks(bytes: string): { text: string; rest?: string } {
  let text = ''
  let rest = bytes
  for (;;) {
    const [line, digits] = /^([0-9a-fA-F]{1,12})(?:;[\t\x20-\x7e\x80-\xff]*)?\r\n/.exec(rest) ?? []
    if (line === undefined || digits === undefined) return { text }
    const size = Number.parseInt(digits, 16)
    rest = rest.slice(line.length)
    if (size === 0) return readTrailers(text, rest)
    text += rest.slice(0, size)
    if (rest.slice(size, size + 2) !== '\r\n') return { text }
    rest = rest.slice(size + 2)
  }
}

function readTrailers(text: string, bytes: string): { text: string; rest?: string } {
  let rest = bytes
  while (!rest.startsWith('\r\n')) {
    const end = rest.indexOf('\r\n')
    if (end < 0 || !FIELD.test(rest.slice(0, end))) return { text }
    rest = rest.slice(end + 2)
  }
  return { text, rest: rest.slice(2) }
}
