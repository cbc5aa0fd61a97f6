import { existsSync, readFileSync, utimes } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { MIGRATIONS_DIRECTORY } from './migrations.ts'

export { MIGRATIONS_DIRECTORY } from './migrations.ts'

/** A build of the stack, or its sources. */
export interface StackProgram {
  /** The file that the control plane starts, with a command such as `seed` or `serve`. */
  file: string
  /** The folder of the migrations that the program expects. */
  migrations: string
  /** The folder of the build. Undefined: the program is the sources. */
  folder: URL | undefined
}

const BUILDS = new URL('../dist/', import.meta.url)
const MARK_EVERY_MS = 3_600_000

/** The newest build of `npm run build`, or the sources. */
export function stackProgram(): StackProgram {
  const current = new URL('current', BUILDS)
  const folder = existsSync(current) ? new URL(`${readFileSync(current, 'utf8')}/`, BUILDS) : undefined
  if (folder === undefined || !existsSync(folder)) {
    const file = fileURLToPath(new URL('./main.ts', import.meta.url))
    return { file, migrations: MIGRATIONS_DIRECTORY, folder: undefined }
  }
  const pathOf = (name: string) => fileURLToPath(new URL(name, folder))
  return { file: pathOf('program/main.js'), migrations: pathOf('migrations'), folder }
}

/** Marks a build as used while this process runs: `npm run build` removes builds that were not used for a day. */
export function keepProgram({ folder }: StackProgram): void {
  if (folder === undefined) return
  // An error is ignored: the folder may belong to another user.
  const mark = () => utimes(folder, new Date(), new Date(), () => undefined)
  mark()
  setInterval(mark, MARK_EVERY_MS).unref()
}
