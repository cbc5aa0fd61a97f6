import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Log, silentLog } from '../log.ts'
import { createLoop, type Loop, type LoopOptions } from './loop.ts'
import { readRuns } from './runs.ts'

let loops: Loop[] = []
let names = 0
afterEach(async () => {
  await Promise.all(loops.map((loop) => loop.stop()))
  loops = []
})

function newLoop(options: Partial<LoopOptions> & Pick<LoopOptions, 'run'>): Loop & { name: string } {
  const name = `test-${names++}`
  const loop = createLoop({ name, log: silentLog, retry: { firstMs: 5, maxMs: 20 }, ...options })
  loops.push(loop)
  return { ...loop, name }
}

/** A `run` function whose runs end when `open` is called. */
function gate() {
  let open: () => void = () => undefined
  let runs = 0
  const run = () => {
    runs++
    return new Promise<void>((resolve) => {
      open = resolve
    })
  }
  return { run, open: () => open(), runs: () => runs }
}

describe('createLoop', () => {
  it('runs immediately when it is woken, and once more for any number of wake-ups during a run', async () => {
    const held = gate()
    const loop = newLoop({ run: held.run })
    loop.wake()
    expect(held.runs()).toBe(1)
    for (let i = 0; i < 5; i++) loop.wake()
    held.open()
    await vi.waitFor(() => expect(held.runs()).toBe(2))
    held.open()
    await loop.idle()
    await sleep(20)
    expect(held.runs()).toBe(2)
  })

  it('runs once at a time even if a run wakes the loop', async () => {
    let [under, most, runs] = [0, 0, 0]
    const loop: Loop = newLoop({
      async run() {
        most = Math.max(most, ++under)
        if (++runs < 10) loop.wake()
        await sleep(1)
        under--
      },
    })
    loop.wake()
    await vi.waitFor(() => expect(runs).toBe(10))
    expect(most).toBe(1)
  })

  it('repeats only after it was started', async () => {
    const run = vi.fn(async () => undefined)
    const loop = newLoop({ run, everyMs: 2 })
    loop.wake()
    await loop.idle()
    await sleep(20)
    expect(run).toHaveBeenCalledTimes(1)
    loop.start()
    await vi.waitFor(() => expect(run.mock.calls.length).toBeGreaterThan(4))
  })

  it('runs again after the pause that a run returns, or after `everyMs` if that is shorter', async () => {
    const pauses = [0, 1, 1e12]
    const run = vi.fn(async () => pauses.shift())
    newLoop({ run, everyMs: 3 }).start()
    await vi.waitFor(() => expect(run.mock.calls.length).toBeGreaterThan(3))
  })

  it('waits for whole milliseconds, because Node never frees the timer list of a fractional delay', () => {
    const timers = vi.spyOn(globalThis, 'setTimeout')
    const loop = newLoop({ run: async () => undefined })
    loop.wakeIn(60_000.5)
    loop.wakeIn(12.25)
    const delays = timers.mock.calls.map(([, ms]) => ms)
    timers.mockRestore()
    expect(delays).toHaveLength(2)
    for (const ms of delays) expect(ms).toSatisfy(Number.isInteger)
  })

  it('uses the earlier of two wake-ups', async () => {
    const run = vi.fn(async () => undefined)
    const loop = newLoop({ run })
    loop.wakeIn(60_000)
    loop.wakeIn(1)
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(1))
  })

  it('retries with a growing pause that wake-ups do not shorten, and logs the first failure and the recovery', async () => {
    const at: number[] = []
    const lines: string[] = []
    const line = (level: string) => (_: object, text: string) => lines.push(`${level} ${text}`)
    const log = {
      warn: line('warn'),
      info: line('info'),
      error: line('error'),
      debug: () => undefined,
    } as unknown as Log
    const loop = newLoop({
      log,
      retry: { firstMs: 10, maxMs: 40 },
      async run() {
        at.push(performance.now())
        if (at.length < 5) throw new Error('not now')
      },
    })
    loop.wake()
    const waking = setInterval(() => loop.wake(), 1)
    await vi.waitFor(() => expect(at.length).toBeGreaterThanOrEqual(5))
    clearInterval(waking)
    const pauses = at.slice(1, 5).map((moment, i) => moment - at[i]!)
    for (const [i, leastMs] of [10, 20, 40, 40].entries()) expect(pauses[i]).toBeGreaterThan(leastMs - 2)
    expect(lines).toEqual(['warn background work failed, retrying', 'info background work recovered'])
    expect(readRuns()[loop.name]).toMatchObject({ failed: 4, lastSuccessAtMs: expect.any(Number) })
  })

  it('retries a failed run without another wake-up', async () => {
    const run = vi.fn(async () => {
      if (run.mock.calls.length < 8) throw new Error('not now')
    })
    newLoop({ run, retry: { firstMs: 1, maxMs: 3 } }).wake()
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(8))
  })

  it('runNow waits for the current run, then runs again, and rejects if that second run fails', async () => {
    const held = gate()
    const loop = newLoop({
      async run() {
        if (held.runs() > 0) throw new Error('broken')
        await held.run()
      },
    })
    loop.wake()
    const asked = loop.runNow()
    held.open()
    await expect(asked).rejects.toThrow('broken')
  })

  it('stops: the signal is aborted, the current run ends, and no new run begins', async () => {
    const run = vi.fn(
      (signal: AbortSignal) =>
        new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    )
    const loop = newLoop({ run, everyMs: 1 })
    loop.start()
    await loop.stop()
    loop.wake()
    loop.wakeIn(0)
    await loop.runNow()
    await sleep(10)
    expect(run).toHaveBeenCalledTimes(1)
    expect(readRuns()[loop.name]).toBeUndefined()
  })

  it('begins no run if it is stopped between two runs', async () => {
    const run = vi.fn(async () => undefined)
    const loop = newLoop({ run })
    loop.wake()
    loop.wake()
    // By then the first run has ended, and the second one waits for a turn of the event loop.
    await new Promise<void>((resolve) => process.nextTick(resolve))
    await loop.stop()
    expect(run).toHaveBeenCalledTimes(1)
  })
})
