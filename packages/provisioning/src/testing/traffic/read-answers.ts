/** A response as a client parses it. */
export interface ReadAnswer {
  status: number
  marker: string | undefined
  requestId: string | undefined
  body: string
}

/** Parses the responses that are complete. `methods` are those of the requests, in order. */
export function readAnswers(bytes: string, methods: readonly string[]): { answers: ReadAnswer[]; rest: string } {
  const answers: ReadAnswer[] = []
  let rest = bytes
  for (;;) {
    const end = rest.indexOf('\r\n\r\n')
    const [, code] = /^HTTP\/1\.1 (\d{3}) /.exec(rest) ?? []
    if (end < 0 || code === undefined) return { answers, rest }
    const status = Number(code)
    const head = rest.slice(0, end)
    const after = rest.slice(end + 4)
    if (status < 200) {
      rest = after
      continue
    }
    const hasBody = methods[answers.length] !== 'HEAD' && status !== 204 && status !== 304
    const body = hasBody ? readBody(head, after) : { text: '', rest: after }
    if (body === undefined) return { answers, rest }
    const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(head)?.[1]
    answers.push({ status, marker: header('x-marker'), requestId: header('x-request-id'), body: body.text })
    rest = body.rest
  }
}

function readBody(head: string, bytes: string): { text: string; rest: string } | undefined {
  const [, length] = /^content-length: (\d+)$/im.exec(head) ?? []
  if (length !== undefined) {
    if (bytes.length < Number(length)) return undefined
    return { text: bytes.slice(0, Number(length)), rest: bytes.slice(Number(length)) }
  }
  if (!/^transfer-encoding: chunked$/im.test(head)) return { text: bytes, rest: '' }
  let text = ''
  let rest = bytes
  for (;;) {
    const [line, digits] = /^([0-9a-f]+)\r\n/i.exec(rest) ?? []
    if (line === undefined || digits === undefined) return undefined
    const size = Number.parseInt(digits, 16)
    if (rest.length < line.length + size + 2) return undefined
    text += rest.slice(line.length, line.length + size)
    rest = rest.slice(line.length + size + 2)
    if (size === 0) return { text, rest }
  }
}
