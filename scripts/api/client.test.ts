import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from '@storey/kit/testing/temporary-folder'
import { beforeAll, describe, expect, it } from 'vitest'
import { writeDocuments } from './documents.ts'
import { redocly } from './redocly.ts'

interface Parameter {
  name: string
  schema: { type?: string; minimum?: number; maximum?: number }
}
type Operations = Record<string, { parameters?: Parameter[]; responses: Record<string, { $ref?: string }> }>

let folder: string
let documents: Awaited<ReturnType<typeof writeDocuments>>
beforeAll(async () => {
  folder = temporaryFolder('storey-api')
  documents = await writeDocuments(folder)
})

const operationsOf = (path: string) =>
  Object.entries<Operations>(JSON.parse(readFileSync(path, 'utf8')).paths).flatMap(([url, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method} ${url}`, ...operation })),
  )

const names = (list: { $ref?: string } | undefined) => list?.$ref?.split('/').pop()

/** Calls that a user of the generated clients would write. Calls that must not compile are marked. */
const USE = `
import { client as platform } from './platform.client.ts'
import { type Problem, client as provisioning, type Sandbox } from './provisioning.client.ts'

provisioning.configure({ serverUrl: 'http://localhost:4000', auth: { bearer: 'key' } })
export const created: Sandbox = await provisioning.postSandboxes({ body: { name: 'Mall', buildingType: 'mall', storeys: 3 } })
export const status: 'provisioning' | 'ready' | 'failed' = created.status
await provisioning.postSandboxesIdExtend({ path: { id: created.sandboxId }, body: { days: 3 } })
await provisioning.deleteSandboxesId({ path: { id: created.sandboxId } })
export const code: Problem['code'] = 'QUOTA_EXCEEDED'

const path = { buildingId: 'b' }
const spaces = await platform.getBuildingsBuildingIdSpaces({ path, query: { limit: 100, isLeasable: true } })
export const codes: string[] = spaces.data.map((space) => space.code)
await platform.postBuildingsBuildingIdDataLayers({ path, body: { key: 'rent', name: 'Rent', valueType: 'NUMBER' } })
const observations = [{ pointId: 'p', value: '21.5' }]
await platform.postBuildingsBuildingIdTelemetryObservations({ path, body: { observations } })

// @ts-expect-error the name is required
await provisioning.postSandboxes({ body: { storeys: 3 } })
// @ts-expect-error there is no such parameter
await platform.getBuildingsBuildingIdSpaces({ path, query: { colour: 'red' } })
// @ts-expect-error there is no such code
export const unknown: Problem['code'] = 'NO_SUCH_CODE'
`

describe('the OpenAPI documents of both APIs', () => {
  it('[ERR-33] give every integer parameter a minimum and a maximum', () => {
    const open = Object.values(documents)
      .flatMap(operationsOf)
      .flatMap(({ name, parameters = [] }) =>
        parameters
          .filter(
            ({ schema }) => schema.type === 'integer' && (schema.maximum === undefined || schema.minimum === undefined),
          )
          .map((parameter) => `${name} ${parameter.name}`),
      )
    expect(open).toEqual([])
  })

  it('[ERR-33] list the statuses and problem codes of an operation', () => {
    const byName = new Map(
      Object.values(documents)
        .flatMap(operationsOf)
        .map((operation) => [operation.name, operation]),
    )
    const answers = (name: string) =>
      Object.entries(byName.get(name)!.responses).map(([status, response]) =>
        `${status} ${names(response) ?? ''}`.trim(),
      )
    expect(answers('post /api/v1/sandboxes/{id}/extend')).toEqual([
      '200',
      '400 ExtensionsExhaustedOrTtlTooLongOrValidationFailed',
      '401 KeyExpiredOrKeyRevokedOrUnauthenticated',
      '403 PermissionDeniedOrScopeDenied',
      '404 NotFound',
      '408 RequestTimeout',
      '412 PreconditionFailed',
      '413 BodyTooLarge',
      '415 UnsupportedMediaType',
      '429 RateLimited',
      '500 Internal',
      '503 NotReady',
      'default Problem',
    ])
    expect(answers('get /api/v1/buildings')).toEqual([
      '200',
      '304',
      '400 LimitTooLargeOrValidationFailed',
      '401 Unauthenticated',
      '403 PermissionDeniedOrSandboxSuspended',
      '429 RateLimited',
      '500 Internal',
      '503 NotReady',
      'default Problem',
    ])
  })

  it('[ERR-34] give generated clients that compile, and that check fields, parameters and codes', () => {
    for (const [name, path] of Object.entries(documents)) {
      const { status, output } = redocly('generate-client', path, `--output=${join(folder, `${name}.client.ts`)}`)
      expect(status, output).toBe(0)
    }
    writeFileSync(join(folder, 'use.ts'), USE)
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
    const options = [
      '--noEmit',
      '--strict',
      '--target',
      'es2023',
      '--lib',
      'es2023,dom,dom.iterable',
      '--module',
      'nodenext',
    ]
    const tsc = spawnSync(process.execPath, [
      ...[
        join('node_modules', 'typescript', 'bin', 'tsc'),
        ...options,
        '--allowImportingTsExtensions',
        '--ignoreConfig',
        '--types',
        '',
      ],
      join(folder, 'use.ts'),
    ])
    expect(`${tsc.stdout}${tsc.stderr}`).toBe('')
    expect(tsc.status).toBe(0)
  }, 30_000)
})
