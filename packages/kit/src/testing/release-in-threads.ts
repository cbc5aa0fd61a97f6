// For the given number of seconds, two threads call `releaseMemoryAndCode`, while the main thread compiles and runs
// functions, and V8 collects the heap of the main thread.

import { isMainThread, Worker } from 'node:worker_threads'
import { releaseMemoryAndCode } from '../collect-garbage.ts'

const THREADS = 2
const KEPT = 40

const compile = () =>
  Array.from({ length: 400 }, (_, i) => {
    const body = `let sum = ${Math.random()}; for (let i = 0; i < 20; i++) sum += a * i + ${i}; return [a, sum]`
    return new Function('a', body)
  })
let functions = compile()

function runFunctions(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end) {
    if (Math.random() < 0.02) functions = compile()
    for (const each of functions) each(1)
  }
}

if (isMainThread) {
  for (let i = 0; i < THREADS; i++) new Worker(new URL(import.meta.url))
  const end = performance.now() + Number(process.argv[2]) * 1000
  const kept: object[][] = []
  const step = () => {
    runFunctions(30)
    // V8 marks a growing heap in the background, so the two threads also release memory while it is marked.
    kept.push(Array.from({ length: 20_000 }, (_, i) => ({ i })))
    if (kept.length > KEPT) kept.splice(0, KEPT / 2)
    if (performance.now() < end) setImmediate(step)
    else process.exit(0)
  }
  step()
} else {
  setInterval(() => {
    runFunctions(5)
    releaseMemoryAndCode()
  }, 20)
}
