import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { freePort } from '../../acceptance/system/system.ts'
import { writeDeployFile } from '../deploy-file.ts'
import { debianProgram } from '../fetch/debian.ts'
import { until } from '../until.ts'

type Labels = Record<string, string>

export interface Alert {
  labels: Labels
  annotations: Labels
  state: 'pending' | 'firing'
}

export interface Series {
  metric: Labels
  /** Pairs of seconds since 1970 and value. */
  values: [number, string][]
}

export interface Prometheus {
  version: string
  alerts(): Promise<Alert[]>
  /** The result of an expression now; throws if it cannot be parsed. */
  query(expression: string): Promise<{ metric: Labels; value: [number, string] }[]>
  range(expression: string, fromMs: number, toMs: number, stepSeconds: number): Promise<Series[]>
  /** Runs promtool in `deploy/prometheus`, and returns its output; throws if it fails. */
  promtool(args: readonly string[], input?: string): string
  remove(): Promise<void>
}

export const DEPLOYED = join(import.meta.dirname, '..', '..', 'deploy', 'prometheus')

/** A Prometheus with the files of `deploy/prometheus`, of which only addresses are replaced. */
export async function startPrometheus(metricsPort: number): Promise<Prometheus> {
  const [program, tool] = [debianProgram('prometheus'), debianProgram('promtool', 'prometheus')]
  const folder = mkdtempSync(join(tmpdir(), 'storey-prometheus-'))
  const port = await freePort()
  const rules = writeDeployFile('prometheus/storey.rules.yml', join(folder, 'storey.rules.yml'), {})
  const file = writeDeployFile('prometheus/prometheus.yml', join(folder, 'prometheus.yml'), {
    '/etc/prometheus/storey.rules.yml': rules,
    '127.0.0.1:9464': `127.0.0.1:${metricsPort}`,
  })
  const env = { ...process.env, ...program.env }
  const args = [`--config.file=${file}`, `--storage.tsdb.path=${join(folder, 'data')}`]
  const child: ChildProcess = spawn(program.path, [...args, `--web.listen-address=127.0.0.1:${port}`], {
    ...{ env, cwd: folder, stdio: 'ignore' },
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const url = `http://127.0.0.1:${port}`

  async function ask<T>(path: string, parameters: Record<string, string> = {}): Promise<T> {
    const answer = await fetch(`${url}/api/v1/${path}?${new URLSearchParams(parameters)}`)
    const { status, data, error } = (await answer.json()) as { status: string; data: T; error?: string }
    if (status !== 'success') throw new Error(`${parameters.query ?? path}: ${error}`)
    return data
  }

  await until('Prometheus is ready', () =>
    fetch(`${url}/-/ready`).then(
      ({ ok }) => ok,
      () => false,
    ),
  )
  return {
    version: /version ([\d.]+)/.exec(execFileSync(program.path, ['--version'], { env, encoding: 'utf8' }))![1]!,
    alerts: async () => (await ask<{ alerts: Alert[] }>('alerts')).alerts,
    query: async (query) =>
      (await ask<{ result: { metric: Labels; value: [number, string] }[] }>('query', { query })).result,
    async range(query, fromMs, toMs, stepSeconds) {
      const span = { start: `${fromMs / 1000}`, end: `${toMs / 1000}`, step: `${stepSeconds}` }
      return (await ask<{ result: Series[] }>('query_range', { query, ...span })).result
    },
    promtool: (toolArgs, input) =>
      execFileSync(tool.path, toolArgs, {
        ...{ cwd: DEPLOYED, env: { ...process.env, ...tool.env }, encoding: 'utf8' },
        ...(input === undefined ? {} : { input }),
      }),
    async remove() {
      child.kill('SIGTERM')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
