import { buildingTypes, LIMITS, type Manifest, Problem, problems } from '@storey/contract'
import { compileValueSchema } from '../../value-schema/compile.ts'

const SIDES = ['publishes', 'subscribes'] as const

/** What the schema of a manifest cannot say. */
export function checkManifest(manifest: Manifest): void {
  const bytes = Buffer.byteLength(JSON.stringify(manifest))
  const { manifestBytes } = LIMITS.module
  if (bytes > manifestBytes) {
    throw problems.field('manifest', `manifest has ${bytes} bytes, and at most ${manifestBytes} are allowed`)
  }
  checkBuildingTypes(manifest.buildingTypes ?? [])
  for (const side of SIDES) {
    const names = new Set<string>()
    for (const [i, { name, payloadContract }] of (manifest.events?.[side] ?? []).entries()) {
      const at = `manifest/events/${side}/${i}`
      if (names.has(name)) throw problems.field(`${at}/name`, `manifest.events.${side} names ${name} twice`)
      names.add(name)
      if (typeof payloadContract === 'object') checkContract(payloadContract, `${at}/payloadContract`)
    }
  }
}

function checkBuildingTypes(named: readonly string[]): void {
  const known: readonly string[] = buildingTypes.map(({ slug }) => slug)
  for (const [i, slug] of named.entries()) {
    if (!known.includes(slug)) throw problems.unknownBuildingType(`/manifest/buildingTypes/${i}`, slug, known)
  }
}

function checkContract(schema: object, field: string): void {
  try {
    compileValueSchema(schema)
  } catch (err) {
    if (!(err instanceof Problem)) throw err
    throw problems.field(field, err.message.replace(/^valueSchema/, field.replaceAll('/', '.')))
  }
}
