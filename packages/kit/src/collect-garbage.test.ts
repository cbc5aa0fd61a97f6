import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { getHeapCodeStatistics, getHeapSpaceStatistics } from 'node:v8'
import { expect, it } from 'vitest'
import { collectGarbage, noteUsed, releaseMemory, releaseMemoryAndCode } from './collect-garbage.ts'

const CHUNK_BYTES = 64 * 1024

it('noteUsed frees buffers that were used once, so that together they take less than 8 MB', () => {
  const before = process.memoryUsage().arrayBuffers
  let most = 0
  for (let i = 0; i < 2_000; i++) {
    noteUsed(Buffer.allocUnsafeSlow(CHUNK_BYTES).length)
    most = Math.max(most, process.memoryUsage().arrayBuffers - before)
  }
  expect(most).toBeLessThan(8 * 1024 * 1024)
})

const youngBytes = () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')!.space_size

it('releaseMemory returns the memory of the young generation, which a plain collection keeps', () => {
  const kept: object[] = []
  for (let i = 0; i < 1_000_000; i++) kept.push({ i })
  collectGarbage()
  const before = youngBytes()
  releaseMemory()
  expect(kept.length).toBe(1_000_000)
  expect(youngBytes()).toBeLessThan(before / 2)
})

const compiledBytes = () => getHeapCodeStatistics().bytecode_and_metadata_size

it('releaseMemoryAndCode frees compiled code that a plain collection keeps, and the functions work as before', () => {
  const others = compiledBytes()
  const adders = Array.from({ length: 10_000 }, (_, i) => new Function('x', `const y = x * 3; return y + x + ${i}`))
  const sum = () => adders.reduce((total, add) => total + add(1), 0)
  const expected = sum()
  collectGarbage()
  const before = compiledBytes()
  releaseMemoryAndCode()
  expect(before - compiledBytes()).toBeGreaterThan((before - others) * 0.9)
  expect(sum()).toBe(expected)
})

it('releaseMemoryAndCode can be called in one thread while other threads run and collect garbage', async () => {
  const program = fileURLToPath(new URL('./testing/release-in-threads.ts', import.meta.url))
  const child = spawn(process.execPath, [program, '4'], { stdio: ['ignore', 'ignore', 'inherit'] })
  expect(await once(child, 'exit')).toEqual([0, null])
})
