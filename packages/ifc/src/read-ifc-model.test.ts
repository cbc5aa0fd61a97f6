import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IfcError, type IfcModel, readIfcModel } from './index.ts'
import { type Corner, type IfcFileSpec, ifcFile } from './testing/index.ts'
import { TemporaryFolder } from './testing/temporary-folder.ts'

async function read(file: string | IfcFileSpec): Promise<IfcModel> {
  using folder = new TemporaryFolder()
  const path = folder.write(typeof file === 'string' ? file : ifcFile(file))
  const model = await readIfcModel(path)
  expect(readdirSync(folder.path)).toEqual(['model.ifc'])
  return model
}

const SQUARE: Corner[] = [
  [0, 0],
  [4, 0],
  [4, 4],
  [0, 4],
]
const L_SHAPE: Corner[] = [
  [10, 0],
  [16, 0],
  [16, 3],
  [13, 3],
  [13, 5],
  [10, 5],
]

const scaled = (outline: Corner[], factor: number) => outline.map(([x, y]): Corner => [x / factor, y / factor])

describe('reading a model in a separate process', () => {
  it.each([
    ['IFC2X3', 'FOOT', 0.3048],
    ['IFC2X3_TC1', 'MILLIMETRE', 0.001],
    ['IFC4', 'METRE', 1],
    ['IFC4_ADD2', 'MILLIMETRE', 0.001],
    ['IFC4X3_ADD2', 'METRE', 1],
  ] as const)(
    'computes the outlines and areas of the rooms of an %s model in %s',
    async (schema, lengthUnit, factor) => {
      const spaces = [
        { name: '1', outline: scaled(SQUARE, factor) },
        { name: '2', outline: scaled(L_SHAPE, factor), shape: 'brep' as const },
        { name: '3' },
      ]
      const model = await read({ schema, lengthUnit, storeys: [{ name: 'First', elevation: 3 / factor, spaces }] })
      expect(model.spaces.map((space) => space.polygon)).toEqual([SQUARE, L_SHAPE, null])
      expect(model.spaces.map((space) => space.areaSqm)).toEqual([16, 24, null])
    },
  )

  it('uses the coordinates of the storey, even if it is rotated and far from the origin', async () => {
    const storey = { name: 'First', x: 450_000, y: 5_400_000, elevation: 8, turnDegrees: 33 }
    const model = await read({ storeys: [{ ...storey, spaces: [{ name: '1', outline: L_SHAPE }] }] })
    expect(model.spaces[0]!.polygon).toEqual(L_SHAPE)
  })

  it('restores the outlines of random rectilinear rooms', async () => {
    const column = fc.record({ width: fc.integer({ min: 1, max: 40 }), height: fc.integer({ min: 1, max: 60 }) })
    const room = fc.array(column, { minLength: 1, maxLength: 8 }).map(skyline)
    const rooms = fc.sample(room, { numRuns: 40, seed: 1 })
    const spaces = rooms.map((outline, index) => ({ name: `${index}`, outline }))
    const model = await read({ storeys: [{ name: 'First', spaces }] })
    expect(model.spaces.map((space) => rotated(space.polygon!))).toEqual(rooms.map(rotated))
  })

  it('reads the same names and outlines from two models of one building', async () => {
    const storeys = [{ name: 'First', elevation: 3, spaces: [{ name: '101', outline: SQUARE }] }]
    const [one, other] = await Promise.all([
      read({ storeys, discipline: 'architecture' }),
      read({ storeys, discipline: 'ventilation' }),
    ])
    expect(one.spaces[0]!.globalId).not.toBe(other.spaces[0]!.globalId)
    expect(one.spaces[0]!.name).toBe(other.spaces[0]!.name)
    expect(one.spaces[0]!.polygon).toEqual(other.spaces[0]!.polygon)
  })

  it('keeps the rest of the model when a shape is broken', async () => {
    const spaces = [
      { name: '1', outline: SQUARE },
      { name: '2', outline: L_SHAPE },
    ]
    const file = ifcFile({ storeys: [{ name: 'First', spaces }] })
    const broken = file.replace(/IFCEXTRUDEDAREASOLID\(#\d+/, 'IFCEXTRUDEDAREASOLID(#1')
    const model = await read(broken)
    expect(model.spaces.map((space) => space.polygon)).toEqual([null, L_SHAPE])
  })

  it('returns a large model completely', async () => {
    const elements = Array.from({ length: 3000 }, (_, index) => ({ ifcClass: 'IfcSensor', name: `S-${index}` }))
    const model = await read({ storeys: [{ name: 'First', elements }] })
    expect(model.elements.map((element) => element.name)).toEqual(elements.map((element) => element.name))
  })

  it('refuses a bad file with a message', async () => {
    const file = ifcFile({ storeys: [] })
    await expect(read(file)).rejects.toThrow(new IfcError('The model has no building storey'))
    await expect(read('hello')).rejects.toBeInstanceOf(IfcError)
  })

  /** The error of a failure that the file does not cause. */
  const failureOf = async (path: string): Promise<Error> => {
    const error = await readIfcModel(path).catch((err) => err)
    expect(error).toBeInstanceOf(Error)
    expect(error).not.toBeInstanceOf(IfcError)
    return error
  }

  it('fails with the error of the process that reads the model, and not with an IfcError, if it is unexpected', async () => {
    const { message, cause } = await failureOf('/nowhere/model.ifc')
    expect(message).toMatch(/^the reader of a building model failed/)
    expect(cause).toMatchObject({ message: expect.stringContaining('ENOENT') })
    expect((cause as Error).stack).toContain('read-step-file.ts')
  })

  it('fails with another error than an IfcError if no process can be started', async () => {
    using folder = new TemporaryFolder()
    const path = folder.write(ifcFile({ storeys: [{ name: 'First' }] }))
    expect((await readIfcModel(path)).storeys).toHaveLength(1)
    const { execPath } = process
    process.execPath = '/nowhere/node'
    try {
      expect((await failureOf(path)).cause).toMatchObject({ code: 'ENOENT' })
    } finally {
      process.execPath = execPath
    }
  })

  /** The processes of this test that read a model. Only Linux lists them. */
  const readers = () =>
    readFileSync(`/proc/${process.pid}/task/${process.pid}/children`, 'utf8')
      .trim()
      .split(' ')
      .filter((pid) => {
        try {
          return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('worker.ts')
        } catch {
          return false
        }
      })

  it.runIf(existsSync('/proc/self/task'))('[IMP-35] starts again, up to twice, if the process was killed', async () => {
    using folder = new TemporaryFolder()
    const path = folder.write(ifcFile({ storeys: [{ name: 'First', spaces: [{ name: '1', outline: SQUARE }] }] }))
    const killed = new Set<string>()
    let reported = 0
    const readWhileKilling = async (count: number) => {
      killed.clear()
      reported = 0
      const timer = setInterval(() => {
        for (const pid of readers().filter((one) => !killed.has(one) && killed.size < count)) {
          process.kill(Number(pid), 'SIGKILL')
          killed.add(pid)
        }
      }, 1)
      return await readIfcModel(path, { onKilled: () => void reported++ }).finally(() => clearInterval(timer))
    }
    const model = await readWhileKilling(2)
    expect(model.spaces.map((space) => space.polygon)).toEqual([SQUARE])
    expect([killed.size, reported]).toEqual([2, 2])
    await expect(readWhileKilling(9)).rejects.toThrow('The process that reads the model was ended')
    expect([killed.size, reported]).toEqual([3, 3])
  })

  it.runIf(existsSync('/proc/self/task'))(
    'fails with the signal, and not with an IfcError, if the process crashes',
    async () => {
      using folder = new TemporaryFolder()
      const path = folder.write(ifcFile({ storeys: [{ name: 'First' }] }))
      const timer = setInterval(() => {
        for (const pid of readers()) process.kill(Number(pid), 'SIGSEGV')
      }, 1)
      const { message, cause } = await failureOf(path).finally(() => clearInterval(timer))
      expect(message).toMatch(/^the reader of a building model ended with SIGSEGV/)
      expect(cause).toBeUndefined()
    },
  )

  it.runIf(existsSync('/proc/self/oom_score_adj'))(
    '[HST-76] uses a process that Linux ends before the parent process when memory is used up',
    async () => {
      const scoreOf = (pid: string) => Number(readFileSync(`/proc/${pid}/oom_score_adj`, 'utf8'))
      const seen = new Set<number>()
      const timer = setInterval(() => {
        try {
          for (const pid of readers()) seen.add(scoreOf(pid))
        } catch {
          // The process has ended meanwhile.
        }
      }, 1)
      const elements = Array.from({ length: 3000 }, (_, index) => ({ ifcClass: 'IfcSensor', name: `S-${index}` }))
      await read({ storeys: [{ name: 'First', elements }] }).finally(() => clearInterval(timer))
      expect(Math.max(...seen)).toBe(Math.min(scoreOf('self') + 300, 1_000))
    },
  )

  it('respects its limits of time and memory, and can be aborted', async () => {
    using folder = new TemporaryFolder()
    const path = folder.write(ifcFile({ storeys: [{ name: 'First' }] }))
    await expect(readIfcModel(path, { memoryMb: 40 })).rejects.toThrow('The model needs more than 40 MB of memory')
    await expect(readIfcModel(path, { timeoutMs: 9 })).rejects.toThrow(/took longer than 9 milliseconds$/)
    const controller = new AbortController()
    const reading = readIfcModel(path, { signal: controller.signal })
    controller.abort()
    await expect(reading).rejects.toThrow(new IfcError('Reading the model was stopped'))
    await expect(readIfcModel(path, { signal: controller.signal })).rejects.toThrow('Reading the model was stopped')
  })

  it.runIf(existsSync('/proc/self/stat'))('ends when the parent process ends', async () => {
    using folder = new TemporaryFolder()
    const path = folder.write(ifcFile({ storeys: [{ name: 'First' }] }))
    const script = `import { readIfcModel } from ${JSON.stringify(new URL('./index.ts', import.meta.url))}
      await readIfcModel(${JSON.stringify(path)})`
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' })
    const childrenOf = (pid: number) => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
    // Two processes: the reader, and the guard that watches it.
    await expect.poll(() => childrenOf(parent.pid!), { interval: 5 }).toHaveLength(2)
    const children = childrenOf(parent.pid!)
    parent.kill('SIGKILL')
    await expect.poll(() => children.some(isRunning)).toBe(false)
  })
})

/** A process that has ended can stay in the process table as a zombie for a while. */
function isRunning(pid: string): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** The outline of adjacent columns on one base line, without collinear points. */
function skyline(columns: { width: number; height: number }[]): Corner[] {
  const total = columns.reduce((sum, { width }) => sum + width, 0)
  const corners: Corner[] = [
    [0, 0],
    [total / 10, 0],
  ]
  let x = total
  let height = 0
  for (const column of columns.toReversed()) {
    if (column.height !== height) {
      if (height !== 0) corners.push([x / 10, height / 10])
      corners.push([x / 10, column.height / 10])
      height = column.height
    }
    x -= column.width
  }
  return [...corners, [0, height / 10]]
}

/** The same ring, starting at the corner with the smallest y; of several such corners, with the smallest x. */
function rotated(ring: Corner[]): Corner[] {
  const first = ring.findIndex(([x, y]) => ring.every(([ox, oy]) => y < oy || (y === oy && x <= ox)))
  return [...ring.slice(first), ...ring.slice(0, first)]
}
