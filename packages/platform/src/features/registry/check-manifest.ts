import { buildingTypes, type FieldError, LIMITS, type Manifest, Problem, problems } from '@storey/contract'
import { checkContract } from '../../value-schema/index.ts'

const SIDES = ['publishes', 'subscribes'] as const

/** Checks what the schema of a manifest (`contract/src/registry.ts`) cannot express. */
export async function checkManifest(manifest: Manifest): Promise<void> {
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
      if (typeof payloadContract === 'object') await checkPayload(payloadContract, `${at}/payloadContract`)
    }
  }
}

function checkBuildingTypes(named: readonly string[]): void {
  const known: readonly string[] = buildingTypes.map(({ slug }) => slug)
  const unknown = named.flatMap((slug, i) =>
    known.includes(slug) ? [] : [problems.unknownBuildingType(`/manifest/buildingTypes/${i}`, slug, known)],
  )
  const [first] = unknown
  if (!first) return
  const errors = unknown.flatMap(({ members }) => members.errors as FieldError[])
  const detail = errors.map((error) => error.detail).join('; ')
  throw new Problem(first.code, detail, { members: { ...first.members, errors } })
}

async function checkPayload(schema: object, field: string): Promise<void> {
  try {
    await checkContract(schema)
  } catch (err) {
    if (!(err instanceof Problem)) throw err
    throw problems.field(field, err.message.replace(/^valueSchema/, field.replaceAll('/', '.')))
  }
}
