import { monitorEventLoopDelay } from 'node:perf_hooks'
import { Gauge, type Registry } from 'prom-client'

/** For `collectDefaultMetrics`: its own timer, which runs every 10 ms by default, runs once a day. */
export const NO_LAG_TIMER = { eventLoopMonitoringPrecision: 24 * 3_600_000 }

const NANOSECONDS = 1e9

/**
 * Replaces the distribution of the event loop's lag among prom-client's default metrics. Names and meaning are the same, but
 * the lag is measured in each turn of the loop, so blocks between two ticks of a timer count too. The timer woke an idle
 * process 100 times a second, which took most of its processor time.
 */
export function measureEventLoopLag(registry: Registry): void {
  const lag = monitorEventLoopDelay({ samplePerIteration: true })
  lag.enable()
  const parts = {
    min: { help: 'The minimum recorded event loop delay.', read: () => lag.min },
    max: { help: 'The maximum recorded event loop delay.', read: () => lag.max },
    mean: { help: 'The mean of the recorded event loop delays.', read: () => lag.mean },
    stddev: { help: 'The standard deviation of the recorded event loop delays.', read: () => lag.stddev },
    p50: { help: 'The 50th percentile of the recorded event loop delays.', read: () => lag.percentile(50) },
    p90: { help: 'The 90th percentile of the recorded event loop delays.', read: () => lag.percentile(90) },
    p99: { help: 'The 99th percentile of the recorded event loop delays.', read: () => lag.percentile(99) },
  }
  for (const [part, { help, read }] of Object.entries(parts)) {
    const name = `nodejs_eventloop_lag_${part}_seconds`
    registry.removeSingleMetric(name)
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(lag.count === 0 ? 0 : read() / NANOSECONDS)
        // The last one of a scrape: the next scrape reports what happened since.
        if (part === 'p99') lag.reset()
      },
    })
  }
}
