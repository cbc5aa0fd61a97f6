import { randomInt } from 'node:crypto'
import type { SandboxCreate } from '@storey/contract'
import { wrongUsage } from '../../errors.ts'
import type { CreateOptions } from './create.ts'

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'
const MADE_UP = 5

/** Without a name the tool makes one: a create that is cut off is found again by it. */
export function bodyOf(options: CreateOptions): SandboxCreate {
  const { name, type, storeys, areaSqm, ttlDays, seedTelemetryDays, spacesMin, spacesMax, seed } = options
  const { equipmentDensity, occupancyProfile } = options
  const all = {
    name: (name ?? `${type ?? 'office'} ${randomWord()}`).trim(),
    ...{ buildingType: type, storeys, areaSqm, ttlDays, seedTelemetryDays },
    ...{ spacesMin, spacesMax, equipmentDensity, occupancyProfile, seed },
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as SandboxCreate
}

/** Options of one way to create that mean nothing in the other. */
export function refuseStrayOptions(options: CreateOptions): void {
  for (const name of ['out', 'storey'] as const) {
    if (options[name] !== undefined && !options.dryRun) {
      throw wrongUsage(`--${name} goes with --dry-run only.`, `Add --dry-run, or leave --${name} out.`)
    }
  }
  if (options.dryRun && !options.wait) throw wrongUsage('--no-wait and --dry-run do not go together: nothing is made.')
}

function randomWord(): string {
  return Array.from({ length: MADE_UP }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}
