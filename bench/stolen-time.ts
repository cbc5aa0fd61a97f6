import { readFileSync } from 'node:fs'

/**
 * Starts to count stolen time: the CPU time that the host of this virtual machine gives to other machines. The returned
 * function returns the stolen share of all CPU time since the start, in percent; undefined if the system does not
 * report it.
 */
export function countStolenTime(): () => number | undefined {
  const from = cpuTicks()
  return () => {
    const to = cpuTicks()
    if (from === undefined || to === undefined || to.total === from.total) return undefined
    return ((to.stolen - from.stolen) / (to.total - from.total)) * 100
  }
}

function cpuTicks(): { stolen: number; total: number } | undefined {
  try {
    // user, nice, system, idle, iowait, irq, softirq, steal
    const ticks = readFileSync('/proc/stat', 'utf8').split('\n')[0]!.split(/\s+/).slice(1, 9).map(Number)
    return { stolen: ticks[7]!, total: ticks.reduce((sum, each) => sum + each, 0) }
  } catch {
    return undefined
  }
}
