import { LIMITS, SIMULATED_FAULTS, type SimulatedFault } from '@storey/contract'
import {
  Button,
  Choice,
  Combobox,
  ErrorPanel,
  fieldErrors,
  Note,
  Panel,
  TextField,
  useAction,
  useTexts,
  useToasts,
} from '@storey/web'
import { type FormEvent, type ReactNode, useMemo, useState } from 'react'
import type { ApiAccess } from '../access/api-access.ts'
import { useBuildingData } from '../building/building-data.tsx'
import { suitableNodes } from './suitable-nodes.ts'
import { simulationTexts } from './texts.ts'

const HINTS = { 'stuck-damper': 'stuckHint', 'drifting-sensor': 'driftHint', 'silent-gateway': 'silentHint' } as const
const MAX_MINUTES = LIMITS.simulation.faultMinutes

interface InjectFormProps {
  isRunning: boolean
  access: ApiAccess
  onInjected(): void
}

/** Injects a fault into the simulated building. */
export function InjectForm({ isRunning, access, onInjected }: InjectFormProps): ReactNode {
  const t = useTexts(simulationTexts)
  const toasts = useToasts()
  const building = useBuildingData()
  const [fault, setFault] = useState<SimulatedFault>('drifting-sensor')
  const [chosen, setChosen] = useState('')
  const [minutes, setMinutes] = useState('60')
  const [wasSubmitted, setWasSubmitted] = useState(false)
  const options = useMemo(
    () => suitableNodes(building, fault).map(({ id, name, place }) => ({ value: id, label: name, detail: place })),
    [building, fault],
  )
  // A node that was chosen for another kind of fault can be unsuitable for this kind.
  const nodeId = options.some(({ value }) => value === chosen) ? chosen : ''
  const isDuration = /^\d{1,5}$/.test(minutes.trim()) && Number(minutes) >= 1 && Number(minutes) <= MAX_MINUTES
  const inject = useAction(async () => {
    await access.api.simulation.inject({ fault, nodeId, minutes: Number(minutes) })
    toasts.show(t('injected'), 'good', 'simulation')
    setChosen('')
    setWasSubmitted(false)
    onInjected()
  })
  const onSubmit = (event: FormEvent) => {
    event.preventDefault()
    setWasSubmitted(true)
    if (nodeId !== '' && isDuration) void inject.run()
  }
  const refused = fieldErrors(inject.error)
  return (
    <Panel title={t('inject')}>
      <form className="st-stack" onSubmit={onSubmit} noValidate>
        <Choice<SimulatedFault>
          label={t('kind')}
          value={fault}
          options={SIMULATED_FAULTS.map((value) => ({ value, label: t(value), hint: t(HINTS[value]) }))}
          onValue={setFault}
        />
        <Combobox
          label={t('node')}
          options={options}
          value={nodeId}
          onChange={setChosen}
          placeholder={t('findNode')}
          error={
            options.length === 0 ? t('noSuitable') : wasSubmitted && nodeId === '' ? t('required') : refused.nodeId
          }
        />
        <TextField
          label={t('minutes')}
          unit={t('minutesUnit')}
          inputMode="numeric"
          value={minutes}
          onText={setMinutes}
          error={wasSubmitted && !isDuration ? t('minutesError', { max: MAX_MINUTES }) : refused.minutes}
        />
        {isRunning ? null : <Note>{t('startFirst')}</Note>}
        <ErrorPanel error={inject.error} />
        <div className="st-row">
          <Button
            kind="primary"
            type="submit"
            icon="warning"
            label={t('injectButton')}
            disabled={!isRunning}
            isBusy={inject.isBusy}
          />
        </div>
      </form>
    </Panel>
  )
}
