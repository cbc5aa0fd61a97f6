import { LIMITS } from '@storey/contract'
import type { SimulationRecord } from '@storey/sdk'
import { Badge, Button, Definitions, ErrorPanel, Panel, Select, useAction, useTexts, useToasts } from '@storey/web'
import { type ReactNode, useEffect, useState } from 'react'
import type { ApiAccess } from '../access/api-access.ts'
import { useBuildingTimes } from '../building/building-times.ts'
import { Age } from '../live/age.tsx'
import { useArrivalTimes } from '../live/live.tsx'
import { simulatedNow } from './simulated-clock.ts'
import styles from './simulation.module.css'
import { simulationTexts } from './texts.ts'
import type { ReadSimulation } from './use-simulation.ts'

const SPEEDS = [1, 10, 60, 300, LIMITS.simulation.speed.max] as const
const SPEED_TEXTS = { 1: 'speed1', 10: 'speed10', 60: 'speed60', 300: 'speed300', 600: 'speed600' } as const

interface RunPanelProps {
  simulation: ReadSimulation
  access: ApiAccess
  onChange(record: SimulationRecord): void
}

/** Shows the state, the clock and the speed of the simulation, with controls to start or stop it and set its speed. */
export function RunPanel({ simulation, access, onChange }: RunPanelProps): ReactNode {
  const t = useTexts(simulationTexts)
  const toasts = useToasts()
  const times = useBuildingTimes()
  const { at: lastValueAt } = useArrivalTimes()
  const { running, automatic, speed, startedAt } = simulation.record
  const mayChange = access.may('building.simulation:write')
  const change = useAction(async (command: { running?: boolean; speed?: number }) => {
    onChange(await access.api.simulation.set(command))
    if (command.running === undefined) return
    toasts.show(t(!command.running ? 'didStop' : running ? 'keeps' : 'started'), 'good', 'simulation')
  })
  const speeds = [...new Set<number>([...SPEEDS, speed])].sort((a, b) => a - b)
  const speedText = (one: number) =>
    one in SPEED_TEXTS ? t(SPEED_TEXTS[one as keyof typeof SPEED_TEXTS]) : t('speedOther', { n: one })
  return (
    <Panel
      title={t('state')}
      lead={automatic ? t('automatic') : running ? undefined : t('notCaughtUp')}
      actions={
        mayChange ? (
          <>
            {automatic && running ? (
              <Button
                icon="play"
                label={t('keepRunning')}
                disabled={change.isBusy}
                onClick={() => void change.run({ running: true })}
              />
            ) : null}
            <Button
              kind={running ? 'plain' : 'primary'}
              icon={running ? 'pause' : 'play'}
              label={t(running ? 'stop' : 'start')}
              isBusy={change.isBusy}
              onClick={() => void change.run({ running: !running })}
            />
          </>
        ) : undefined
      }
    >
      <div className="st-stack">
        <div className={styles.state} role="status">
          <Badge {...(running ? { tone: 'good', icon: 'play' } : { tone: 'neutral', icon: 'pause' })}>
            {t(running ? 'running' : 'stopped')}
          </Badge>
          <SimulatedTime simulation={simulation} />
        </div>
        <Definitions
          items={[
            ...(mayChange ? [] : [[t('speed'), speedText(speed)] as const]),
            [
              t('since'),
              startedAt === null ? (
                '–'
              ) : (
                <time key="since" dateTime={startedAt}>
                  {times.dateTime(startedAt)}
                </time>
              ),
            ],
            [t('lastValue'), <Age key="last" at={lastValueAt} />],
          ]}
        />
        {mayChange ? (
          <div className={styles.speed}>
            <Select
              label={t('speed')}
              hint={t('speedHint')}
              value={String(speed)}
              disabled={change.isBusy}
              options={speeds.map((one) => ({ value: String(one), label: speedText(one) }))}
              onValue={(value) => void change.run({ speed: Number(value) })}
            />
          </div>
        ) : null}
        <ErrorPanel error={change.error} />
      </div>
    </Panel>
  )
}

const TICK_MS = 1_000

/** The clock of the simulated building, updated every second. */
function SimulatedTime({ simulation }: { simulation: ReadSimulation }): ReactNode {
  const t = useTexts(simulationTexts)
  const times = useBuildingTimes()
  const [now, setNow] = useState(Date.now)
  const { running } = simulation.record
  useEffect(() => {
    setNow(Date.now())
    if (!running) return
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [running])
  const at = simulatedNow(simulation, now)
  return (
    <span className={styles.clock} aria-live="off">
      <span className="st-quiet">{t('simulatedTime')}</span>{' '}
      {at === undefined ? t('neverSimulated') : <time dateTime={new Date(at).toISOString()}>{times.second(at)}</time>}
    </span>
  )
}
