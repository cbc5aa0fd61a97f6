import type { Building } from '../building.ts'
import { DAY_MS, STEP_MS } from './clock.ts'
import { chanceAt, seedAt } from './noise.ts'

export type FaultKind = 'stuck-sensor' | 'drift' | 'gap' | 'stuck-damper'

/** A fault that is injected into the data, for fault detection to find. */
export interface InjectedFault {
  id: string
  kind: FaultKind
  pointIndex: number
  pointKey: string
  elementKey: string
  startMs: number
  endMs: number
  /** Drift: units an hour. Stuck damper: the opening, 0 to 1. Else 0. */
  amount: number
}

/** The points that a fault of each kind can affect. */
export interface FaultTargets {
  seed: number
  sensors: readonly number[]
  drifting: readonly number[]
  gaps: readonly number[]
  dampers: readonly number[]
}

const BLOCK_DAYS = 7
/** Shorter than the warm-up of a simulation, so that a fault that began before is computed from its start. */
const MAX_HOURS = 40
const KINDS: readonly FaultKind[] = ['stuck-sensor', 'drift', 'gap', 'stuck-damper', 'stuck-sensor', 'gap']

export function faultTargets(building: Building, seed: number): FaultTargets {
  const indexes = (suffixes: RegExp) =>
    building.points.flatMap((point, index) => (suffixes.test(point.code) ? [index] : []))
  return {
    seed,
    sensors: indexes(/\.(ZNT|CO2|RH)$/),
    drifting: indexes(/\.(CO2|ZNT)$/),
    gaps: indexes(/\.(ZNT|CO2|RH|LUX|SAF|KW|CNT)$/),
    dampers: indexes(/^VAV-.*\.DPR$/),
  }
}

/** All faults that overlap a time range. There are three to six in each week. */
export function faultsBetween(
  building: Building,
  targets: FaultTargets,
  fromMs: number,
  toMs: number,
): InjectedFault[] {
  const first = Math.floor(fromMs / DAY_MS / BLOCK_DAYS) - 1
  const last = Math.floor(toMs / DAY_MS / BLOCK_DAYS)
  const faults: InjectedFault[] = []
  for (let block = first; block <= last; block++) faults.push(...faultsOfBlock(building, targets, block))
  return faults.filter((fault) => fault.startMs < toMs && fault.endMs > fromMs)
}

function faultsOfBlock(building: Building, targets: FaultTargets, block: number): InjectedFault[] {
  const seed = seedAt(targets.seed, block)
  const count = Math.min(6, 3 + Math.floor(building.points.length / 1500))
  const taken = new Set<number>()
  const faults: InjectedFault[] = []
  for (let i = 0; i < count; i++) {
    const kind = KINDS[(i + Math.abs(block)) % KINDS.length]!
    const candidates = candidatesFor(kind, targets)
    if (candidates.length === 0) continue
    const draw = (use: number) => chanceAt(seed, i * 10 + use)
    const pointIndex = candidates[Math.floor(draw(1) * candidates.length)]!
    if (taken.has(pointIndex)) continue
    taken.add(pointIndex)
    const steps = Math.floor(((6 + draw(2) * (MAX_HOURS - 6)) * 3_600_000) / STEP_MS)
    const latest = (BLOCK_DAYS * DAY_MS) / STEP_MS - steps
    const startMs = block * BLOCK_DAYS * DAY_MS + Math.floor(draw(3) * latest) * STEP_MS
    const point = building.points[pointIndex]!
    faults.push({
      id: `fault/${block}/${i}`,
      kind,
      pointIndex,
      pointKey: point.key,
      elementKey: point.elementKey,
      startMs,
      endMs: startMs + steps * STEP_MS,
      amount: amountOf(kind, point.code, draw(4)),
    })
  }
  return faults
}

function candidatesFor(kind: FaultKind, { sensors, drifting, gaps, dampers }: FaultTargets): readonly number[] {
  if (kind === 'stuck-damper') return dampers
  if (kind === 'gap') return gaps
  return kind === 'drift' ? drifting : sensors
}

function amountOf(kind: FaultKind, code: string, draw: number): number {
  if (kind === 'drift') return code.endsWith('.CO2') ? 15 + Math.round(draw * 20) : Math.round(10 + draw * 15) / 100
  return kind === 'stuck-damper' ? Math.round(5 + draw * 90) / 100 : 0
}
