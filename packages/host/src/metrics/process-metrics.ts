import { monitorEventLoopDelay } from 'node:perf_hooks'
import { collectDefaultMetrics, Gauge, type Registry } from 'prom-client'

/**
 * prom-client has a timer of its own for the lag of the event loop. By default it runs every 10 ms; with this option it
 * runs only once a day.
 */
const NO_LAG_TIMER = { eventLoopMonitoringPrecision: 24 * 3_600_000 }

const NANOSECONDS = 1e9

/**
 * Registers prom-client's default metrics. The lag of the event loop, however, is measured here in each turn of the
 * loop, because a timer misses code that starts and ends between two ticks of the timer. By default, the timer of
 * prom-client also wakes an idle process 100 times a second, which takes up to half of the CPU time of that process.
 */
export function collectProcessMetrics(registry: Registry): void {
  collectDefaultMetrics({ register: registry, ...NO_LAG_TIMER })
  const lag = monitorEventLoopDelay({ samplePerIteration: true })
  lag.enable()
  const parts = {
    min: () => lag.min,
    max: () => lag.max,
    mean: () => lag.mean,
    stddev: () => lag.stddev,
    p50: () => lag.percentile(50),
    p90: () => lag.percentile(90),
    p99: () => lag.percentile(99),
  }
  const defaults = registry.getMetricsAsArray()
  for (const [part, read] of Object.entries(parts)) {
    const name = `nodejs_eventloop_lag_${part}_seconds`
    const { help } = defaults.find((metric) => metric.name === name)!
    registry.removeSingleMetric(name)
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(lag.count === 0 ? 0 : read() / NANOSECONDS)
        // A scrape reads p99 last, so the next scrape reports what happened after this one.
        if (part === 'p99') lag.reset()
      },
    })
  }
}
