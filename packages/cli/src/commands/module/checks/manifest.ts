import { join } from 'node:path'
import { buildingTypes, LIMITS, Manifest } from '@storey/contract'
import { Errors } from 'typebox/value'
import { type Check, fail, ok } from './check.ts'
import { readJson } from './project.ts'

const NAME = 'manifest'

/** The manifest, if the platform would accept it, and the result of the check. */
export async function checkManifest(folder: string): Promise<{ check: Check; manifest?: Manifest }> {
  const file = await readJson(join(folder, 'manifest.json'))
  if (file.state === 'absent') {
    const fix = 'run this command in the folder of a module project, or create one with svc module create <module>'
    return { check: fail(NAME, `there is no manifest.json in ${folder}`, fix) }
  }
  if (file.state === 'broken') {
    const fix = 'make manifest.json a readable, valid JSON object'
    return { check: fail(NAME, `manifest.json cannot be read: ${file.reason}`, fix) }
  }
  const violations = manifestViolations(file.value)
  if (violations.length > 0) {
    return { check: fail(NAME, `manifest.json: ${violations.join('; ')}`, 'fix these fields in manifest.json') }
  }
  const manifest = file.value as Manifest
  return { check: ok(NAME, `${manifest.slug} ${manifest.version}, valid`), manifest }
}

/** The violations of the platform's own schema, and of two rules that a schema cannot express. */
export function manifestViolations(value: Record<string, unknown>): string[] {
  const found = new Map<string, string>()
  for (const { instancePath, message, keyword, params } of Errors(Manifest, value)) {
    const missing = keyword === 'required' ? (params as { requiredProperties: string[] }).requiredProperties : undefined
    if (missing)
      for (const field of missing)
        found.set(`${instancePath}/${field}`, `${fieldName(`${instancePath}/${field}`)} is missing`)
    else if (!found.has(instancePath))
      found.set(instancePath, `${fieldName(instancePath)} ${ruleAt(instancePath) ?? message}`)
  }
  const known: readonly string[] = buildingTypes.map(({ slug }) => slug)
  const named = Array.isArray(value.buildingTypes) ? value.buildingTypes : []
  for (const type of named.filter((type) => typeof type === 'string' && !known.includes(type))) {
    found.set(`/buildingTypes/${type}`, `buildingTypes has ${type}, but the platform knows only ${known.join(', ')}`)
  }
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes > LIMITS.module.manifestBytes) {
    found.set('', `it has ${bytes} bytes as compact JSON, but at most ${LIMITS.module.manifestBytes} are allowed`)
  }
  return [...found.values()]
}

const fieldName = (path: string) => path.slice(1).replaceAll('/', '.') || 'the manifest'

/** The rule of a field in words, because the schema has only a pattern. */
function ruleAt(path: string): string | undefined {
  if (path === '/slug') return `must be ${SLUG_RULE}`
  if (path === '/version' || path === '/sdkVersion') return 'must be a semantic version such as 1.0.0'
  if (path === '/name') return 'must be one line of text, 1 to 200 characters'
  if (/^\/events\/\w+\/\d+\/name$/.test(path)) return 'must be segments of a-z, 0-9, _ and -, joined by dots'
  return undefined
}

export const SLUG_RULE = `lowercase kebab-case (a-z, 0-9 and single hyphens between), at most ${LIMITS.module.slugLength} characters`
