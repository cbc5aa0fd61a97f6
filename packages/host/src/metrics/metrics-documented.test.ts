import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createMetrics } from './create-metrics.ts'

/** The names of all metrics of the service. A scrape has a `# TYPE` line for a metric without a value too. */
async function names(): Promise<Set<string>> {
  const text = await createMetrics().text({
    ...{ nowMs: 0, ownLoops: {}, disk: undefined, certificates: [], natsServers: [], connections: 0 },
    ...{ accessLogDropped: 0, isDatabaseUp: true, pool: { inUse: 0, waiting: 0, limit: 1 }, stacks: {} },
    ...{ clocks: { agree: true, differenceMs: 0 }, stacksRunning: 0, mqtt: undefined, stackLoops: {} },
    ...{ capacity: [], databaseServers: [] },
    observations: { waiting: 0, oldestWaitsMs: 0, folded: 0 },
    requests: { rssBytes: 0, largestRssBytes: 0, bytesInUse: 0, waiting: 0, refused: 0 },
    queues: { folding: { waiting: 0, refused: 0 }, edits: { waiting: 0, refused: 0 } },
  })
  return new Set([...text.matchAll(/^# TYPE (storey_\w+)/gm)].map(([, name]) => name!))
}

const files = (folder: string) => readdirSync(folder).map((name) => join(folder, name))

describe('the metrics', () => {
  it('[HST-75] are all in the guide', async () => {
    const guide = readFileSync('docs/monitoring.md', 'utf8')
    const all = await names()
    expect(all.size).toBeGreaterThan(50)
    for (const name of all) expect(guide, name).toContain(`\`${name}\``)
  })

  it('[HST-75] have the names that the guide, the alert rules and the dashboards use', async () => {
    const all = await names()
    const texts = ['docs/monitoring.md', 'deploy/prometheus/storey.rules.yml', ...files('deploy/grafana/dashboards')]
    for (const file of texts) {
      const used = readFileSync(file, 'utf8').match(/\bstorey_[a-z_]+/g) ?? []
      for (const name of used) expect(all, `${name} in ${file}`).toContain(name.replace(/_(bucket|sum|count)$/, ''))
    }
  })

  it('[HST-75] have alert rules: each is in the guide, and names the affected part, a severity, what happened and what to do', () => {
    const guide = readFileSync('docs/monitoring.md', 'utf8')
    const rules = readFileSync('deploy/prometheus/storey.rules.yml', 'utf8').split('- alert: ').slice(1)
    expect(rules.length).toBeGreaterThan(20)
    for (const rule of rules) {
      const [name] = rule.split('\n')
      for (const field of ['expr', 'severity', 'part', 'summary', 'action']) expect(rule, name).toMatch(`${field}: `)
      expect(guide, name).toContain(`\`${name}\``)
    }
  })
})
