import { createRequire } from 'node:module'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { compressed } from './compress.ts'
import { zstd as zstdOfBrowser } from './zstd.browser.ts'
import { zstd as zstdOfNode } from './zstd.node.ts'

const TEXT = 'größer\n'.repeat(1_000)

describe('a compressed body', () => {
  it.each([
    ['gzip', gunzipSync],
    ['zstd', zstdDecompressSync],
  ] as const)('[SDK-13] in %s is smaller, and has the same text', async (coding, decompress) => {
    const bytes = await compressed(TEXT, coding)
    expect(bytes.length).toBeLessThan(TEXT.length / 10)
    expect(decompress(bytes).toString()).toBe(TEXT)
  })

  it('in zstd is refused with an explanation by a runtime that has only gzip', async () => {
    // The streams of Node have no zstd, like those of most browsers.
    await expect(zstdOfBrowser(TEXT)).rejects.toThrow('no zstd: compress with gzip')
    const zlib = createRequire(import.meta.url)('node:zlib')
    const { zstdCompress } = zlib
    try {
      delete zlib.zstdCompress
      await expect(zstdOfNode(TEXT)).rejects.toThrow('no zstd: compress with gzip')
    } finally {
      zlib.zstdCompress = zstdCompress
    }
  })
})
