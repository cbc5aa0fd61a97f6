import { randomInt } from 'node:crypto'
import { type BuildingSpec, resolveSpec } from '@storey/building'
import { countOf, minAreaSqm, SandboxCreate } from '@storey/contract'
import { Errors } from 'typebox/value'
import { wrongUsage } from '../../errors.ts'
import type { CreateOptions } from './create-options.ts'

const LETTERS = 'abcdefghijkmnpqrstuvwxyz23456789'
const RANDOM_LENGTH = 5

/** The tool generates a missing name, because it finds the sandbox by its name if the response is lost. */
function bodyOf(options: CreateOptions): SandboxCreate {
  const { name, type, storeys, areaSqm, ttlDays, seedTelemetryDays, spacesMin, spacesMax, seed } = options
  const { equipmentDensity, occupancyProfile } = options
  const all = {
    name: (name ?? `${type ?? 'office'} ${randomWord()}`).trim(),
    ...{ buildingType: type, storeys, areaSqm, ttlDays, seedTelemetryDays },
    ...{ spacesMin, spacesMax, equipmentDensity, occupancyProfile, seed },
  }
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as SandboxCreate
}

/** The body of the request, checked by the service's own rules, for a create and for a dry run. */
export function checkedBody(options: CreateOptions): SandboxCreate {
  refuseStrayOptions(options)
  const body = bodyOf(options)
  for (const { instancePath } of Errors(SandboxCreate, body)) {
    const field = instancePath.slice(1) as keyof typeof FLAGS
    const { description } = SandboxCreate.properties[field] as { description?: string }
    throw wrongUsage(`${FLAGS[field]} is not valid: ${description ?? 'see --help'}.`)
  }
  const { spacesMin, spacesMax, areaSqm } = body
  if (spacesMin !== undefined && spacesMax !== undefined && spacesMin > spacesMax) {
    throw wrongUsage(`--spaces-min (${spacesMin}) is greater than --spaces-max (${spacesMax}).`)
  }
  const spec = specOf(body, '')
  const least = minAreaSqm(spec)
  if (areaSqm !== undefined && areaSqm < least) {
    const rooms = `${countOf(spec.storeys, 'storey')} of at least ${countOf(spec.spacesMin, 'room')}`
    throw wrongUsage(`--area-sqm is too small for ${rooms}.`, `Use at least ${least}.`)
  }
  return body
}

/** The specification of the building that a request asks for, with all defaults. */
export function specOf(body: SandboxCreate, seed: string): BuildingSpec {
  const { name: _, ttlDays: __, seedTelemetryDays: ___, ...given } = body
  return resolveSpec({ ...given, seed: given.seed ?? seed })
}

const FLAGS = {
  name: '--name',
  buildingType: '--type',
  storeys: '--storeys',
  areaSqm: '--area-sqm',
  ttlDays: '--ttl-days',
  seedTelemetryDays: '--seed-telemetry-days',
  spacesMin: '--spaces-min',
  spacesMax: '--spaces-max',
  equipmentDensity: '--equipment-density',
  occupancyProfile: '--occupancy-profile',
  seed: '--seed',
} satisfies Record<keyof SandboxCreate, string>

/** Refuses --out and --storey without --dry-run, and --no-wait with --dry-run. */
function refuseStrayOptions(options: CreateOptions): void {
  for (const name of ['out', 'storey'] as const) {
    if (options[name] !== undefined && !options.dryRun) {
      throw wrongUsage(`--${name} needs --dry-run.`, `Add --dry-run, or omit --${name}.`)
    }
  }
  if (options.dryRun && !options.wait) throw wrongUsage('--no-wait cannot be used with --dry-run: nothing is created.')
}

function randomWord(): string {
  return Array.from({ length: RANDOM_LENGTH }, () => LETTERS[randomInt(LETTERS.length)]).join('')
}
