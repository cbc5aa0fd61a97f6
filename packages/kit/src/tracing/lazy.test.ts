import { globSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const files = globSync('packages/*/src/**/*.ts')
  .map((file) => file.replaceAll('\\', '/'))
  .filter((file) => !/\.test\.ts$|\/testing\//.test(file))
const text = new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))

/** Files with a static import that matches. Imports of types do not count, because they do not exist at runtime. */
const importing = (specifier: RegExp) =>
  files
    .filter((file) => {
      const imports = text.get(file)!.matchAll(/^(?:import|export) (type )?[^'()]*?from '([^']+)'$/gms)
      return [...imports].some(([, isType, found]) => isType === undefined && specifier.test(found!))
    })
    .sort()

it('[TRC-05] loads OpenTelemetry only when traces are turned on', () => {
  const own = ['exporter', 'sampler', 'span-context'].map((name) => `packages/kit/src/tracing/${name}.ts`)
  expect(importing(/^@opentelemetry\//)).toEqual(own)
  expect(importing(/\/(exporter|sampler|span-context)\.ts$/)).toEqual(
    ['opentelemetry', 'sampler'].map((name) => `packages/kit/src/tracing/${name}.ts`),
  )
  expect(importing(/\/opentelemetry\.ts$/)).toEqual([])
  const loading = files.filter((file) => text.get(file)!.includes("import('./opentelemetry.ts')"))
  expect(loading).toEqual(['packages/kit/src/tracing/open-tracing.ts'])
})
