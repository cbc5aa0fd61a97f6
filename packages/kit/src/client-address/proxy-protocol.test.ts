import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readProxyHeader } from './proxy-protocol.ts'

const line = (text: string) => Buffer.from(text, 'latin1')
const SIGNATURE = Buffer.from('0d0a0d0a000d0a515549540a', 'hex')

function v2(command: number, family: number, body: Buffer): Buffer {
  const length = Buffer.alloc(2)
  length.writeUInt16BE(body.length)
  return Buffer.concat([SIGNATURE, Buffer.from([command, family]), length, body])
}
const V4 = Buffer.from([198, 51, 100, 9, 10, 0, 0, 1, 0x12, 0x67, 0x07, 0x5b])
const V6 = Buffer.concat([
  Buffer.from('20010db8000000000000000000000009', 'hex'),
  Buffer.alloc(16),
  Buffer.from([0x12, 0x67, 0x07, 0x5b]),
])

describe('the reader of the PROXY protocol', () => {
  it('reads version 1', () => {
    const text = 'PROXY TCP4 198.51.100.9 10.0.0.1 4711 1883\r\n'
    const source = { address: '198.51.100.9', port: 4711 }
    expect(readProxyHeader(line(`${text}rest`))).toEqual({ kind: 'header', length: text.length, source })
    expect(readProxyHeader(line('PROXY TCP6 2001:DB8::9 ::1 4711 1883\r\n'))).toMatchObject({
      source: { address: '2001:db8::9' },
    })
    expect(readProxyHeader(line('PROXY TCP6 ::ffff:198.51.100.9 ::1 4711 1883\r\n'))).toMatchObject({ source })
    expect(readProxyHeader(line('PROXY UNKNOWN whatever\r\n'))).toMatchObject({ kind: 'header', source: undefined })
  })

  it('reads version 2, with extensions', () => {
    const source = { address: '198.51.100.9', port: 4711 }
    expect(readProxyHeader(v2(0x21, 0x11, V4))).toEqual({ kind: 'header', length: 28, source })
    const extended = v2(0x21, 0x11, Buffer.concat([V4, Buffer.alloc(100)]))
    expect(readProxyHeader(Buffer.concat([extended, line('rest')]))).toMatchObject({ length: 128, source })
    expect(readProxyHeader(v2(0x21, 0x21, V6))).toMatchObject({ source: { address: '2001:db8::9', port: 4711 } })
    expect(readProxyHeader(v2(0x20, 0x00, Buffer.alloc(0)))).toEqual({ kind: 'header', length: 16, source: undefined })
    expect(readProxyHeader(v2(0x21, 0x31, Buffer.alloc(216)))).toMatchObject({ kind: 'header', source: undefined })
  })

  it('reports that the header is incomplete as long as more bytes can complete it', () => {
    for (const whole of [line('PROXY TCP4 198.51.100.9 10.0.0.1 4711 1883\r\n'), v2(0x21, 0x21, V6)]) {
      for (let n = 0; n < whole.length; n++) {
        expect(readProxyHeader(whole.subarray(0, n)), `${n} bytes`).toEqual({ kind: 'incomplete' })
      }
    }
  })

  it('finds no header if the connection begins with MQTT or HTTP', () => {
    expect(readProxyHeader(Buffer.from([0x10, 0x0c, 0x00]))).toEqual({ kind: 'none' })
    expect(readProxyHeader(line('POST / HTTP/1.1\r\n'))).toEqual({ kind: 'none' })
  })

  it.each([
    line('PROXY TCP4 198.51.100.9 10.0.0.1 4711\r\n'),
    line('PROXY TCP4 2001:db8::9 ::1 4711 1883\r\n'),
    line('PROXY TCP4 198.51.100.9 10.0.0.1 99999 1883\r\n'),
    line('PROXY TCP4 198.51.100.9 10.0.0.1 1 2 3\r\n'),
    line('PROXY TCP6 fe80::1%eth0 ::1 4711 1883\r\n'),
    line('PROXY UDP4 198.51.100.9 10.0.0.1 1 2\r\n'),
    line(`PROXY TCP4 ${'1'.repeat(200)}`),
    v2(0x11, 0x11, V4),
    v2(0x22, 0x11, V4),
    v2(0x21, 0x21, V4),
    v2(0x21, 0x11, Buffer.alloc(60_000)),
  ])('refuses an invalid header (%#)', (bytes) => {
    expect(readProxyHeader(bytes)).toMatchObject({ kind: 'invalid' })
  })

  it('never throws, and never reads past the end', () => {
    const tail = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes))
    const start = fc.constantFrom(Buffer.alloc(0), SIGNATURE, line('PROXY '), line('PROXY TCP4 '))
    fc.assert(
      fc.property(start, tail, (head, rest) => {
        const bytes = Buffer.concat([head, rest])
        const found = readProxyHeader(bytes)
        if (found.kind === 'header') expect(found.length).toBeLessThanOrEqual(bytes.length)
      }),
    )
  })
})
