import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Prometheus } from './server.ts'

const FOLDER = join(import.meta.dirname, '..', '..', 'deploy', 'grafana', 'dashboards')

interface Panel {
  title: string
  targets?: { expr: string }[]
}
interface Dashboard {
  title: string
  panels: Panel[]
  templating: { list: { name: string; query: { query: string } }[] }
}

/** Expressions that have no result unless something is wrong, or that need an engine that the suite does not start. */
const MAY_BE_EMPTY = [/storey_mqtt_broker_sessions/, /5xx|5\.\.|4\.\./, /result="failure"/, /> 0$/, /storey_migrations/]

/**
 * Evaluates every expression of the dashboards, as Grafana does for all instances and sandboxes. Returns how many there are,
 * and throws if one cannot be parsed or has no result.
 */
export async function checkDashboards(prometheus: Prometheus): Promise<string> {
  const problems: string[] = []
  let [count, empty] = [0, 0]
  for (const file of readdirSync(FOLDER)) {
    const dashboard: Dashboard = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))
    for (const { query } of dashboard.templating.list) {
      const [, metric] = /^label_values\((\w+), \w+\)$/.exec(query.query) ?? []
      if ((await prometheus.query(metric!)).length === 0) problems.push(`${file}: no values for ${query.query}`)
    }
    for (const { title, targets = [] } of dashboard.panels) {
      for (const { expr } of targets) {
        count++
        const expression = expr.replaceAll('$__rate_interval', '1m').replaceAll(/\$(instance|sandbox|part)\b/g, '.*')
        const result = await prometheus.query(expression).catch((err: Error) => err)
        if (result instanceof Error) problems.push(`${file}, ${title}: ${result.message}`)
        else if (result.length === 0) {
          empty++
          if (!MAY_BE_EMPTY.some((pattern) => pattern.test(expr)))
            problems.push(`${file}, ${title}: no result of ${expr}`)
        }
      }
    }
  }
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return `${count} expressions, ${empty} of them empty as expected`
}
