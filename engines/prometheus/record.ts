import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Alert, DEPLOYED, type Prometheus, type Series } from './server.ts'

/** The intervals of `deploy/prometheus/prometheus.yml`. */
const STEP_SECONDS = 15
/** How much of the time before the outage is recorded. */
const LEAD_SECONDS = 60
const FIRES_WITHIN_SECONDS = 120
/** How the recorded instance is named, whatever port it had. */
const INSTANCE = '127.0.0.1:9464'

export interface Outage {
  /** The name of the test file. */
  name: string
  title: string
  atMs: number
  /** Alerts that the outage made fire. */
  alerts: readonly Alert[]
}

/** The earliest time at which an outage can be recorded. */
export const recordableAtMs = ({ atMs }: Pick<Outage, 'atMs'>): number => atMs + (FIRES_WITHIN_SECONDS + 5) * 1000

/**
 * Writes the series of an outage as a test of `promtool test rules`: all alerts fire within two minutes of the outage,
 * and none fires before it. The latter is not tested for the certificate, which expires soon from the start.
 */
export async function recordOutage(prometheus: Prometheus, outage: Outage): Promise<string> {
  const fromMs = Math.floor(outage.atMs / 1000 - LEAD_SECONDS) * 1000
  const toMs = fromMs + (LEAD_SECONDS + FIRES_WITHIN_SECONDS) * 1000
  const names = [...new Set(outage.alerts.map(({ labels }) => labels.alertname!))]
  const series = new Map<string, string>()
  for (const metric of names.flatMap(metricsOfAlert)) {
    for (const one of await prometheus.range(metric, fromMs, toMs, STEP_SECONDS)) {
      series.set(seriesName(one.metric), valuesOf(one, fromMs, toMs))
    }
  }
  const tests = names.map((alertname) => ({
    eval_time: `${LEAD_SECONDS + FIRES_WITHIN_SECONDS}s`,
    alertname,
    exp_alerts: outage.alerts.filter(({ labels }) => labels.alertname === alertname).map(expected),
  }))
  const before = names.map((alertname) => ({ eval_time: `${LEAD_SECONDS - STEP_SECONDS}s`, alertname, exp_alerts: [] }))
  const isNew = outage.name !== 'certificate-expires'
  const file = join(DEPLOYED, 'tests', `${outage.name}.yml`)
  writeFileSync(
    file,
    [
      `# Recorded by npm run engines -- prometheus: ${outage.title}, ${LEAD_SECONDS} seconds after the beginning of the recording.`,
      'rule_files: [../storey.rules.yml]',
      `evaluation_interval: ${STEP_SECONDS}s`,
      'tests:',
      `  - interval: ${STEP_SECONDS}s`,
      '    input_series:',
      ...[...series].flatMap(([name, values]) => [
        `      - series: ${JSON.stringify(name)}`,
        `        values: ${JSON.stringify(values)}`,
      ]),
      '    alert_rule_test:',
      ...[...(isNew ? before : []), ...tests].map((test) => `      - ${JSON.stringify(test)}`),
      '',
    ].join('\n'),
  )
  return file
}

/** The metrics in the expressions of an alert. */
function metricsOfAlert(alertname: string): string[] {
  const rules = readFileSync(join(DEPLOYED, 'storey.rules.yml'), 'utf8')
  const texts = rules.split('- alert: ').filter((text) => text.startsWith(`${alertname}\n`))
  const expressions = texts.map((text) => text.slice(text.indexOf('expr:'), text.indexOf('labels:')))
  return [...new Set(expressions.join(' ').match(/\bstorey_\w+|\bup(?=\{)/g) ?? [])]
}

function expected({ labels: { alertname: _, ...labels }, annotations }: Alert) {
  return { exp_labels: withInstance(labels), exp_annotations: withInstance(annotations) }
}

const withInstance = (texts: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      name === 'instance' ? INSTANCE : text.replaceAll(/127\.0\.0\.1:\d+/g, INSTANCE),
    ]),
  )

function seriesName({ __name__: name, ...labels }: Record<string, string>): string {
  const own = Object.entries(withInstance(labels)).map(([label, value]) => `${label}=${JSON.stringify(value)}`)
  return `${name}{${own.join(', ')}}`
}

/** The values of all steps. A series that ended is stale in the first step without a value, and absent after it. */
function valuesOf({ metric, values }: Series, fromMs: number, toMs: number): string {
  const known = new Map(values.map(([at, value]) => [Math.round(at - fromMs / 1000), value]))
  // The tests of promtool begin at the Unix time 0, so timestamps are shifted.
  const shift = metric.__name__!.endsWith('_timestamp_seconds') ? fromMs / 1000 : 0
  const texts: string[] = []
  for (let second = 0; second <= (toMs - fromMs) / 1000; second += STEP_SECONDS) {
    const value = known.get(second)
    const isEnd = value === undefined && texts.length > 0 && !['_', 'stale'].includes(texts.at(-1)!)
    texts.push(value === undefined ? (isEnd ? 'stale' : '_') : `${Number(value) - shift}`)
  }
  return texts.join(' ')
}
