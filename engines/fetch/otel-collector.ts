import { spawnSync } from 'node:child_process'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { cacheFolder, EngineMissing } from './cache.ts'
import { goProgram } from './go.ts'

/** The versions of the collector's modules: of those that are not stable yet, and of the stable ones. */
const [VERSION, STABLE] = ['v0.162.0', 'v1.68.0']

const PARTS = {
  receivers: ['receiver/otlpreceiver'],
  processors: ['processor/memorylimiterprocessor', 'processor/batchprocessor'],
  exporters: ['exporter/otlphttpexporter'],
  providers: ['confmap/provider/envprovider', 'confmap/provider/fileprovider'],
}

/** Builds an OpenTelemetry collector with the parts that `deploy/otel/collector.yaml` uses, and returns its path. */
export function otelCollector(): { path: string; version: string } {
  const folder = cacheFolder('go', `otelcol-${VERSION}`)
  const path = join(folder, 'otelcol')
  if (!existsSync(path)) build(folder)
  return { path, version: VERSION.slice(1) }
}

function build(folder: string): void {
  const builder = goProgram('go.opentelemetry.io/collector/cmd/builder', VERSION, 'builder')
  const config = join(folder, 'builder.yaml')
  const lines = Object.entries(PARTS).flatMap(([kind, parts]) => [
    `${kind}:`,
    ...parts.map(
      (part) => `  - gomod: go.opentelemetry.io/collector/${part} ${kind === 'providers' ? STABLE : VERSION}`,
    ),
  ])
  writeFileSync(
    config,
    ['dist:', '  name: otelcol', `  version: ${VERSION.slice(1)}`, `  output_path: ${folder}`, ...lines, ''].join('\n'),
  )
  process.stdout.write(`Building the OpenTelemetry collector ${VERSION}…\n`)
  const env = { ...process.env, GOFLAGS: '-p=2' }
  const { status, stdout, stderr } = spawnSync(builder, ['--config', config], { env, encoding: 'utf8' })
  if (status !== 0) throw new EngineMissing(`the collector could not be built: ${(stdout + stderr).trim().slice(-600)}`)
}
