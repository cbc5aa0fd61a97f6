import { gzipSync, zstdCompressSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentLog } from '../log.ts'
import { createHttp, type HttpApp } from './app.ts'
import { BODIES, type BodyRule } from './body-rule.ts'
import { decompress, expectedBytes } from './decompress-body.ts'

const body: BodyRule = { ...BODIES.small, types: { 'application/json': 'bytes' }, codings: ['gzip', 'zstd'] }
const LIMIT = body.maxBytes

describe('a compressed body', () => {
  let app: HttpApp
  const admitted: number[] = []
  beforeAll(async () => {
    app = await createHttp({
      title: 'Test',
      description: 'A test',
      log: silentLog,
      authorize: async () => undefined,
      checkReady: async () => undefined,
    })
    app.addHook('preParsing', async (request) => {
      request.admitBody = async (bytes) => void admitted.push(bytes)
    })
    app.post('/bytes', { config: { access: 'public', describedBody: {}, body } }, async ({ body }) => ({
      length: (body as Buffer).length,
      start: (body as Buffer).toString('utf8', 0, 10),
    }))
    app.post('/plain', { config: { access: 'public', body: BODIES.small } }, async () => 'x')
  })
  afterAll(() => app.close())

  const post = async (payload: Buffer, coding: string, path = '/bytes') => {
    const headers = { 'content-type': 'application/json', 'content-encoding': coding }
    const answer = await app.inject({ method: 'POST', url: path, payload, headers })
    return { status: answer.statusCode, json: answer.json(), headers: answer.headers }
  }
  const COMPRESS = { gzip: gzipSync, zstd: zstdCompressSync }

  it.each(['gzip', 'zstd'] as const)('[ERR-35] is decompressed up to the limit of its route: %s', async (coding) => {
    const compress = COMPRESS[coding]
    expect((await post(compress(Buffer.from('{"a": 1}  ')), coding)).json).toEqual({ length: 10, start: '{"a": 1}  ' })
    expect((await post(compress(Buffer.alloc(LIMIT, 'x')), coding)).json).toMatchObject({ length: LIMIT })
    const refused = await post(compress(Buffer.alloc(LIMIT + 1, 'x')), coding)
    expect(refused.json).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' })
  })

  it('[ERR-35] is read if its coding is written in capital letters, or as x-gzip', async () => {
    for (const coding of ['GZIP', 'x-gzip']) expect((await post(gzipSync('{}'), coding)).status).toBe(200)
  })

  it.each(['gzip', 'zstd'] as const)(
    '[ERR-35] is refused with a 400 that names the header if the bytes are damaged: %s',
    async (coding) => {
      const whole = COMPRESS[coding](Buffer.from(JSON.stringify(Array.from({ length: 500 }, (_, i) => `${i * 7919}`))))
      const broken = Buffer.from(whole)
      for (let at = 20; at < 60; at++) broken[at]! ^= 0x55
      for (const bytes of [broken, whole.subarray(0, whole.length - 12), Buffer.from('{"a": 1}')]) {
        const { json } = await post(bytes, coding)
        expect(json).toMatchObject({
          status: 400,
          code: 'VALIDATION_FAILED',
          errors: [{ pointer: '/content-encoding', in: 'header' }],
        })
      }
    },
  )

  it.each(['gzip', 'zstd'] as const)(
    '[ERR-35] is read if it has several frames, and refused if other bytes follow them: %s',
    async (coding) => {
      const [first, second] = [COMPRESS[coding]('{"a": 1'), COMPRESS[coding]('}  ')]
      expect((await post(Buffer.concat([first, second]), coding)).json).toMatchObject({ start: '{"a": 1}  ' })
      const damaged = Buffer.from(second)
      damaged[0]! ^= 0x55
      for (const tail of [damaged, Buffer.from('tail')]) {
        const { json } = await post(Buffer.concat([first, tail]), coding)
        expect(json).toMatchObject({ status: 400, errors: [{ pointer: '/content-encoding', in: 'header' }] })
      }
    },
  )

  it('[ERR-35] is refused with a 415 and a list of the accepted codings if it has another coding, or several', async () => {
    for (const coding of ['br', 'deflate', 'compress', 'gzip, gzip', 'gzip, zstd', 'x', 'aws-chunked']) {
      const { json, headers } = await post(gzipSync('{}'), coding)
      expect(json, coding).toMatchObject({
        status: 415,
        code: 'UNSUPPORTED_MEDIA_TYPE',
        validValues: ['gzip', 'zstd'],
        detail: 'Content-Encoding must be gzip, zstd or absent',
      })
      expect(headers['accept-encoding']).toBe('gzip, zstd')
    }
    expect((await post(gzipSync('{}'), 'gzip', '/plain')).status).toBe(415)
  })

  it('[ERR-36] waits for memory when it is larger than expected, and is decompressed no further than the limit of its route', async () => {
    admitted.length = 0
    const usual = Buffer.from(Array.from({ length: 200 }, (_, i) => `${i},${(i * 7919) % 997};`).join(''))
    expect((await post(gzipSync(usual), 'gzip')).status).toBe(200)
    expect(admitted).toEqual([])
    const dense = gzipSync(Buffer.alloc(LIMIT, 'x'))
    expect((await post(dense, 'gzip')).status).toBe(200)
    expect(admitted).toEqual([LIMIT])
    // 8 MB, compressed to 8 KB. A decoder that does not stop at the limit would return all 8 MB.
    const bomb = gzipSync(Buffer.alloc(8 * 1024 * 1024))
    expect((await post(bomb, 'gzip')).status).toBe(413)
    expect(await decompress(bomb, 'gzip', LIMIT)).toBeUndefined()
  })

  it('[ERR-36] is refused if it requires a decoder window above 8 MB', async () => {
    // A frame with three bytes of content. The sixth byte of the frame declares the window (RFC 8878, 3.1.1.1.2).
    const frame = (windowLog: number) =>
      Buffer.from([0x28, 0xb5, 0x2f, 0xfd, 0, (windowLog - 10) << 3, 0x19, 0, 0, 97, 98, 99])
    expect((await decompress(frame(23), 'zstd', LIMIT))?.toString()).toBe('abc')
    await expect(decompress(frame(24), 'zstd', LIMIT)).rejects.toMatchObject({ code: 'VALIDATION_FAILED' })
  })

  it('[ERR-36] is expected to be thirty times as large when decompressed, but at most as large as the limit of its route', () => {
    const expected = (headers: Record<string, string>) => expectedBytes(headers, body)
    expect(expected({ 'content-length': '100' })).toBe(100)
    expect(expected({ 'content-length': '100', 'content-encoding': 'gzip' })).toBe(3000)
    expect(expected({ 'content-length': '60000', 'content-encoding': 'gzip' })).toBe(LIMIT)
    expect(expected({ 'transfer-encoding': 'chunked', 'content-encoding': 'gzip' })).toBe(LIMIT)
  })
})
